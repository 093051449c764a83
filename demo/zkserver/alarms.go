package zkserver

import "time"

// An alarm is a timer whose callback holds s.mu, which guards the alarm too.
type alarm struct {
	s       *Server
	t       *time.Timer
	stopped bool
}

// after calls f under s.mu, d from now, unless the alarm is stopped or the server is
// closed before. s.wg counts alarms that are neither stopped nor done, so Close stops
// all of them. It returns nil if the server is closed. The caller holds s.mu.
func (s *Server) after(d time.Duration, f func()) *alarm {
	if s.closed {
		return nil
	}
	s.wg.Add(1)
	a := &alarm{s: s}
	a.t = time.AfterFunc(d, func() {
		defer s.wg.Done()
		defer s.recovered("timer")
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed && !a.stopped {
			f()
		}
	})
	return a
}

// stop may be called on nil and more than once. A callback that already waits for the
// lock does nothing when it gets it.
func (a *alarm) stop() {
	if a == nil || a.stopped {
		return
	}
	a.stopped = true
	if a.t.Stop() {
		a.s.wg.Done()
	}
}

// elapsed returns the time since the server was made.
func (s *Server) elapsed() time.Duration { return time.Since(s.start) }

// reapInterval is how often empty containers are looked for, as Apache does.
const reapInterval = time.Minute

// armReaper starts the timer that looks for nodes to delete, unless it runs or there are
// none that may be deleted some day.
func (s *Server) armReaper() {
	if s.reaper == nil && s.tree.Reapable() > 0 {
		s.reaper = s.after(reapInterval, s.reap)
	}
}

// reap deletes the containers that are due.
func (s *Server) reap() {
	s.reaper = nil
	for _, path := range s.tree.Due() {
		s.deleteAll([]string{path})
	}
	s.armReaper()
}
