package zkserver

import "fmt"

// touch extends a session's life.
func (s *Server) touch(sess *clientSession) {
	if s.sessions.Touch(sess, s.clock.Elapsed()) {
		s.armExpiry()
	}
}

// armExpiry sets the alarm for the session that may expire first.
func (s *Server) armExpiry() {
	s.expiry.Stop()
	s.expiry = nil
	if first, ok := s.sessions.Next(); ok && !s.down && !s.closed {
		s.expiry = s.clock.After(first-s.clock.Elapsed(), s.expireDue)
	}
}

// expiredAtOnce is how many sessions end before clients that wait get their turn. It
// takes about a millisecond.
const expiredAtOnce = 100

// expireDue ends sessions whose deadline has passed. If thousands have, as after a
// partition, other clients are served between them. A session of which something is
// heard meanwhile lives on.
func (s *Server) expireDue() {
	for _, sess := range s.sessions.Due(s.clock.Elapsed(), expiredAtOnce) {
		s.counters.Expired++
		s.debug("session expired", "session", fmt.Sprintf("%#x", sess.ID), "timeout", sess.Timeout)
		s.endSession(sess, true)
	}
	s.armExpiry()
}

// endSession ends a session, and with drop set closes its connection.
func (s *Server) endSession(sess *clientSession, drop bool) {
	sess.Client.Leave()
	s.sessions.End(sess)
	s.deleteAll(s.tree.EphemeralsOf(sess.ID))
	if c := sess.Client.conn; c != nil && drop {
		c.drop()
	}
}

// armReaper starts the timer that looks for nodes to delete, unless it runs or there are
// none that may be deleted some day.
func (s *Server) armReaper() {
	if s.reaper == nil && s.tree.Reapable() > 0 {
		s.reaper = s.clock.After(s.opts.ReapInterval, s.reap)
	}
}

// reap deletes the containers that are due.
func (s *Server) reap() {
	if s.reaper = nil; !s.down {
		for _, path := range s.tree.Due() {
			s.deleteAll([]string{path})
		}
		s.armReaper()
	}
}
