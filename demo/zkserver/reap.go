package zkserver

import "time"

// armReaper starts the timer that looks for nodes to delete, unless it runs or there are
// none that may be deleted some day.
func (s *Server) armReaper() {
	if s.reaper == nil && s.db.Tree.Reapable() > 0 {
		s.reaper = s.clock.After(s.opts.ReapInterval, s.reap)
	}
}

// reap deletes the containers and TTL nodes that are due.
func (s *Server) reap() {
	if s.reaper = nil; !s.down {
		s.db.Reap(time.Now())
		s.armReaper()
	}
}
