package zkserver

import (
	"electop/demo/zkserver/output"
	"electop/demo/zkserver/tally"
	"electop/zkwatch/wire"
)

// A heldMessage is in the backlog. Guarded by s.mu.
type heldMessage struct {
	c     *conn
	frame []byte
	event bool
	count *tally.Count // that it counts for, if any
}

// heldOverhead is what a held message costs besides its frame, in bytes.
const heldOverhead = 300

func (m heldMessage) size() int { return len(m.frame) + heldOverhead }

// paced reports whether messages to c are held.
func (c *conn) paced() bool { return c.sess != nil && !c.backstage && c.s.pace != (Pace{}) }

// hold puts a message into the backlog, in place of the connection's output.
func (c *conn) hold(r wire.ReplyHeader, body wire.Appender, w *tally.Count) {
	if c.heldSize > output.MaxQueued {
		c.out.GiveUp()
		c.dropHeld()
		return
	}
	about := describe(c.asked, r, body)
	about.Session = c.sess.ID
	m := heldMessage{c: c, frame: output.AppendReply(nil, r, body), event: about.Event != 0, count: w}
	w.Owe()
	c.heldSize += m.size()
	c.s.grown.Add(int64(m.size()))
	if s := c.s; c.sess.Client.Hold() && s.db.Sessions.Has(c.sess) {
		s.db.Sessions.Pause(c.sess, s.clock.Elapsed())
	}
	c.s.backlog.Add(m, about)
}

// dropHeld loses the connection's messages in the backlog.
func (c *conn) dropHeld() {
	if c.heldSize > 0 {
		c.s.backlog.Drop(func(m heldMessage) bool { return m.c == c })
	}
}

// Send and Lose implement [backlog.Message].

func (m heldMessage) Send() {
	m.left()
	m.count.Sent(&m.c.sess.Client.Member, m.c.out.SendFrame(m.frame), m.event && m.c.s.db.Sessions.Has(m.c.sess))
	m.count.Done()
}

func (m heldMessage) Lose() {
	m.left()
	m.count.Done()
}

// left notes that a message is no longer in the backlog.
func (m heldMessage) left() {
	c, s := m.c, m.c.s
	if c.heldSize -= m.size(); c.heldSize == 0 {
		c.released.Broadcast()
	}
	if c.sess.Client.Release() && s.db.Sessions.Has(c.sess) && s.db.Sessions.Resume(c.sess, s.clock.Elapsed()) {
		s.armExpiry()
	}
}
