package zkserver

import "time"

// Restart does what the restart of a standalone server does: all connections
// are closed, none is taken for as long as down says, and then they are again.
// Sessions do not expire meanwhile and begin their timeout anew at the end; the
// tree stays, watches go with their connections. It does not wait for the end.
// Statistics go on.
func (s *Server) Restart(down time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for c := range s.conns {
		s.detach(c)
		c.closeSoon()
	}
	s.down = true
	s.armExpiry() // nothing expires
	s.reopen.stop()
	if s.reopen = nil; down > 0 {
		s.reopen = s.after(down, s.up)
		return
	}
	s.up()
}

// up ends a restart.
func (s *Server) up() {
	s.down, s.reopen = false, nil
	for sess := range s.sessions.All() {
		s.touch(sess)
	}
	s.armExpiry()
	if s.tree.Reapable() > 0 {
		s.armReaper()
	}
}
