package zkserver

import (
	"slices"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

const (
	// quiet is for how long sessions are quiet before a Tally is settled:
	// longer than a client on a busy machine thinks between two steps.
	quiet = 300 * time.Millisecond
	// every is the least time between two reports of a deletion.
	every = 20 * time.Millisecond
)

// A count is a Tally in the making: what a deletion causes in the sessions that
// were notified of it. A session counts for one deletion at most, the last one
// whose notification it was sent. s.mu guards it. The methods may be called on nil.
type count struct {
	Tally
	s        *Server
	to       []*asker
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

// tally begins to count for a deletion, if somebody asked for that, and reports it. It
// returns nil if nothing can follow. Otherwise done is due when all notifications were
// made.
func (s *Server) tally(path string, gone *tree.Effect, zxid int64) *count {
	to := s.tallies.asked[gone.Parent]
	if to == nil {
		return nil
	}
	c := &count{s: s, to: to, owed: 1, owner: gone.Owner, last: s.elapsed()}
	c.Path, c.Zxid, c.At = path, zxid, time.Now()
	for w := range s.watches.data.paths[path] {
		if !w.backstage && c.counts(w.sess) && w.who.May(gone.ACL, wire.PermRead) {
			c.Notified = append(c.Notified, w.sess.id)
		}
	}
	slices.Sort(c.Notified)
	c.Settled = len(c.Notified) == 0
	c.report()
	if c.Settled {
		return nil
	}
	s.tallies.counts[c] = struct{}{}
	return c
}

// counts reports whether what a session is notified of counts: that of its own
// node's end does not.
func (c *count) counts(sess *session) bool { return c != nil && c.owner != sess.id }

func (c *count) report() {
	c.reported, c.news = c.s.elapsed(), false
	for _, t := range c.to {
		if !t.stopped {
			t.report(c.Tally)
		}
	}
}

// asks counts a request of n bytes for what the session counts for, if there is
// such, and returns that. done is due when the request was carried out.
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

// follow reports what is to be reported, and sees to it that it is called
// again when there may be more.
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
	delete(c.s.tallies.counts, c)
}
