package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"electop/model/session"
	"electop/model/units"
)

const longestPause = time.Minute

// A result's session.Server has empty lists: the fields below have the lists, with full paths.
type result struct {
	session.Server
	number     int  // the server's number in this poll or an earlier one; 0: standalone or unknown
	anyServer  bool // the answers may be from several servers
	conns      []session.Client
	deadlines  []session.Deadline
	ephemerals []session.Ephemeral
	watches    []session.Watch
	took       time.Duration // the time of the slowest request for connections or sessions, without those of relist
}

func newResult(addr string) result {
	return result{Server: session.Server{Addr: addr, WatchCount: -1, DataWatches: -1}}
}

// answered reports whether the server answered. The answer "not serving requests" does not count.
func (r *result) answered() bool { return r.Basic.State != session.Failed }

func (r *result) fail(w Want, a session.Answer) {
	r.Basic = a
	if w.Sessions {
		r.Connections, r.Sessions = a, a
	}
	if w.Watches {
		r.Watches = a
	}
}

func (s *server) poll(ctx context.Context, p plan) (r result) {
	r = newResult(s.addr)
	defer func() { r.number, r.anyServer = s.identity.number, s.anyServer }()
	if now := time.Now(); !p.retry && now.Before(s.until) {
		r.fail(p.Want, session.Answer{State: session.Failed, At: s.cfg.Now(),
			Why: fmt.Sprintf("%s (next request in %s)", s.why, units.AtMost(s.until.Sub(now)))})
		return r
	}
	s.alive, s.gotReply = false, false
	if a := s.identify(ctx, p.retry); a.State == session.Failed && !s.gotReply {
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
	if p.Sessions {
		s.took = 0
		s.connections(ctx, p, &r)
		var d dump
		d, r.Sessions = send(ctx, s, dumpQuery, p.retry)
		r.deadlines, r.ephemerals = d.deadlines, d.ephemerals
		r.took = s.took
	}
	if p.Watches {
		s.watches(ctx, p, &r)
	}
	return r
}

// failed makes no pause after one failure, because the server may be restarting.
func (s *server) failed(why string) {
	s.why = why
	if s.failures++; s.failures > 1 {
		s.until = time.Now().Add(min(longestPause, s.cfg.Interval<<min(s.failures-1, 8)))
	}
	s.identifyAt = time.Time{}
}

// identify checks whether the AdminServer belongs to this server, because a host may have several servers.
func (s *server) identify(ctx context.Context, retry bool) session.Answer {
	now := time.Now()
	if retry && !s.httpWorks && (s.cfg.Mode == Auto || s.identity.ports == 0) {
		s.httpRetry, s.identifyAt = time.Time{}, time.Time{} // the server may now have an AdminServer, or permit conf
	}
	if now.Before(s.identifyAt) {
		return session.Answer{}
	}
	s.notItsOwn = ""
	id, a := send(ctx, s, identityQuery, retry)
	if a.Via == string(overHTTP) && a.State == session.Answered {
		if s.notItsOwn = s.notOwned(id); s.notItsOwn != "" {
			s.httpWorks = false
			id, a = send(ctx, s, identityQuery, retry)
		}
	} else if s.sharedURL && s.cfg.Mode != FourLetter {
		s.notItsOwn, s.httpWorks = "several servers share this URL, and its AdminServer does not report which server it belongs to", false
	}
	switch {
	case a.State == session.Answered:
		s.identity = id
		fallthrough
	case s.alive:
		s.identifyAt = now.Add(identityValid)
		if s.httpRetry.After(now) && s.httpRetry.Before(s.identifyAt) {
			s.identifyAt = s.httpRetry // checks the AdminServer before HTTP is used again
		}
	}
	return a
}

func (s *server) notOwned(id identity) string {
	trusted := !s.sharedURL && (s.cfg.URL != DefaultURL || s.cfg.Mode == HTTP || s.cfg.DialTLS != nil) // with DialTLS, s.port may be secureClientPort
	if trusted || id.port == s.port || id.port == 0 && !s.sharedURL {
		return ""
	}
	return fmt.Sprintf("the AdminServer at this URL reports client port %d, not %d", id.port, s.port)
}

func (s *server) status(ctx context.Context, p plan, r *result) {
	var st status
	if st, r.Basic = send(ctx, s, statusQuery, p.retry); r.Basic.State == session.Failed {
		return
	}
	r.Version, r.Mode, r.Zxid, r.ConnectionCount = st.version, st.mode, st.zxid, st.connections
	r.Tick = s.identity.tick
	if n, a := send(ctx, s, countsQuery, p.retry); a.State == session.Answered {
		r.WatchCount = n.watches
		r.Expired = n.expired
	}
	if n, a := send(ctx, s, dataWatchesQuery, p.retry); a.State == session.Answered {
		r.DataWatches = n
	}
}

func (s *server) connections(ctx context.Context, p plan, r *result) {
	var got connections
	got, r.Connections = send(ctx, s, connectionsQuery, p.retry)
	r.conns = got.list
	if s.anyServer {
		for i := range r.conns {
			r.conns[i].LastResponse = 0 // connections and deadlines may be from servers with different clocks
		}
	}
	onePort := s.identity.ports == 1 || strings.HasPrefix(r.Version, "3.4.") // 3.5 introduced the second port
	if r.Connections.State != session.Answered || got.bothPorts || onePort {
		return
	}
	r.Connections.State = session.Refused
	r.Connections.Why = "the list has the clients of only one port, and the server may have another port (clientPort and secureClientPort)"
	if r.Connections.Via == string(asWord) {
		if r.Connections.Hint = "admin.enableServer=true"; s.cfg.Mode == FourLetter {
			r.Connections.Hint += " and --admin auto"
		}
	}
}

func (s *server) watches(ctx context.Context, p plan, r *result) {
	count := r.DataWatches
	if count < 0 {
		count = r.WatchCount
	}
	switch heavy := s.cfg.Heavy; {
	case ctx.Err() != nil:
		r.Watches = session.Answer{State: session.Failed, At: s.cfg.Now(), Why: text(errNoAnswer)}
	case count < 0 && !heavy:
		r.Watches = session.Answer{State: session.Refused, At: s.cfg.Now(),
			Why: "the server does not report how many watches it has, and a large table would block it", Hint: allWords + ", or " + heavyHint}
	case count > MaxWatches && !heavy:
		r.Watches = session.Answer{State: session.Refused, At: s.cfg.Now(),
			Why: fmt.Sprintf("the server has %d watches: a table of more than %d blocks it", count, MaxWatches), Hint: heavyHint}
	default:
		r.watches, r.Watches = send(ctx, s, watchesQuery, p.retry)
	}
}

// relist finds a client that moved to another server during the first requests: all lists may lack it.
func relist(ctx context.Context, p plan, servers map[string]*server, results []result) {
	second := make([]result, len(results))
	var all sync.WaitGroup
	for i := range results {
		s := servers[results[i].Addr]
		second[i].Version = results[i].Version
		all.Go(func() { s.connections(ctx, p, &second[i]) })
	}
	all.Wait()
	listed := listed(second)
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

func listed(results []result) map[uint64]bool {
	all := make(map[uint64]bool)
	for i := range results {
		for _, c := range results[i].conns {
			all[c.Session] = true
		}
	}
	return all
}

func candidateUnlisted(results []result, chroot string, elections []*Election) bool {
	if slices.ContainsFunc(results, func(r result) bool { return r.Connections.State != session.Answered }) {
		return false // without all lists, an unlisted session proves nothing
	}
	listed := listed(results)
	for _, e := range elections {
		for i := range results {
			for _, x := range results[i].ephemerals {
				if _, inElection := e.inner(chroot, x.Path); inElection && !listed[x.Session] {
					return true
				}
			}
		}
	}
	return false
}
