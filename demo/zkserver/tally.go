package zkserver

import (
	"slices"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// Tally describes what a znode's deletion caused: which sessions were notified, and how much
// they requested after that.
type Tally struct {
	Path string    // path of the deleted node
	Zxid int64     // all deletions of a transaction have the same zxid
	At   time.Time // time of the deletion
	// Notified has the sessions that the deletion notifies because they watched the data or
	// existence of the node itself, except the node's owner and the observers (DialObserver).
	// All Tallies of a deletion share the slice.
	Notified []int64
	// Requests is the number of requests of these sessions since their notifications,
	// without pings and lease renewals.
	// BytesIn is the size of these requests. BytesOut is the size of the notifications and
	// replies that were queued, even if they were never written. Both include length prefixes.
	Requests          int
	BytesIn, BytesOut int64
	// Settled reports that the numbers are final: each of these sessions has ended, has lost
	// its notification, was notified of a later deletion, or has been idle for 300 ms.
	Settled bool
}

type tallying struct {
	parent string
	report func(Tally)
	counts map[*count]struct{} // the counts that are not final
}

// Tally calls report for each deletion of a child of parent, before any client is notified of it.
// Further reports of the deletion follow when the numbers grow or become final.
//
// report is called under the server's lock. report must not block, and must not call stop or
// a method of the server.
//
// No report follows after stop, [Server.Close] or another call of Tally has returned.
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
	// quiet is the idle time after which a Tally is settled. It must exceed the time that a
	// client needs between two requests.
	quiet = 300 * time.Millisecond
	every = 20 * time.Millisecond // the least time between two reports of a deletion
)

// count makes the Tallies of one deletion. s.mu guards it.
// The methods counts, sent, done and addHolding may be called on nil.
type count struct {
	Tally
	s        *Server
	tallying *tallying
	owner    int64         // session of the deleted node, if it was ephemeral
	sessions int           // number of sessions that have this count
	holding  int           // number of these sessions with a held message
	owed     int           // number of calls of done that must follow
	last     time.Duration // time of the deletion or of the last request, message or addHolding
	reported time.Duration
	grown    bool   // the numbers grew since the last report
	over     bool   // no report follows
	alarm    *alarm // calls update; nil: not set
	alarmAt  time.Duration
}

// tally may return nil. The caller must call done after the notifications.
func (s *Server) tally(path string, gone *tree.Effect, zxid int64) *count {
	if s.tallying == nil || s.tallying.parent != gone.Parent {
		return nil
	}
	c := &count{s: s, tallying: s.tallying, owed: 1, owner: gone.Owner, last: s.elapsed()}
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
	c.tallying.counts[c] = struct{}{}
	return c
}

func (c *count) counts(sess *session) bool { return c != nil && c.owner != sess.id }

func (c *count) report() {
	c.reported, c.grown = c.s.elapsed(), false
	c.tallying.report(c.Tally)
}

// countRequest requires that the caller calls done of the result after the request.
func (s *session) countRequest(n int) *count {
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
	c.grown = true
	c.last = c.s.elapsed()
	c.owed++
	return c
}

func (c *count) sent(to *session, n int, notification bool) {
	if c == nil || n == 0 {
		return
	}
	c.BytesOut += int64(n)
	c.grown = true
	c.last = c.s.elapsed()
	if notification && c.s.lives(to) {
		to.stopCounting()
		to.count = c
		c.sessions++
		if to.held > 0 {
			c.holding++
		}
	}
}

func (c *count) done() {
	if c != nil {
		c.owed--
		c.update()
	}
}

func (c *count) addHolding(d int) {
	if c != nil {
		c.holding += d
		c.last = c.s.elapsed()
		c.update()
	}
}

func (s *session) stopCounting() {
	c := s.count
	if c == nil {
		return
	}
	s.count = nil
	c.sessions--
	if s.held > 0 {
		c.holding--
	}
	c.update()
}

func (c *count) update() {
	if c.over {
		return
	}
	now := c.s.elapsed()
	idle := c.owed == 0 && c.holding == 0
	c.Settled = idle && (c.sessions == 0 || now-c.last >= quiet)
	if (c.grown || c.Settled) && now-c.reported >= every {
		c.report()
		if c.Settled {
			c.end()
			return
		}
	}
	switch {
	case c.grown || c.Settled:
		c.setAlarm(c.reported+every, now)
	case idle:
		c.setAlarm(c.last+quiet, now)
	}
}

func (c *count) setAlarm(at, now time.Duration) {
	if c.alarm != nil && c.alarmAt <= at {
		return
	}
	c.alarm.stop()
	c.alarmAt = at
	c.alarm = c.s.after(at-now, func() {
		c.alarm = nil
		c.update()
	})
}

func (c *count) end() {
	c.over = true
	c.alarm.stop()
	delete(c.tallying.counts, c)
}
