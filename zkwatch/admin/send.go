package admin

import (
	"cmp"
	"context"
	"errors"
	"net"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

const (
	connectTimeout = 1500 * time.Millisecond
	requestTimeout = 2 * time.Second
	tableTimeout   = 6 * time.Second

	refusalValid  = time.Minute     // settings may change
	identityValid = 5 * time.Minute // a restart can change a server's identity
	slowRetry     = time.Minute     // the first answer of an AdminServer can take seconds
)

// A way is how a query is sent.
type way string

const (
	overHTTP way = "http"
	asWord   way = "4lw"

	heavyHint = "--admin-heavy" // electop's flag for large tables
)

// A server is one polled address. Only the current poll uses it, in one goroutine at a time.
type server struct {
	cfg     *Config
	request *requester

	addr string
	port int
	// anyServer means that /zookeeper/config has no server at this address, so any server may answer.
	anyServer bool

	url       string // of the AdminServer; "" if urlErr is set
	urlErr    error  // why Config.URL with this host is not valid
	sharedURL bool   // another address has the same URL

	notItsOwn string // why the AdminServer may belong to another server, or ""

	httpWorks bool
	httpRetry time.Time // in mode Auto, HTTP is not tried before this time
	refused   map[string]refused
	alive     bool          // in this poll, an answer, a refusal, errNotServing or errAdminServer came
	gotReply  bool          // in this poll, a reply, errTooLarge or errNotServing came
	took      time.Duration // of the slowest request for a table

	identity   identity
	identifyAt time.Time // the identity is not requested before this time

	failures int       // number of polls in a row without an answer
	until    time.Time // the server is not polled before this time, except on demand
	why      string    // why the last poll had no answer
}

type refused struct {
	answer session.Answer
	until  time.Time
}

func newServer(cfg *Config, request *requester, addr string) *server {
	s := &server{cfg: cfg, request: request, addr: addr, refused: make(map[string]refused)}
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		s.port, _ = strconv.Atoi(port)
	}
	s.url, s.urlErr = expand(cfg.URL, host)
	return s
}

func (s *server) ways() []way {
	switch s.cfg.Mode {
	case HTTP:
		return []way{overHTTP}
	case FourLetter:
		return []way{asWord}
	}
	if s.notItsOwn != "" || !s.httpWorks && time.Now().Before(s.httpRetry) {
		return []way{asWord}
	}
	return []way{overHTTP, asWord}
}

// send tries no other way after a late table, because the server may still be busy with it.
func send[T any](ctx context.Context, s *server, q query[T], retry bool) (v T, answer session.Answer) {
	if r, ok := s.refused[q.name]; ok && time.Now().Before(r.until) && !retry && !q.always {
		return v, r.answer
	}
	answer.State = session.Failed
	var whys []string
	var httpErr error
ways:
	for _, by := range s.ways() {
		form := q.word
		if by == overHTTP {
			form = q.http
		}
		b, err := s.fetch(ctx, by, form.name, q.table, retry)
		if err == nil {
			s.gotReply = true
			v, err = parse(s, form, b)
		}
		if err == nil {
			delete(s.refused, q.name)
			s.alive = true
			if by == overHTTP {
				s.httpWorks = true
			} else {
				s.wordsWork(httpErr)
			}
			return v, session.Answer{State: session.Answered, Via: string(by), At: s.cfg.Now()}
		}
		s.cfg.Logger.Debug("query failed", "server", s.addr, "for", q.name, "via", by, "error", text(err))
		answer.Via = string(by)
		whys = append(whys, string(by)+": "+text(err))
		var refusal *refusal
		switch {
		case errors.As(err, &refusal):
			s.alive = true
			if by == asWord {
				s.wordsWork(httpErr)
			}
			answer.State, answer.Hint = session.Refused, cmp.Or(refusal.hint, answer.Hint)
		case errors.Is(err, errTooLarge):
			s.gotReply = true
			if answer.State = session.TooLarge; !s.cfg.Heavy {
				answer.Hint = heavyHint
			}
			break ways
		case errors.Is(err, errNotServing):
			s.alive, s.gotReply = true, true
			break ways
		case errors.Is(err, errAdminServer):
			s.alive = true
		case q.table && errors.Is(err, errNoAnswer):
			break ways
		}
		if by == overHTTP {
			httpErr = err
		}
	}
	if len(whys) == 1 {
		whys[0] = strings.TrimPrefix(whys[0], answer.Via+": ")
	}
	answer.Why, answer.At = znode.Safe(strings.Join(whys, "; "), 0), s.cfg.Now()
	switch mode := s.cfg.Mode; {
	case answer.State == session.Refused && mode == Auto && answer.Hint != "":
		answer.Hint = "admin.enableServer=true, or " + answer.Hint
	case answer.State == session.Failed && mode == HTTP && s.notItsOwn != "":
		answer.Hint = "--admin-url"
	case answer.State == session.Failed && mode == HTTP && !s.alive:
		answer.Hint = "admin.enableServer=true"
	}
	if answer.State == session.Refused {
		s.refused[q.name] = refused{answer, time.Now().Add(refusalValid)}
	}
	return *new(T), answer
}

func parse[T any](s *server, form form[T], b []byte) (v T, err error) {
	defer func() {
		if e := recover(); e != nil {
			s.cfg.Logger.Error("parsing a reply", "server", s.addr, "to", form.name, "panic", e, "stack", string(debug.Stack()))
			err = errors.New("its reply could not be parsed")
		}
	}()
	return form.parse(b)
}

func text(err error) string { return znode.Safe(err.Error(), 0) }

func (s *server) fetch(ctx context.Context, by way, name string, table, onDemand bool) ([]byte, error) {
	timeout, limit := requestTimeout, small
	if table {
		began := time.Now()
		defer func() { s.took = max(s.took, time.Since(began)) }()
	}
	if table || onDemand {
		timeout = tableTimeout
	}
	if table {
		limit = large
		if s.cfg.Heavy {
			limit = huge
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case by == asWord:
		s.cfg.requests.Add(1)
		return s.request.word(ctx, s.addr, name, limit)
	case s.urlErr != nil:
		return nil, s.urlErr
	case s.notItsOwn != "":
		return nil, errors.New(s.notItsOwn)
	}
	s.cfg.requests.Add(1)
	return s.request.command(ctx, s.url, name, limit)
}

// wordsWork gets the error of HTTP before the word; nil means that HTTP was not tried.
func (s *server) wordsWork(httpErr error) {
	pause := identityValid
	if errors.Is(httpErr, errNoAnswer) {
		pause = slowRetry
	}
	if httpErr != nil && !s.httpWorks {
		s.httpRetry = time.Now().Add(pause)
	}
	s.httpWorks = s.httpWorks && httpErr == nil
}
