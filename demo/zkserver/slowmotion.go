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
	waiting = len(s.paced.messages)
	for _, m := range s.paced.messages[:max(0, min(n, waiting))] {
		held = append(held, m.Paced)
	}
	return s.pace, held, waiting
}

// PaceChanged returns a channel that has a value after the result of [Server.Paced]
// has changed, one for any number of changes. All callers share the channel, and it
// is never closed.
func (s *Server) PaceChanged() <-chan struct{} { return s.paced.changed }
