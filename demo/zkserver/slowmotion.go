package zkserver

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
	if s.paced.delay = p.Delay; p.Steps {
		s.paced.delay = -1
	}
	s.paced.due() // which lets everything go without a delay
	s.paced.signal()
}

// Step releases the oldest held message, and reports whether there was one.
func (s *Server) Step() (Paced, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paced.messages) == 0 {
		return Paced{}, false
	}
	first := s.paced.messages[0].Paced
	s.paced.release(1)
	return first, true
}

// Paced returns the pace, the first n held messages in the order of their release,
// and how many are held.
func (s *Server) Paced(n int) (p Pace, held []Paced, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pace, s.paced.first(n), len(s.paced.messages)
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
	b := Backlog{Pace: s.pace, Held: s.paced.first(n), Waiting: len(s.paced.messages), Passed: s.paced.passed, Unlisted: s.paced.unlisted}
	s.paced.passed, s.paced.unlisted = nil, 0
	return b
}

// first returns the first n held messages.
func (b *backlog) first(n int) (held []Paced) {
	for _, m := range b.messages[:max(0, min(n, len(b.messages)))] {
		held = append(held, m.Paced)
	}
	return held
}

// PaceChanged returns a channel that has a value after the result of [Server.Paced]
// has changed, one for any number of changes. All callers share the channel, and it
// is never closed.
func (s *Server) PaceChanged() <-chan struct{} { return s.paced.changed }
