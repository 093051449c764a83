package doctor

import (
	"time"

	"electop/model/dialect"
)

// A Fuse is how much of its session timeout a contender has left: each answered
// request refills it, and when it has burnt down the session expires. The embedded
// server counts it exactly. Elsewhere the servers' tables give bounds.
type Fuse struct {
	Timeout time.Duration
	// The session expires not before Least and, unless its client is heard from again,
	// by Most. A zero Least is unknown; a zero Most too, as the client may be heard
	// from at any time.
	Least, Most time.Time
	// Held says that it does not burn: the server holds a message, as of Since.
	Held  bool
	Since time.Time
	Exact bool // Least and Most are the deadline itself
}

// Fuse returns what is known of the contender's session timeout; ok is false for
// nothing.
func (s *State) Fuse(c *dialect.Candidate) (f Fuse, ok bool) {
	if c == nil || c.Session == 0 {
		return f, false
	}
	m := s.Member(c)
	f.Timeout = s.Tracked.Timeout(c.Session)
	if m != nil && m.Session == c.Session && m.Timeout > 0 {
		f.Timeout = m.Timeout
	}
	if f.Timeout <= 0 {
		return f, false
	}
	if d, known := s.Dues[c.Session]; known {
		f.Least, f.Most, f.Exact, f.Held, f.Since = d.Expires, d.Expires, true, d.Held, d.At
		return f, true
	}
	f.Least = s.Tracked.Alive(c.Session)
	if r := s.Risk(c); r != nil {
		f.Most = r.By
	}
	return f, !f.Least.IsZero() || !f.Most.IsZero()
}

// Left is how much of the timeout is left at now: at least, and at most.
func (f Fuse) Left(now time.Time) (least, most time.Duration) {
	if f.Held {
		now = f.Since
	}
	if !f.Least.IsZero() {
		least = max(0, min(f.Timeout, f.Least.Sub(now)))
	}
	most = f.Timeout
	if !f.Most.IsZero() {
		most = max(least, min(f.Timeout, f.Most.Sub(now)))
	}
	return least, most
}

// Fuses reports whether anything is known of the timeout of any contender.
func (s *State) Fuses() bool { return len(s.Dues) > 0 || s.Tracked.Timed() }
