package zkserver

import "time"

// Restart behaves like the restart of a standalone server: it closes all connections
// and accepts no new ones for the given time. Sessions do not expire in that time and
// have a full timeout afterwards. The tree stays; watches end with their connections.
// Restart does not wait for the end. Statistics continue.
func (s *Server) Restart(down time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.dropAll()
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
	for _, sess := range s.sessions.byID {
		s.touch(sess)
	}
	s.armExpiry()
	s.armReaper()
}
