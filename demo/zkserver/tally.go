package zkserver

import (
	"slices"
	"time"
)

// Tally is what one deletion of a node caused: whom the server told of it, and
// what those asked for then.
//
// A session counts for a deletion from the moment that its notification is
// sent, which in slow motion (see [Pace]) is when it is let go, until it is sent
// that of a later one or is over. A client that learns of a deletion only when
// it sets its watches again, on a new connection, is not among them.
type Tally struct {
	Path string    // of the deleted node
	Zxid int64     // of the deletion; a transaction may delete more than one node
	At   time.Time // likewise, by the server's clock
	// Notified are the sessions that watched the node itself and were told, by
	// id, but for the one that owned it: what it has to be told of its own end
	// wakes nobody. Watches on its children, on its parent's or on all that is
	// below something do not count. It is shared by all Tallies of this deletion.
	Notified []int64
	// Requests is what these asked for since, without pings. BytesIn are the
	// frames of these requests, BytesOut those of the notifications and of the
	// replies, all with their prefixes, once they are handed to the connection: if
	// that ends before they are written, Counters has fewer.
	Requests          int
	BytesIn, BytesOut int64
	// Settled says that no more will be counted: nobody was notified, or each of
	// these sessions has been quiet for 300 ms with nothing of it held or
	// unanswered, is over, or counts elsewhere.
	Settled bool
}

const (
	// tallyQuiet is for how long sessions are quiet before a Tally is settled:
	// longer than a client on a busy machine thinks between two steps.
	tallyQuiet = 300 * time.Millisecond
	// tallyEvery is the least time between two reports of a deletion.
	tallyEvery = 20 * time.Millisecond
)

// tally is somebody who asked for Tallies.
type tally struct {
	report  func(Tally)
	stopped bool
}

// Tally counts, for each child of parent that is deleted from now on, what
// that causes. report is told of a deletion at once, before anybody else can
// learn of it, and again as the numbers grow, at most every 20 ms by the
// server's clock and in any case in the end. Backstage clients (see
// [Server.DialBackstage]) do not count.
//
// report is called under the server's lock: every client waits for it, and it
// must not block, nor call the server or stop, nor wait for anybody who does.
//
// stop ends it. Once it has returned, there are no more reports. So does
// [Server.Close].
func (s *Server) Tally(parent string, report func(Tally)) (stop func()) {
	t := &tally{report: report}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tallies[parent] = append(s.tallies[parent], t)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.stopped {
			return
		}
		t.stopped = true
		// A new slice: wakes have the old one.
		left := slices.DeleteFunc(slices.Clone(s.tallies[parent]), func(other *tally) bool { return other == t })
		if s.tallies[parent] = left; len(left) == 0 {
			delete(s.tallies, parent)
		}
		for w := range s.wakes {
			if !slices.ContainsFunc(w.to, func(t *tally) bool { return !t.stopped }) {
				w.end()
			}
		}
	}
}
