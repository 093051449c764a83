package tally

import (
	"slices"
	"time"
)

// A Count is a Tally in the making: what a deletion causes in the sessions that
// were notified of it. A session counts for one deletion at most, the last one
// whose notification it was sent. The methods may be called on nil.
type Count struct {
	Tally
	board    *Board
	to       []*asker
	owner    int64         // of an ephemeral node: its session
	sessions int           // that count for it
	holding  int           // of these, those of which something is held
	owed     int           // what is held and counts for it, and what is being carried out
	last     time.Duration // when one of its sessions sent or received something
	reported time.Duration // when last
	news     bool          // that were not reported
	over     bool
	stop     func() // of the alarm, if there is one
	alarmAt  time.Duration
}

// Begin counts for a deletion of a node that had an owner, and reports it.
// notified are the sessions that are about to be notified, except for the owner. It
// returns nil if nothing can follow. Otherwise Done is due when all notifications
// were made.
func (b *Board) Begin(parent, path string, owner, zxid int64, now time.Time, notified []int64) *Count {
	slices.Sort(notified)
	c := &Count{board: b, to: b.asked[parent], owed: 1, owner: owner}
	c.Path, c.Zxid, c.At, c.Notified = path, zxid, now, notified
	c.last = b.now()
	if c.Settled = len(notified) == 0; c.Settled {
		c.report()
		return nil
	}
	b.counts[c] = struct{}{}
	c.report()
	return c
}

// Counts reports whether what a session is notified of counts: that of its own
// node's end does not.
func (c *Count) Counts(session int64) bool { return c != nil && c.owner != session }

func (c *Count) report() {
	c.reported, c.news = c.board.now(), false
	for _, t := range c.to {
		if !t.stopped {
			t.report(c.Tally)
		}
	}
}

// A Member is a session's part in counts. It may be copied only before it is used.
type Member struct {
	count *Count // that it counts for, or nil
	held  int    // messages to it that are held back
}

// Asks counts a request of n bytes for what the session counts for, if there is
// such, and returns that. Done is due when the request was carried out.
func (m *Member) Asks(n int) *Count {
	c := m.count
	if c == nil {
		return nil
	}
	if c.over {
		m.count = nil
		return nil
	}
	c.Requests++
	c.BytesIn += int64(n)
	c.news = true
	c.last = c.board.now()
	c.owed++
	return c
}

// Hold says that a message to the session is held back, and reports whether it is
// the first.
func (m *Member) Hold() bool {
	if m.held++; m.held > 1 {
		return false
	}
	m.count.holds(+1)
	return true
}

// Release says that a message is no longer held, and reports whether it was the
// last.
func (m *Member) Release() bool {
	if m.held--; m.held > 0 {
		return false
	}
	m.count.holds(-1)
	return true
}

// Sent counts a message of n bytes to a session, 0 if it could not be sent. With
// the notification, the session counts from now on.
func (c *Count) Sent(to *Member, n int, notification bool) {
	if c == nil || n == 0 {
		return
	}
	c.BytesOut += int64(n)
	c.news = true
	c.last = c.board.now()
	if notification {
		to.Leave()
		to.count = c
		c.sessions++
		if to.held > 0 {
			c.holding++
		}
	}
}

// Owe says that a message is held that will count.
func (c *Count) Owe() {
	if c != nil {
		c.owed++
	}
}

// Done takes one off what is owed.
func (c *Count) Done() {
	if c != nil {
		c.owed--
		c.follow()
	}
}

// holds says that one of the sessions has something held now, or no more.
func (c *Count) holds(d int) {
	if c != nil {
		c.holding += d
		c.last = c.board.now()
		c.follow()
	}
}

// Leave ends a session's part in what it counts for.
func (m *Member) Leave() {
	c := m.count
	if c == nil {
		return
	}
	m.count = nil
	c.sessions--
	if m.held > 0 {
		c.holding--
	}
	c.follow()
}

// follow reports what is to be reported, and sees to it that it is called
// again when there may be more.
func (c *Count) follow() {
	if c.over {
		return
	}
	now := c.board.now()
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

func (c *Count) again(at, now time.Duration) {
	if c.stop != nil && c.alarmAt <= at {
		return
	}
	if c.stop != nil {
		c.stop()
	}
	c.alarmAt = at
	c.stop = c.board.after(at-now, func() {
		c.stop = nil
		c.follow()
	})
}

func (c *Count) end() {
	c.over = true
	if c.stop != nil {
		c.stop()
	}
	delete(c.board.counts, c)
}
