package admin

import (
	"sync"
	"time"

	"electop/model/session"
)

const (
	// calmAfterHandoff is the time without a handoff before watches are asked for.
	// Candidates set them again after each handoff, and a table made meanwhile would
	// lack a watch that is only late.
	calmAfterHandoff = 2 * time.Second
	// watchGap is the least time between two tables of watches, if the second is
	// due to a handoff.
	watchGap = time.Minute
	// verifyGap is the least time between two polls that Verify causes, in case
	// somebody holds down the key.
	verifyGap = 2 * time.Second
)

// schedule decides when to poll, and for what. Its methods may be called by any
// goroutine.
type schedule struct {
	interval time.Duration // of the status
	sessions time.Duration // of connections and sessions; 0: only to verify
	cheap    bool          // only while they are cheap

	mu           sync.Mutex
	statusDue    time.Time // the zero time is now
	sessionsDue  time.Time
	verify       bool      // Verify was called, and no poll was due to it yet
	verified     time.Time // when a poll was last due to it
	handoff      time.Time // the last one that no table of watches has followed
	watchesAsked time.Time // when tables of watches were last asked for

	// If connections and sessions have to be cheap:
	counted   bool              // a poll said how many connections there are
	restraint session.Restraint // why they are not asked for
	slow      int               // slow answers in a row
}

// wantVerify has everything asked for once.
func (s *schedule) wantVerify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verify = true
}

// noteHandoff has the tables of watches asked for once it is calm.
func (s *schedule) noteHandoff(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handoff = at
}

// due reports whether a poll is due and which, or else when one will be.
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
		if gap := s.watchesAsked.Add(watchGap); !s.watchesAsked.IsZero() && gap.After(t) {
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

// regular returns when connections and sessions are due; ok is false if they are not
// asked for regularly, or if it is not known yet how many there are.
func (s *schedule) regular() (at time.Time, ok bool) {
	if s.cheap && (!s.counted || s.restraint.Connections > 0) {
		return at, false
	}
	return session.Later(s.sessionsDue, s.restraint.Again), s.sessions > 0
}

// cost notes what a poll cost, and returns what a table says of that.
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
		s.slow, s.restraint = 0, session.Restraint{Connections: s.restraint.Connections}
	default:
		s.restraint.Server, s.restraint.Took = slowest.Addr, slowest.took
		s.restraint.Again = ended.Round(0).Add(min(longestSlowPause, slowPause<<min(s.slow, 8)))
		s.slow++
	}
	if s.restraint != (session.Restraint{}) {
		return 0, s.restraint
	}
	return s.sessions, why
}

// began notes a poll, whether it was due or somebody asked for it.
func (s *schedule) began(p plan, now time.Time) {
	if !p.Watches {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watchesAsked = now
	if !now.Before(s.handoff.Add(calmAfterHandoff)) {
		s.handoff = time.Time{}
	}
}

// done sets when the next poll is due after one that was. A poll that took
// longer than the interval is followed by a pause of an interval nevertheless.
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

// Want says what a poll asks for besides the status of each server.
type Want struct {
	Watches  bool // the tables of watches
	Sessions bool // connections, sessions and their deadlines
}

func (w Want) tables() bool { return w.Watches || w.Sessions }

// A poll ends then, with or without all answers.
const (
	statusPollTimeout = 4 * time.Second
	tablePollTimeout  = 15 * time.Second
)

// limit returns how long a poll may take.
func (w Want) limit() time.Duration {
	if w.tables() {
		return tablePollTimeout
	}
	return statusPollTimeout
}

// A plan says what one poll asks for.
type plan struct {
	Want
	retry bool // somebody asks: servers that failed or refused are tried again
}

const (
	// After a slow answer the servers are asked again after this long; after each
	// further one after twice as long. The first answer of an AdminServer is slow
	// because Java loads classes.
	slowPause        = 5 * time.Second
	longestSlowPause = 10 * time.Minute
)
