package zkserver

import (
	"slices"
	"time"
)

// Tally is what one deletion of a node caused: which sessions were notified, and
// what those asked for then.
//
// A session counts for a deletion from the moment that its notification is
// sent, which in slow motion is when it is let go, until it is sent
// that of a later one or is over. A client that learns of a deletion only when
// it sets its watches again, on a new connection, is not among them.
type Tally struct {
	Path string    // of the deleted node
	Zxid int64     // of the deletion; a transaction may delete more than one node
	At   time.Time // likewise
	// Notified are the sessions that watched the node itself and were notified, by
	// id, except for its owner, which ended it and does not react. Watches on its
	// children, on its parent's or on all that is below something do not count. It is
	// shared by all Tallies of this deletion.
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

// tallies are the counts of the deletions that somebody asked for.
type tallies struct {
	asked  map[string][]*asker // by parent
	counts map[*count]struct{} // that are not over
}

type asker struct {
	report  func(Tally)
	stopped bool
}

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
	a, asked := &asker{report: report}, s.tallies.asked
	asked[parent] = append(asked[parent], a)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		a.stopped = true
		// A new slice: counts have the old one.
		left := slices.DeleteFunc(slices.Clone(asked[parent]), func(other *asker) bool { return other == a })
		if asked[parent] = left; len(left) == 0 {
			delete(asked, parent)
		}
		for c := range s.tallies.counts {
			if !slices.ContainsFunc(c.to, func(a *asker) bool { return !a.stopped }) {
				c.end()
			}
		}
	}
}
