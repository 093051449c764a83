package zkserver

import (
	"slices"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// Tally is what one deletion of a node caused: which sessions were notified, and
// which requests they sent after that.
//
// A session counts for a deletion from the moment that its notification is
// sent, which in slow motion is when it is released, until it is sent
// the one of a later deletion or ends. A client that learns of a deletion only when
// it sets its watches again, on a new connection, does not count.
type Tally struct {
	Path string    // of the deleted node
	Zxid int64     // of the deletion; a transaction may delete more than one node
	At   time.Time // of the deletion
	// Notified are the sessions that watched the node itself and were notified, by
	// id, except for its owner, which ended it and does not react. Watches on its
	// children, on its parent's or on all that is below something do not count. It is
	// shared by all Tallies of this deletion.
	Notified []int64
	// Requests is what these requested since, without pings. BytesIn are the
	// frames of these requests, BytesOut those of the notifications and of the
	// replies, all with their prefixes, once they are passed to the connection: if
	// that ends before they are written, Counters has fewer.
	Requests          int
	BytesIn, BytesOut int64
	// Settled says that no more will be counted: nobody was notified, or each of
	// these sessions has been quiet for 300 ms with nothing of it held or
	// unanswered, is over, or counts for another deletion.
	Settled bool
}

// tallying counts what deletions of the children of parent cause.
type tallying struct {
	parent string
	report func(Tally)
	counts map[*count]struct{} // that are not over
}

// Tally counts what the deletion of each child of parent causes, from now on. report
// is called for a deletion before any client can know about it, and again when the
// numbers grow, at most every 20 ms and always at the end. Clients of
// [Server.DialObserver] do not count.
//
// report is called under the server's lock, and every client waits for it. It must
// not block, call the server or stop, or wait for a goroutine that does.
//
// stop ends the reports, and so do [Server.Close] and the next call of Tally: there is
// no report after it has returned.
func (s *Server) Tally(parent string, report func(Tally)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endTallying()
	t := &tallying{parent, report, make(map[*count]struct{})}
	s.tallying = t
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tallying == t {
			s.endTallying()
		}
	}
}

func (s *Server) endTallying() {
	if s.tallying != nil {
		for c := range s.tallying.counts {
			c.end()
		}
	}
	s.tallying = nil
}

const (
	// quiet is how long sessions are quiet before a Tally is settled:
	// longer than a client on a busy machine thinks between two steps.
	quiet = 300 * time.Millisecond
	// every is the least time between two reports of a deletion.
	every = 20 * time.Millisecond
)

// A count is a Tally in the making: what a deletion causes in the sessions that
// were notified of it. A session counts for one deletion at most, the last one
// of which it was notified. s.mu guards it. The methods may be called on nil.
type count struct {
	Tally
	s        *Server
	of       *tallying
	owner    int64         // of an ephemeral node: its session
	sessions int           // that count for it
	holding  int           // of these, those of which something is held
	owed     int           // what is held and counts for it, and what is being carried out
	last     time.Duration // when one of its sessions sent or received something
	reported time.Duration // when last
	news     bool          // that were not reported
	over     bool
	alarm    *alarm // nil: there is none
	alarmAt  time.Duration
}

// tally begins to count for a deletion of a child of the tallying's parent, and reports
// it. It returns nil if nothing can follow. Otherwise done is due when all notifications
// were made.
func (s *Server) tally(path string, gone *tree.Effect, zxid int64) *count {
	if s.tallying == nil || s.tallying.parent != gone.Parent {
		return nil
	}
	c := &count{s: s, of: s.tallying, owed: 1, owner: gone.Owner, last: s.elapsed()}
	c.Path, c.Zxid, c.At = path, zxid, time.Now()
	for w := range s.watches.data.paths[path] {
		if !w.observer && c.counts(w.sess) && w.who.May(gone.ACL, wire.PermRead) {
			c.Notified = append(c.Notified, w.sess.id)
		}
	}
	slices.Sort(c.Notified)
	c.Settled = len(c.Notified) == 0
	c.report()
	if c.Settled {
		return nil
	}
	c.of.counts[c] = struct{}{}
	return c
}

// counts reports whether a notification of a session counts: the one of its own
// node's end does not.
func (c *count) counts(sess *session) bool { return c != nil && c.owner != sess.id }

func (c *count) report() {
	c.reported, c.news = c.s.elapsed(), false
	c.of.report(c.Tally)
}

// asks counts a request of n bytes for the deletion that the session counts for, if
// there is one, and returns its count. done is due when the request was carried out.
func (s *session) asks(n int) *count {
	c := s.count
	if c == nil {
		return nil
	}
	if c.over {
		s.count = nil
		return nil
	}
	c.Requests++
	c.BytesIn += int64(n)
	c.news = true
	c.last = c.s.elapsed()
	c.owed++
	return c
}

// sent counts a message of n bytes to a session, 0 if it could not be sent. With
// the notification, the session counts from now on.
func (c *count) sent(to *session, n int, notification bool) {
	if c == nil || n == 0 {
		return
	}
	c.BytesOut += int64(n)
	c.news = true
	c.last = c.s.elapsed()
	if notification && c.s.lives(to) {
		to.leave()
		to.count = c
		c.sessions++
		if to.held > 0 {
			c.holding++
		}
	}
}

// owe notes that a message is held that will count.
func (c *count) owe() {
	if c != nil {
		c.owed++
	}
}

// done takes one off what is owed.
func (c *count) done() {
	if c != nil {
		c.owed--
		c.follow()
	}
}

// holds notes that one more of the sessions has something held, or one less.
func (c *count) holds(d int) {
	if c != nil {
		c.holding += d
		c.last = c.s.elapsed()
		c.follow()
	}
}

// leave ends a session's part in what it counts for.
func (s *session) leave() {
	c := s.count
	if c == nil {
		return
	}
	s.count = nil
	c.sessions--
	if s.held > 0 {
		c.holding--
	}
	c.follow()
}

// follow reports what is to be reported, and sets the alarm for the next call if there
// may be more.
func (c *count) follow() {
	if c.over {
		return
	}
	now := c.s.elapsed()
	idle := c.owed == 0 && c.holding == 0
	c.Settled = idle && (c.sessions == 0 || now-c.last >= quiet)
	if (c.news || c.Settled) && now-c.reported >= every {
		c.report()
		if c.Settled {
			c.end()
			return
		}
	}
	switch {
	case c.news || c.Settled:
		c.again(c.reported+every, now)
	case idle:
		c.again(c.last+quiet, now)
	}
}

func (c *count) again(at, now time.Duration) {
	if c.alarm != nil && c.alarmAt <= at {
		return
	}
	c.alarm.stop()
	c.alarmAt = at
	c.alarm = c.s.after(at-now, func() {
		c.alarm = nil
		c.follow()
	})
}

func (c *count) end() {
	c.over = true
	c.alarm.stop()
	delete(c.of.counts, c)
}
