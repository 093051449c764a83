package admin

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"electop/model/session"
	"electop/model/units"
	"electop/zkwatch/admin/command"
	"electop/zkwatch/admin/transport"
)

const (
	// touchTimeout is how long deadlines wait until our sessions are heard from.
	touchTimeout = 500 * time.Millisecond
	// A server that does not answer is asked again after twice as long each time,
	// up to this.
	longestPause = time.Minute
)

// A server is what is known of one address from poll to poll. It belongs to the
// poll under way, and in it to one goroutine.
type server struct {
	*access
	identity   command.Identity // as it said last
	identifyAt time.Time        // it is not asked who it is before
	// anyServer says that the configuration has no server at this address: any of them
	// may answer there.
	anyServer bool

	failures int       // polls in a row without an answer
	until    time.Time // it is not asked before, unless somebody asks
	why      string    // of the last failure
}

func newServer(cfg *Config, http *transport.HTTP, words *transport.Words, addr string) *server {
	return &server{access: newAccess(cfg, http, words, addr)}
}

// A result is what one server said in a poll, not yet cut down to an election:
// the lists of server are empty, those here are whole, and paths are full.
type result struct {
	session.Server
	number     int  // that the server gave, now or earlier; 0: none
	anyServer  bool // as in server: parts of the result may be of several servers
	conns      []session.Client
	deadlines  []session.Deadline
	ephemerals []session.Ephemeral
	watches    []session.Watch
	anchors    []session.Anchor // for deadlines
	took       time.Duration    // the slowest list of connections or sessions
}

func newResult(addr string) result {
	return result{Server: session.Server{Addr: addr, WatchCount: -1, DataWatches: -1}}
}

// answered reports whether the server answered in this poll, if only to refuse.
func (r *result) answered() bool { return r.Basic.State != session.Failed }

// fail gives all that is wanted the same answer.
func (r *result) fail(w Want, a session.Answer) {
	r.Basic = a
	if w.Sessions {
		r.Connections, r.Sessions = a, a
	}
	if w.Watches {
		r.Watches = a
	}
}

// poll asks one server all that p wants.
func (s *server) poll(ctx context.Context, p plan) (r result) {
	r = newResult(s.addr)
	defer func() { r.number, r.anyServer = s.identity.Number, s.anyServer }()
	defer func() {
		if e := recover(); e != nil { // no reply may end the program
			r = newResult(s.addr)
			r.fail(p.Want, s.panicked(e))
		}
	}()
	if now := time.Now(); !p.retry && now.Before(s.until) {
		r.fail(p.Want, session.Answer{State: session.Failed, At: s.cfg.Now(),
			Why: fmt.Sprintf("%s (asked again in %s)", s.why, units.AtMost(s.until.Sub(now)))})
		return r
	}
	s.alive, s.gotAnswers = false, false
	if a := s.identify(ctx, p.retry); a.State == session.Failed && !s.gotAnswers {
		r.fail(p.Want, a)
		s.failed(a.Why)
		return r
	}
	s.status(ctx, p, &r)
	if s.alive {
		s.failures, s.until = 0, time.Time{}
	} else {
		s.failed(r.Basic.Why)
	}
	if r.Basic.State != session.Answered && r.Basic.State != session.Refused {
		r.fail(p.Want, r.Basic)
		return r
	}
	p.awaitRead(ctx) // if not, ctx is done, and what follows fails at once
	if p.Sessions {
		s.took = 0
		before := s.touch(ctx, &r)
		s.connections(ctx, p, &r)
		s.sessions(ctx, p, &r)
		if len(r.deadlines) > 0 {
			conns := r.conns
			if s.anyServer {
				conns = nil // perhaps of another server than the deadlines
			}
			r.anchors = bracket(before, s.cfg.Now(), conns)
		}
		r.took = s.took
	}
	if p.Watches {
		s.watches(ctx, p, &r)
	}
	return r
}

// pollConnections asks one server for its connections alone.
func (s *server) pollConnections(ctx context.Context, p plan, version string) (r result) {
	defer func() {
		if e := recover(); e != nil { // as in poll
			r = result{}
			r.Connections = s.panicked(e)
		}
	}()
	r.Version = version
	s.connections(ctx, p, &r)
	return r
}

// panicked is the answer of a server whose reply a parser panicked on.
func (s *server) panicked(e any) session.Answer {
	s.cfg.Logger.Error("asking a server", "server", s.addr, "panic", e, "stack", string(debug.Stack()))
	return session.Answer{State: session.Failed, At: s.cfg.Now(), Why: "its reply could not be parsed"}
}

// failed makes polls of the server less frequent; the next one starts with identify. The
// first time the server may be restarting: the next poll asks it as usual.
func (s *server) failed(why string) {
	s.why = why
	if s.failures++; s.failures > 1 {
		s.until = time.Now().Add(min(longestPause, s.cfg.Interval<<min(s.failures-1, 8)))
	}
	s.identifyAt = time.Time{}
}

// identify finds out who the server is, and whether the AdminServer is its own:
// of several servers on one host only the first gets the usual port.
func (s *server) identify(ctx context.Context, retry bool) session.Answer {
	now := time.Now()
	if retry && !s.httpWorks && (s.cfg.Mode == Auto || s.identity.Ports == 0) {
		s.httpRetry, s.identifyAt = time.Time{}, time.Time{} // it may have an AdminServer by now, or allow conf
	}
	if now.Before(s.identifyAt) {
		return session.Answer{}
	}
	s.notItsOwn = ""
	id, a := ask(ctx, s.access, command.ForIdentity(), retry)
	if a.Via == string(overHTTP) && a.State == session.Answered {
		if s.notItsOwn = s.notOwned(id); s.notItsOwn != "" {
			s.httpWorks = false
			id, a = ask(ctx, s.access, command.ForIdentity(), retry)
		}
	} else if s.sharedURL && s.cfg.Mode != FourLetter {
		s.notItsOwn, s.httpWorks = "several servers share this URL, and its AdminServer does not say which server it belongs to", false
	}
	switch {
	case a.State == session.Answered:
		s.identity = id
		fallthrough
	case s.alive:
		s.identifyAt = now.Add(identityValid)
		if s.httpRetry.After(now) && s.httpRetry.Before(s.identifyAt) {
			s.identifyAt = s.httpRetry // HTTP is not trusted without it
		}
	}
	return a
}

// notOwned says why an AdminServer is not that of this server; "" if it is.
func (s *server) notOwned(id command.Identity) string {
	trusted := !s.sharedURL && (s.cfg.URL != DefaultURL || s.cfg.Mode == HTTP || s.cfg.DialTLS != nil)
	if trusted || id.Port == s.port || id.Port == 0 && !s.sharedURL {
		return ""
	}
	return fmt.Sprintf("the AdminServer there belongs to the server at port %d", id.Port)
}

// status asks for what costs the server almost nothing.
func (s *server) status(ctx context.Context, p plan, r *result) {
	var st command.Status
	if st, r.Basic = ask(ctx, s.access, command.ForStatus(), p.retry); r.Basic.State == session.Failed {
		return
	}
	r.Version, r.Mode, r.Zxid, r.ConnectionCount = st.Version, st.Mode, st.Zxid, st.Connections
	r.Tick = s.identity.Tick
	if n, a := ask(ctx, s.access, command.ForCounts(), p.retry); a.State == session.Answered {
		r.WatchCount = n.Watches
		if p.read == nil { // otherwise it was counted before Table.At
			r.Expired = n.Expired
		}
	}
	if n, a := ask(ctx, s.access, command.ForDataWatches(), p.retry); a.State == session.Answered {
		r.DataWatches = n
	}
}

// touch has a server that has deadlines hear of our sessions, and returns when it did.
// Its connections and its deadlines are asked for after that.
func (s *server) touch(ctx context.Context, r *result) []session.Anchor {
	if r.Mode != session.ModeFollower && r.Mode != session.ModeObserver { // those have no deadlines
		touch, cancel := context.WithTimeout(ctx, touchTimeout)
		s.cfg.Touch(touch)
		cancel()
	}
	return s.cfg.Anchors()
}

// connections asks for the list of connections.
//
// A server can have two ports for clients, one with TLS and one without
// (secureClientPort and clientPort). The word cons lists the connections to the port
// that it was sent to, the AdminServer those to both. The list is Answered only if the
// server lists both ports or is known to have one: otherwise each client of the other
// port would seem to have no connection. Those that are known are in r in any case.
func (s *server) connections(ctx context.Context, p plan, r *result) {
	var got command.Connections
	got, r.Connections = ask(ctx, s.access, command.ForConnections(), p.retry)
	r.conns = got.List
	onePort := s.identity.Ports == 1 || strings.HasPrefix(r.Version, "3.4.") // 3.5 introduced the other one
	if r.Connections.State != session.Answered || got.BothPorts || onePort {
		return
	}
	r.Connections.State = session.Refused
	r.Connections.Why = "it lists the clients of only one port, and the server may have another one (clientPort and secureClientPort)"
	if r.Connections.Via == string(asWord) {
		if r.Connections.Hint = "admin.enableServer=true"; s.cfg.Mode == FourLetter {
			r.Connections.Hint += " and --admin auto"
		}
	}
}

// sessions asks for sessions and ephemerals.
func (s *server) sessions(ctx context.Context, p plan, r *result) {
	var d command.Dump
	d, r.Sessions = ask(ctx, s.access, command.ForDump(), p.retry)
	r.deadlines, r.ephemerals = d.Deadlines, d.Ephemerals
}

// watches asks for the table of watches, unless there are too many of them.
func (s *server) watches(ctx context.Context, p plan, r *result) {
	count := r.DataWatches
	if count < 0 {
		count = r.WatchCount
	}
	switch heavy := s.cfg.Heavy; {
	case ctx.Err() != nil: // the poll is over
		r.Watches = session.Answer{State: session.Failed, At: s.cfg.Now(), Why: text(transport.ErrNoAnswer)}
	case count < 0 && !heavy:
		r.Watches = session.Answer{State: session.Refused, At: s.cfg.Now(),
			Why: "the server does not report how many watches it has, and a large table would block it", Hint: transport.AllWords + ", or " + heavyHint}
	case count > MaxWatches && !heavy:
		r.Watches = session.Answer{State: session.Refused, At: s.cfg.Now(),
			Why: fmt.Sprintf("it has %d watches: a table of more than %d blocks the server", count, MaxWatches), Hint: heavyHint}
	default:
		r.watches, r.Watches = ask(ctx, s.access, command.ForWatches(), p.retry)
	}
}

// bracket makes anchors that are true of a dump. before are the anchors when it was
// requested, answered is when it arrived, and conns are the connections of the
// server that made it.
//
// A deadline in the dump follows from the touch: the last time before the dump
// was made that the server heard from the session. The touch of a session of ours
// ties the server's clock to the clock of this program.
//
// The touch was before the reply arrived. No better upper bound holds in all
// cases: after the last answered request there may have been another one that
// reached the server in time and whose answer is still on its way. So Answered
// is when the dump arrived.
//
// If the session is connected to the server that made the dump, the touch was not
// before the last request was sent that had been answered when the dump was
// requested. Another server forwards touches when the ensemble's leader asks for
// them, each half tick: the last touch may have been too late for the dump, and the
// one before it counts. Clients send something at least each third of the timeout.
// For those sessions Sent is half a timeout earlier, which leaves room for delays.
func bracket(before []session.Anchor, answered time.Time, conns []session.Client) []session.Anchor {
	out := make([]session.Anchor, 0, len(before))
	for _, a := range before {
		if !slices.ContainsFunc(conns, func(c session.Client) bool { return c.Session == a.Session }) {
			a.Sent = a.Sent.Add(-a.Timeout / 2)
		}
		a.Answered = answered
		out = append(out, a)
	}
	return out
}

// widen makes anchors that are true of two dumps, where more than one server
// has deadlines.
func widen(a, b []session.Anchor) []session.Anchor {
	out := slices.Clone(a)
	for _, n := range b {
		i := slices.IndexFunc(out, func(o session.Anchor) bool { return o.Session == n.Session })
		if i < 0 {
			out = append(out, n)
			continue
		}
		if n.Sent.Before(out[i].Sent) {
			out[i].Sent = n.Sent
		}
		if n.Answered.After(out[i].Answered) {
			out[i].Answered = n.Answered
		}
	}
	return out
}

// relist asks the servers for their connections once more. The lists are not of
// one moment: a client that goes from one server to another while they are made
// can be missing from both, and where a server is slow that moment is long. So
// only a session that is in neither of two lists has no connection.
func relist(ctx context.Context, p plan, servers map[string]*server, results []result) {
	second := make([]result, len(results))
	var all sync.WaitGroup
	for i := range results {
		s := servers[results[i].Addr]
		all.Go(func() { second[i] = s.pollConnections(ctx, p, results[i].Version) })
	}
	all.Wait()
	listed := make(map[uint64]bool)
	for i := range second {
		for _, c := range second[i].conns {
			listed[c.Session] = true
		}
	}
	for i := range results {
		conns := second[i].conns
		for _, c := range results[i].conns {
			if !listed[c.Session] {
				conns = append(conns, c)
			}
		}
		results[i].conns, results[i].Connections = conns, second[i].Connections
	}
}

// unlisted reports whether an ephemeral znode of an election has an owner that
// is in no list, although all servers gave theirs.
func unlisted(results []result, chroot string, elections []*Election) bool {
	listed := make(map[uint64]bool)
	for i := range results {
		if results[i].Connections.State != session.Answered {
			return false // the second lists would prove nothing either
		}
		for _, c := range results[i].conns {
			listed[c.Session] = true
		}
	}
	for _, e := range elections {
		for i := range results {
			for _, x := range results[i].ephemerals {
				if _, ours := e.inner(chroot, x.Path); ours && !listed[x.Session] {
					return true
				}
			}
		}
	}
	return false
}
