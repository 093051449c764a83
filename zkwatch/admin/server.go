package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"electop/model"
)

const (
	// Where packets are dropped nobody is waited for longer than this.
	connectTimeout = 1500 * time.Millisecond
	// Of one request. An AdminServer that was never asked before loads its
	// classes first, which takes seconds on a machine that is busy: somebody
	// who asks waits for that, the cadence comes back later.
	cheapTimeout = 2 * time.Second
	dearTimeout  = 6 * time.Second

	// A session of ours that is not heard of in this time is as it is.
	touchTimeout = 500 * time.Millisecond

	// A round ends then, whoever has not answered.
	cheapRound = 4 * time.Second
	dearRound  = 15 * time.Second

	// A server that does not answer is asked again after twice as long each
	// time, up to this.
	longestPause = time.Minute
	// Settings are changed by people: a refusal stands for so long.
	refusalStands = time.Minute
	// Who a server is, and whether it has an AdminServer, changes with its
	// configuration and takes a restart.
	identityStands = 5 * time.Minute
	// An AdminServer that gave no answer in time may be slow just then.
	slowStands = time.Minute
)

// via is a way to ask: the value of model.Answer.Via.
type via string

const (
	viaHTTP  via = "http"
	viaWords via = "4lw"
)

// A server is what is known of one address. It belongs to the round under way,
// and in it to one goroutine.
type server struct {
	asker *Asker
	addr  string
	host  string
	port  int

	url    string // of its AdminServer; "" if there can be none
	urlErr error
	shared bool // another member has the same URL

	http      bool      // HTTP is known to work
	httpAgain time.Time // in mode Auto: HTTP is not tried before
	httpWrong string    // the AdminServer there is that of another server; why

	ident      identity
	identAgain time.Time

	refused map[string]refused

	alive   bool // in this round it answered as a ZooKeeper server does, if only to refuse
	reached bool // somebody answered
	fails   int  // rounds in a row that it was not alive
	again   time.Time
	why     string // of the last failure
}

type refused struct {
	answer model.Answer
	until  time.Time
}

func newServer(a *Asker, addr string) *server {
	s := &server{asker: a, addr: addr, refused: make(map[string]refused)}
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		s.host = host
		s.port, _ = strconv.Atoi(port)
	}
	s.url, s.urlErr = expand(a.cfg.URL, host)
	return s
}

// ways are how to ask the server, in the order to try them.
func (s *server) ways() []via {
	switch s.asker.cfg.Mode {
	case HTTP:
		return []via{viaHTTP}
	case FourLetter:
		return []via{viaWords}
	}
	if s.httpWrong != "" || !s.http && time.Now().Before(s.httpAgain) {
		return []via{viaWords}
	}
	return []via{viaHTTP, viaWords}
}

// fetch makes one request.
func (s *server) fetch(ctx context.Context, by via, name string, patient bool, l limit) ([]byte, error) {
	timeout := cheapTimeout
	if patient {
		timeout = dearTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if by == viaWords {
		return say(ctx, s.asker.cfg, s.addr, name, l)
	}
	switch {
	case s.urlErr != nil:
		return nil, s.urlErr
	case s.httpWrong != "":
		return nil, errors.New(s.httpWrong)
	}
	return s.asker.http.get(ctx, s.url, name, l)
}

// ask puts one question to a server, in one way after the other until there is
// an answer. A dear question that found no answer in time is not put again:
// the server is busy with it.
func ask[T any](ctx context.Context, s *server, q *question[T], asked bool) (T, model.Answer) {
	var none T
	if r, ok := s.refused[q.what]; ok && !asked && !q.always && time.Now().Before(r.until) {
		return none, r.answer
	}
	l := cheapReply
	if q.dear {
		l = dearReply
		if s.asker.cfg.Heavy {
			l = heavyReply
		}
	}
	var failed failures
	for _, by := range s.ways() {
		ways := q.words
		if by == viaHTTP {
			ways = q.commands
		}
		for _, w := range ways {
			b, err := s.fetch(ctx, by, w.name, q.dear || asked, l)
			received := err == nil
			s.reached = s.reached || received
			var v T
			if received {
				v, err = w.parse(b)
			}
			if err == nil {
				s.answered(by, failed)
				delete(s.refused, q.what)
				return v, model.Answer{State: model.Answered, Via: string(by), At: s.asker.cfg.Now()}
			}
			failed = append(failed, failure{by, err})
			s.asker.cfg.Logger.Debug("asking a server failed", "server", s.addr, "for", q.what, "via", by, "error", text(err))
			s.reached = s.reached || errors.Is(err, errNotServing) || errors.Is(err, errTooLarge)
			if errors.Is(err, errNotServing) || errors.Is(err, errTooLarge) || q.dear && errors.Is(err, errNoAnswer) {
				return none, s.unanswered(q.what, failed)
			}
			// The other form of the same helps against a setting, or a release
			// that lacks this one; not where there is no connection.
			if r := (*refusal)(nil); !received && !errors.As(err, &r) {
				break
			}
		}
	}
	return none, s.unanswered(q.what, failed)
}

// answered notes which way works.
func (s *server) answered(by via, before failures) {
	s.alive = true
	if by == viaHTTP {
		s.http = true
		return
	}
	s.wordsWork(before)
}

// wordsWork notes that HTTP failed where the server itself is there.
func (s *server) wordsWork(before failures) {
	if before.of(viaHTTP) == nil {
		return
	}
	switch {
	case s.http: // until now
	case errors.Is(before.of(viaHTTP), errNoAnswer):
		s.httpAgain = time.Now().Add(slowStands)
	default:
		s.httpAgain = time.Now().Add(identityStands)
	}
	s.http = false // if it did work: the next round tries it once more
}

type failure struct {
	by  via
	err error
}

type failures []failure

func (f failures) of(by via) error {
	for _, x := range f {
		if x.by == by {
			return x.err
		}
	}
	return nil
}

// unanswered makes an answer of what went wrong.
func (s *server) unanswered(what string, f failures) model.Answer {
	a := model.Answer{State: model.Failed, At: s.asker.cfg.Now()}
	var whys []string
	for _, x := range f {
		why := text(x.err)
		if len(f) > 1 {
			why = string(x.by) + ": " + why
		}
		whys = append(whys, why)
		a.Via = string(x.by)
		var r *refusal
		switch {
		case errors.As(x.err, &r):
			s.alive = true
			a.State = model.Refused
			if r.hint != "" {
				a.Hint = r.hint
			}
			if x.by == viaWords {
				s.wordsWork(f)
			}
		case errors.Is(x.err, errTooLarge):
			a.State = model.TooLarge
			if !s.asker.cfg.Heavy {
				a.Hint = heavyHint
			}
		case errors.Is(x.err, errNotServing), errors.Is(x.err, errServerSays):
			s.alive = true
		}
	}
	a.Why = model.Safe(strings.Join(whys, "; "), 0)
	switch mode := s.asker.cfg.Mode; {
	case a.State == model.Refused && mode == Auto && a.Hint != "":
		a.Hint = "admin.enableServer=true, or " + a.Hint
	case a.State == model.Failed && mode == HTTP && s.httpWrong != "":
		a.Hint = urlHint
	case a.State == model.Failed && mode == HTTP && f.of(viaHTTP) != nil && !s.alive:
		a.Hint = "admin.enableServer=true"
	}
	if a.State == model.Refused {
		s.refused[what] = refused{a, time.Now().Add(refusalStands)}
	}
	return a
}

const (
	heavyHint = "--admin-heavy"
	urlHint   = "--admin-url"
)

// identify finds out who the server is, and whether the AdminServer is its own:
// of several servers on one host only the first gets the usual port.
func (s *server) identify(ctx context.Context, asked bool) model.Answer {
	now := time.Now()
	if asked && !s.http && s.asker.cfg.Mode == Auto {
		s.httpAgain, s.identAgain = time.Time{}, time.Time{} // it may have one by now
	}
	if now.Before(s.identAgain) {
		return model.Answer{}
	}
	s.httpWrong = ""
	id, a := ask(ctx, s, &askIdentity, asked)
	if a.Via == string(viaHTTP) && a.State == model.Answered {
		if s.httpWrong = s.wrong(id); s.httpWrong != "" {
			s.http = false
			id, a = ask(ctx, s, &askIdentity, asked)
		}
	} else if s.shared && s.asker.cfg.Mode != FourLetter {
		s.httpWrong, s.http = "which server the AdminServer at this URL is of is not known", false
	}
	switch {
	case a.State == model.Answered:
		s.ident = id
		fallthrough
	case s.alive:
		s.identAgain = now.Add(identityStands)
		if s.httpAgain.After(now) && s.httpAgain.Before(s.identAgain) {
			s.identAgain = s.httpAgain // HTTP is not trusted without it
		}
	}
	return a
}

// wrong says why an AdminServer is not that of this server; "" if it is.
func (s *server) wrong(id identity) string {
	c := &s.asker.cfg
	trusted := !s.shared && (c.URL != DefaultURL || c.Mode == HTTP || c.DialTLS != nil)
	if trusted || id.port == s.port || id.port == 0 && !s.shared {
		return ""
	}
	return fmt.Sprintf("the AdminServer there is that of the server at port %d", id.port)
}
