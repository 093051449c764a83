package admin

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"electop/model/session"
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

// access is how a server can be asked, as far as is known. It belongs to one poll at a
// time, which may ask several things at once.
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

	mu         sync.Mutex // for what answers change:
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
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.notItsOwn != "" || !a.httpWorks && time.Now().Before(a.httpRetry) {
		return []way{asWord}
	}
	return []way{overHTTP, asWord}
}

// ask puts a question to a server, in one way after the other until there is an
// answer. A question for a table that found no answer in time is not put in the
// other way: the server is busy with it. retry asks again what was refused.
func ask[T any](ctx context.Context, a *access, q command.Question[T], retry bool) (T, session.Answer) {
	var none T
	if r, ok := a.refusedBefore(q.Name); ok && !retry && !q.Always {
		return none, r
	}
	var failed failures
	for _, by := range a.ways() {
		form := q.Word
		if by == overHTTP {
			form = q.HTTP
		}
		var v T
		b, err := a.fetch(ctx, by, form.Name, q.Table, retry)
		if err == nil {
			a.spoke()
			v, err = form.Parse(b)
		}
		if err == nil {
			a.answered(q.Name, by, failed)
			return v, session.Answer{State: session.Answered, Via: string(by), At: a.cfg.Now()}
		}
		failed = append(failed, failure{by, err})
		a.cfg.Logger.Debug("asking a server failed", "server", a.addr, "for", q.Name, "via", by, "error", text(err))
		spoke := errors.Is(err, command.ErrNotServing) || errors.Is(err, command.ErrTooLarge)
		if spoke {
			a.spoke()
		}
		if spoke || q.Table && errors.Is(err, transport.ErrNoAnswer) {
			break
		}
	}
	return none, a.unanswered(q.Name, failed)
}

// fetch makes one request.
func (a *access) fetch(ctx context.Context, by way, name string, table, patient bool) ([]byte, error) {
	timeout, limit := requestTimeout, command.Small
	if table {
		began := time.Now()
		defer func() { a.noteTook(time.Since(began)) }()
	}
	if table || patient {
		timeout = tableTimeout
	}
	if table {
		limit = command.Large
		if a.cfg.Heavy {
			limit = command.Huge
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

// refusedBefore returns the answer of a server that has just refused the question.
func (a *access) refusedBefore(question string) (session.Answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.refused[question]
	return r.answer, ok && time.Now().Before(r.until)
}

// spoke notes that anything answered.
func (a *access) spoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gotAnswers = true
}

func (a *access) noteTook(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.took = max(a.took, d)
}

// takeTook returns the slowest table, and clears it.
func (a *access) takeTook() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	took := a.took
	a.took = 0
	return took
}

// answered notes which way works.
func (a *access) answered(question string, by way, before failures) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.refused, question)
	a.alive = true
	if by == overHTTP {
		a.httpWorks = true
		return
	}
	a.wordsWork(before)
}

// wordsWork notes that the server is there. If HTTP failed just before, HTTP is
// not tried for a while; if HTTP had worked until now, once more. The caller holds a.mu.
func (a *access) wordsWork(before failures) {
	err := before.of(overHTTP)
	if err == nil {
		return
	}
	switch {
	case a.httpWorks:
	case errors.Is(err, transport.ErrNoAnswer):
		a.httpRetry = time.Now().Add(slowRetry)
	default:
		a.httpRetry = time.Now().Add(identityValid)
	}
	a.httpWorks = false
}

// unanswered makes an answer of what went wrong.
func (a *access) unanswered(question string, f failures) session.Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alive = a.alive || f.alive()
	if f.wordRefused() {
		a.wordsWork(f)
	}
	answer := f.answer(a.cfg.Heavy)
	answer.At = a.cfg.Now()
	switch mode := a.cfg.Mode; {
	case answer.State == session.Refused && mode == Auto && answer.Hint != "":
		answer.Hint = "admin.enableServer=true, or " + answer.Hint
	case answer.State == session.Failed && mode == HTTP && a.notItsOwn != "":
		answer.Hint = urlHint
	case answer.State == session.Failed && mode == HTTP && f.of(overHTTP) != nil && !a.alive:
		answer.Hint = "admin.enableServer=true"
	}
	if answer.State == session.Refused {
		a.refused[question] = refused{answer, time.Now().Add(refusalValid)}
	}
	return answer
}
