// Package tally counts what the deletion of a znode causes: who was notified of
// it, and what they asked for then. It knows sessions as [Member]; the caller has the
// lock and the clock.
package tally

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
	// id, except for its owner, which ended it and does not react. Watches on its children, on its parent's or on all that is
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
	// quiet is for how long sessions are quiet before a Tally is settled:
	// longer than a client on a busy machine thinks between two steps.
	quiet = 300 * time.Millisecond
	// every is the least time between two reports of a deletion.
	every = 20 * time.Millisecond
)

// A Board is the tallies that somebody asked for.
type Board struct {
	now    func() time.Duration
	after  func(d time.Duration, f func()) (stop func())
	asked  map[string][]*asker // by parent
	counts map[*Count]struct{} // that are not over
}

type asker struct {
	report  func(Tally)
	stopped bool
}

// NewBoard returns a board that nobody has asked anything. now returns the time since
// the server's start. after calls f under the server's lock, d from now, unless it is
// stopped before.
func NewBoard(now func() time.Duration, after func(d time.Duration, f func()) (stop func())) *Board {
	return &Board{now: now, after: after, asked: make(map[string][]*asker), counts: make(map[*Count]struct{})}
}

// Ask has the deletions of a parent's children reported.
func (b *Board) Ask(parent string, report func(Tally)) (stop func()) {
	a := &asker{report: report}
	b.asked[parent] = append(b.asked[parent], a)
	return func() {
		if a.stopped {
			return
		}
		a.stopped = true
		// A new slice: counts have the old one.
		left := slices.DeleteFunc(slices.Clone(b.asked[parent]), func(other *asker) bool { return other == a })
		if b.asked[parent] = left; len(left) == 0 {
			delete(b.asked, parent)
		}
		for c := range b.counts {
			if !slices.ContainsFunc(c.to, func(a *asker) bool { return !a.stopped }) {
				c.end()
			}
		}
	}
}

// Asked reports whether deletions of a parent's children are counted.
func (b *Board) Asked(parent string) bool { return len(b.asked[parent]) > 0 }

// Close ends all counting.
func (b *Board) Close() {
	for c := range b.counts {
		c.end()
	}
}
