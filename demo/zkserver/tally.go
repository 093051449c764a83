package zkserver

import (
	"electop/demo/zkserver/tally"
)

// Tally is what one deletion of a node caused: the notified sessions, and their
// requests after that.
type Tally = tally.Tally

// Tally counts what the deletion of each child of parent causes, from now on. report
// is called for a deletion before any client can know about it, and again when the
// numbers grow, at most every 20 ms and always at the end. Backstage clients (see
// [Server.DialBackstage]) do not count.
//
// report is called under the server's lock, and every client waits for it. It must
// not block, call the server or stop, or wait for a goroutine that does.
//
// stop ends the reports, and so does [Server.Close]: there is no report after it has
// returned.
func (s *Server) Tally(parent string, report func(Tally)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unasked := s.tallies.Ask(parent, report)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		unasked()
	}
}
