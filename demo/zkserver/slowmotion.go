package zkserver

import "electop/demo/zkserver/backlog"

// SetPace changes the pace, also for held messages: a new Delay counts from when a
// message was produced. The zero Pace releases everything.
func (s *Server) SetPace(p Pace) {
	p.Delay = max(0, min(p.Delay, PaceMax))
	if p.Steps {
		p.Delay = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || p == s.pace {
		return
	}
	s.pace = p
	delay := p.Delay
	if p.Steps {
		delay = -1
	}
	s.backlog.SetDelay(delay) // which lets everything go without a delay
}

// Step releases the oldest held message, and reports whether there was one.
func (s *Server) Step() (Paced, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, ok := s.backlog.Step()
	return asPaced(first), ok
}

// asPaced returns what the public methods say of a held message.
func asPaced(m backlog.Held[Paced]) Paced {
	m.About.N, m.About.Since = m.N, m.Since
	return m.About
}

// Paced returns the pace, the first n held messages in the order of their release,
// and how many are held.
func (s *Server) Paced(n int) (p Pace, held []Paced, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pace, heldOf(s.backlog.First(n)), s.backlog.Len()
}

// Backlog is what the [Pace] holds, and what it held.
type Backlog struct {
	Pace    Pace
	Held    []Paced // the first, in the order of their release
	Waiting int     // how many are held
	// Passed are the messages that left since the last call, in that order. Unlisted
	// is how many more there were before these.
	Passed   []Passed
	Unlisted int
}

// TakeBacklog is [Server.Paced], with the messages that are no longer held: each is in
// the Passed of one call, or counted as unlisted. It is for one caller.
func (s *Server) TakeBacklog(n int) Backlog {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Backlog{Pace: s.pace, Held: heldOf(s.backlog.First(n)), Waiting: s.backlog.Len()}
	passed, unlisted := s.backlog.TakePassed()
	for _, m := range passed {
		b.Passed = append(b.Passed, Passed{Paced: asPaced(m.Held), Left: m.Left, Lost: m.Lost})
	}
	b.Unlisted = unlisted
	return b
}

func heldOf(held []backlog.Held[Paced]) (all []Paced) {
	for _, m := range held {
		all = append(all, asPaced(m))
	}
	return all
}

// PaceChanged returns a channel that has a value after the result of [Server.Paced]
// has changed, one for any number of changes. All callers share the channel, and it
// is never closed.
func (s *Server) PaceChanged() <-chan struct{} { return s.backlog.Changed() }
