package zkserver

import (
	"time"

	"electop/demo/zkserver/tally"
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
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

// tally begins to count for a deletion, if somebody asked for that.
func (s *Server) tally(path string, gone *tree.Effect, zxid int64) *tally.Count {
	if !s.tallies.Asked(gone.Parent) {
		return nil
	}
	var notified []int64
	for c := range s.watches.Data.Watching(path) {
		if !c.backstage && c.sess.ID != gone.Owner && c.who.May(gone.ACL, wire.PermRead) {
			notified = append(notified, c.sess.ID)
		}
	}
	return s.tallies.Begin(gone.Parent, path, gone.Owner, zxid, time.Now(), notified)
}
