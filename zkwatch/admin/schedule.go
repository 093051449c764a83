package admin

import (
	"sync"
	"time"

	"electop/model/session"
)

const (
	calmAfterHandoff = 2 * time.Second // candidates need time to set their watches again
	watchGap         = time.Minute     // shortest time from a poll for tables of watches to a poll after a handoff
	verifyGap        = 2 * time.Second // a user may hold down a key
)

type schedule struct {
	interval time.Duration // between polls for the status
	sessions time.Duration // between polls for connections and sessions; 0: only on demand
	cheap    bool          // see Config.Cheap

	mu            sync.Mutex
	statusDue     time.Time // zero: now
	sessionsDue   time.Time
	verify        bool // a poll for Verify is still to be made
	verified      time.Time
	handoff       time.Time // time of the last handoff; zero: no handoff needs a poll
	watchesPolled time.Time

	counted   bool              // a server has reported its number of connections
	restraint session.Restraint // why regular polls do not request connections and sessions
	slowPolls int               // number of slow polls in a row
}

func (s *schedule) wantVerify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verify = true
}

func (s *schedule) noteHandoff(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handoff = at
}

func (s *schedule) due(now time.Time) (p plan, due bool, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at = s.statusDue
	reached := func(t time.Time) bool {
		if t.Before(at) {
			at = t
		}
		return !now.Before(t)
	}
	due = reached(s.statusDue)
	if t, ok := s.regular(); ok && reached(t) {
		p.Sessions, due = true, true
	}
	if !s.handoff.IsZero() {
		t := s.handoff.Add(calmAfterHandoff)
		if gap := s.watchesPolled.Add(watchGap); !s.watchesPolled.IsZero() && gap.After(t) {
			t = gap
		}
		if reached(t) {
			p.Watches, due = true, true
		}
	}
	if s.verify && (s.verified.IsZero() || reached(s.verified.Add(verifyGap))) {
		p, due = plan{Want: Want{Watches: true, Sessions: true}, retry: true}, true
		s.verify, s.verified = false, now
	}
	return p, due, at
}

func (s *schedule) regular() (at time.Time, ok bool) {
	if s.cheap && (!s.counted || s.restraint.Connections > 0) {
		return at, false
	}
	return session.Later(s.sessionsDue, s.restraint.Again), s.sessions > 0
}

// cost updates restraint after a poll. every is 0 if polls for connections and sessions are too expensive.
func (s *schedule) cost(p plan, results []result, ended time.Time) (every time.Duration, why session.Restraint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.cheap || s.sessions <= 0 {
		return s.sessions, why
	}
	connections, slowest := -1, &result{took: session.CheapAnswer}
	for i := range results {
		x := &results[i]
		if x.Basic.State == session.Answered {
			connections = max(0, connections) + max(0, x.ConnectionCount)
		}
		if x.took > slowest.took {
			slowest = x
		}
	}
	if connections >= 0 {
		s.counted, s.restraint.Connections = true, 0
		if connections > session.CheapConnections {
			s.restraint.Connections = connections
		}
	}
	switch {
	case !p.Sessions:
	case slowest.Addr == "":
		s.slowPolls, s.restraint = 0, session.Restraint{Connections: s.restraint.Connections}
	default:
		s.restraint.Server, s.restraint.Took = slowest.Addr, slowest.took
		s.restraint.Again = ended.Round(0).Add(min(longestSlowPause, slowPause<<min(s.slowPolls, 8)))
		s.slowPolls++
	}
	if s.restraint != (session.Restraint{}) {
		return 0, s.restraint
	}
	return s.sessions, why
}

func (s *schedule) began(p plan, now time.Time) {
	if !p.Watches {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchesPolled = now
	if !now.Before(s.handoff.Add(calmAfterHandoff)) {
		s.handoff = time.Time{}
	}
}

func (s *schedule) done(began, ended time.Time, p plan) {
	next := func(every time.Duration) time.Time {
		if t := began.Add(every); t.After(ended) {
			return t
		}
		return ended.Add(every)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statusDue = next(s.interval)
	if p.Sessions {
		s.sessionsDue = next(s.sessions)
	}
}

// Want selects what a poll requests besides the status of each server.
type Want struct {
	Watches  bool // the tables of watches
	Sessions bool // connections, sessions and their deadlines
}

func (w Want) tables() bool { return w.Watches || w.Sessions }

const (
	statusPollTimeout = 4 * time.Second
	tablePollTimeout  = 15 * time.Second
)

func (w Want) limit() time.Duration {
	if w.tables() {
		return tablePollTimeout
	}
	return statusPollTimeout
}

type plan struct {
	Want
	retry bool // the poll is on demand, so servers that failed or refused are tried again
}

const (
	slowPause        = 5 * time.Second
	longestSlowPause = 10 * time.Minute
)
