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
	"electop/zkwatch/admin/command"
	"electop/zkwatch/admin/transport"
)

const (
	// If packets are dropped, a connection attempt takes this long.
	connectTimeout = 1500 * time.Millisecond
	// Of one request. An AdminServer loads its classes with the first request, which
	// takes seconds on a busy machine: a poll that somebody asked for waits for
	// that, scheduled ones are repeated anyway.
	requestTimeout = 2 * time.Second
	tableTimeout   = 6 * time.Second

	// Settings are changed by people: a refusal is believed for this long.
	refusalValid = time.Minute
	// Who a server is, and whether it has an AdminServer, changes with its
	// configuration, after a restart.
	identityValid = 5 * time.Minute
	// An AdminServer that gave no answer in time may just have been slow.
	slowRetry = time.Minute
)

// A way is how a command is sent: the value of session.Answer.Via.
type way string

const (
	overHTTP way = "http"
	asWord   way = "4lw"

	heavyHint = "--admin-heavy" // the flag of electop that helps
)

// access is how a server can be asked, as far as is known. It belongs to one poll at a
// time, which asks one thing at a time.
type access struct {
	cfg   *Config
	http  *transport.HTTP
	words *transport.Words

	addr string
	port int

	url       string // of its AdminServer; "" if there can be none
	urlErr    error
	sharedURL bool // another address has the same URL

	notItsOwn string // why the AdminServer is not, or may not be, that of this server; "" if it is

	httpWorks  bool
	httpRetry  time.Time // in mode Auto: HTTP is not tried before
	refused    map[string]refused
	alive      bool          // since it was last cleared, a ZooKeeper server answered, if only to refuse
	gotAnswers bool          // anything answered, a ZooKeeper server or not
	took       time.Duration // the slowest table since it was last cleared
}

type refused struct {
	answer session.Answer
	until  time.Time
}

func newAccess(cfg *Config, http *transport.HTTP, words *transport.Words, addr string) *access {
	a := &access{cfg: cfg, http: http, words: words, addr: addr, refused: make(map[string]refused)}
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		a.port, _ = strconv.Atoi(port)
	}
	a.url, a.urlErr = expand(cfg.URL, host)
	return a
}

// ways are how to ask the server, in the order to try them.
func (a *access) ways() []way {
	switch a.cfg.Mode {
	case HTTP:
		return []way{overHTTP}
	case FourLetter:
		return []way{asWord}
	}
	if a.notItsOwn != "" || !a.httpWorks && time.Now().Before(a.httpRetry) {
		return []way{asWord}
	}
	return []way{overHTTP, asWord}
}

// ask puts a question to a server, in one way after the other until there is an
// answer. A question for a table that found no answer in time is not put in the
// other way: the server is busy with it. retry asks again what was refused.
//
// What went wrong becomes an answer too, with the setting of the server or the flag of
// electop that would help.
func ask[T any](ctx context.Context, a *access, q command.Question[T], retry bool) (v T, answer session.Answer) {
	if r, ok := a.refused[q.Name]; ok && time.Now().Before(r.until) && !retry && !q.Always {
		return v, r.answer // it has just refused
	}
	answer.State = session.Failed
	var whys []string
	var byHTTP error
ways:
	for _, by := range a.ways() {
		form := q.Word
		if by == overHTTP {
			form = q.HTTP
		}
		b, err := a.fetch(ctx, by, form.Name, q.Table, retry)
		if err == nil {
			a.gotAnswers = true
			v, err = parse(a, form, b)
		}
		if err == nil {
			delete(a.refused, q.Name)
			a.alive = true
			if by == overHTTP {
				a.httpWorks = true
			} else {
				a.wordsWork(byHTTP)
			}
			return v, session.Answer{State: session.Answered, Via: string(by), At: a.cfg.Now()}
		}
		a.cfg.Logger.Debug("asking a server failed", "server", a.addr, "for", q.Name, "via", by, "error", text(err))
		answer.Via = string(by)
		whys = append(whys, string(by)+": "+text(err))
		var refusal *transport.Refusal
		switch {
		case errors.As(err, &refusal):
			a.alive = true
			if by == asWord {
				a.wordsWork(byHTTP)
			}
			answer.State, answer.Hint = session.Refused, cmp.Or(refusal.Hint, answer.Hint)
		case errors.Is(err, command.ErrTooLarge):
			a.gotAnswers = true
			if answer.State = session.TooLarge; !a.cfg.Heavy {
				answer.Hint = heavyHint
			}
			break ways
		case errors.Is(err, command.ErrNotServing):
			a.alive, a.gotAnswers = true, true
			break ways
		case errors.Is(err, command.ErrServerSays):
			a.alive = true
		case q.Table && errors.Is(err, transport.ErrNoAnswer):
			break ways
		}
		if by == overHTTP {
			byHTTP = err
		}
	}
	if len(whys) == 1 {
		whys[0] = strings.TrimPrefix(whys[0], answer.Via+": ")
	}
	answer.Why, answer.At = znode.Safe(strings.Join(whys, "; "), 0), a.cfg.Now()
	switch mode := a.cfg.Mode; {
	case answer.State == session.Refused && mode == Auto && answer.Hint != "":
		answer.Hint = "admin.enableServer=true, or " + answer.Hint
	case answer.State == session.Failed && mode == HTTP && a.notItsOwn != "":
		answer.Hint = "--admin-url"
	case answer.State == session.Failed && mode == HTTP && !a.alive:
		answer.Hint = "admin.enableServer=true"
	}
	if answer.State == session.Refused {
		a.refused[q.Name] = refused{answer, time.Now().Add(refusalValid)}
	}
	return *new(T), answer
}

// parse parses a reply: none may end the program.
func parse[T any](a *access, form command.Form[T], b []byte) (v T, err error) {
	defer func() {
		if e := recover(); e != nil {
			a.cfg.Logger.Error("parsing a reply", "server", a.addr, "to", form.Name, "panic", e, "stack", string(debug.Stack()))
			err = errors.New("its reply could not be parsed")
		}
	}()
	return form.Parse(b)
}

// text is err for people.
func text(err error) string { return znode.Safe(err.Error(), 0) }

// fetch makes one request.
func (a *access) fetch(ctx context.Context, by way, name string, table, patient bool) ([]byte, error) {
	timeout, limit := requestTimeout, command.Small()
	if table {
		began := time.Now()
		defer func() { a.took = max(a.took, time.Since(began)) }()
	}
	if table || patient {
		timeout = tableTimeout
	}
	if table {
		limit = command.Large()
		if a.cfg.Heavy {
			limit = command.Huge()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case by == asWord:
		a.cfg.requests.Add(1)
		return a.words.Send(ctx, a.addr, name, limit)
	case a.urlErr != nil:
		return nil, a.urlErr
	case a.notItsOwn != "":
		return nil, errors.New(a.notItsOwn)
	}
	a.cfg.requests.Add(1)
	return a.http.Get(ctx, a.url, name, limit)
}

// wordsWork notes that the server is there. If HTTP failed just before, HTTP is
// not tried for a while; if HTTP had worked until now, once more.
func (a *access) wordsWork(byHTTP error) {
	pause := identityValid
	if errors.Is(byHTTP, transport.ErrNoAnswer) {
		pause = slowRetry
	}
	if byHTTP != nil && !a.httpWorks {
		a.httpRetry = time.Now().Add(pause)
	}
	a.httpWorks = a.httpWorks && byHTTP == nil
}
