package zkserver

import (
	"time"

	"electop/demo/zkserver/tally"
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// Tally is what one deletion of a node caused: whom the server told of it, and
// what those asked for then.
type Tally = tally.Tally

// Tally counts, for each child of parent that is deleted from now on, what
// that causes. report is told of a deletion at once, before anybody else can
// learn of it, and again as the numbers grow, at most every 20 ms
// and in any case in the end. Backstage clients (see
// [Server.DialBackstage]) do not count.
//
// report is called under the server's lock: every client waits for it, and it
// must not block, nor call the server or stop, nor wait for anybody who does.
//
// stop ends it. Once it has returned, there are no more reports. So does
// [Server.Close].
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

// tallyHost is what the tallies need of the server.
type tallyHost struct{ s *Server }

func (h tallyHost) Elapsed() time.Duration { return h.s.elapsed() }

func (h tallyHost) After(d time.Duration, f func()) (stop func()) { return h.s.after(d, f).stop }
