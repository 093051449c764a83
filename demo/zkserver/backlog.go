package zkserver

import (
	"container/list"
	"time"

	"electop/zkwatch/wire"
)

// Held describes a message that is kept back, by a [Hold] or by the [Pace].
type Held struct {
	N     int       // counts the messages of this Hold, or of the Pace, up from 1
	Since time.Time // by the server's clock
	// Op is what the message answers, and for a watch event
	// [wire.OpNotification].
	Op wire.Op
	// Path is the znode that the event or the request is about, for a create
	// the one that was made. It is empty where there is none or, as in a multi,
	// more than one.
	Path  string
	Event int32     // type of a watch event, [wire.EventNodeDeleted] for one
	Xid   int32     // the request's
	Err   wire.Code // a reply's
}

// A backlog keeps messages back in the order in which they were made: those of
// one session for its Hold, those of all others for the Pace. Either has one
// delay for all, so the first that was made is always the first to leave, and
// the order of each session is kept. Guarded by s.mu.
type backlog struct {
	s        *Server
	hold     *Hold         // that it is part of; nil for the Pace
	messages list.List     // of *heldMessage
	count    int           // of all that there ever were
	delay    time.Duration // negative: none
	alarm    *alarm        // for the first message
	changed  chan struct{}
}

type heldMessage struct {
	Held
	in    *backlog
	c     *conn
	frame []byte
	at    time.Duration // like Since
	wake  *wake         // that it counts for, if any
}

// heldOverhead is what a held message costs besides its frame, in bytes.
const heldOverhead = 300

func (m *heldMessage) size() int { return len(m.frame) + heldOverhead }

// holder returns the backlog that takes what c is to be told, or nil.
func (c *conn) holder() *backlog {
	switch sess := c.sess; {
	case sess == nil:
	case sess.hold != nil:
		return &sess.hold.backlog
	case !c.backstage && c.s.pace != Pace{}:
		return &c.s.paced
	}
	return nil
}

// add takes a message in place of the connection's output.
func (b *backlog) add(c *conn, r wire.ReplyHeader, body wire.Appender, w *wake) {
	if c.heldSize > maxQueued {
		c.mu.Lock()
		if !c.broken {
			c.cutOff()
		}
		c.mu.Unlock()
		c.dropHeld()
		return
	}
	m := &heldMessage{Held: describe(c, r, body), c: c, frame: appendReply(nil, r, body), wake: w}
	m.Since = b.s.clock.Now()
	m.at = m.Since.Sub(b.s.start)
	w.owe()
	b.push(m)
}

func (b *backlog) push(m *heldMessage) {
	b.count++
	m.in, m.N = b, b.count
	c, sess := m.c, m.c.sess
	c.held = append(c.held, b.messages.PushBack(m))
	c.heldSize += m.size()
	if sess.held++; sess.held == 1 {
		sess.wake.holds(+1)
		if !b.s.over(sess) {
			sess.paused, sess.pausedAt = true, b.s.elapsed()
		}
	}
	b.signal()
	if b.messages.Len() == 1 {
		b.due() // which may be the end of a Hold
	}
}

// takeHeld takes the connection's first message out of its backlog.
func (c *conn) takeHeld() *heldMessage {
	m := c.held[0].Value.(*heldMessage)
	m.in.messages.Remove(c.held[0])
	c.held[0] = nil
	c.held = c.held[1:]
	c.heldSize -= m.size()
	if len(c.held) == 0 {
		c.held = nil
		c.wakeUp()
	}
	if c.sess.held--; c.sess.held == 0 {
		c.s.resumeDeadline(c.sess)
		c.sess.wake.holds(-1)
	}
	return m
}

func (m *heldMessage) deliver() {
	m.wake.sent(m.c, m.c.sendFrame(m.frame), m.Event != 0)
	m.wake.done()
}

// resumeDeadline lets a session's time run on, of which nothing is held any
// more.
func (s *Server) resumeDeadline(sess *session) {
	if !sess.paused || s.over(sess) {
		return
	}
	sess.deadline += s.elapsed() - sess.pausedAt
	sess.paused = false
	s.schedule(sess)
}

// release lets the first n messages go and returns how many there were.
func (b *backlog) release(n int) int {
	n = max(0, min(n, b.messages.Len()))
	if n == 0 {
		return 0
	}
	for range n {
		b.first().c.takeHeld().deliver()
	}
	b.settle()
	return n
}

// first returns the first message or nil.
func (b *backlog) first() *heldMessage {
	if e := b.messages.Front(); e != nil {
		return e.Value.(*heldMessage)
	}
	return nil
}

// dropHeld forgets the messages of a connection that ends.
func (c *conn) dropHeld() {
	if len(c.held) == 0 {
		return
	}
	b := c.held[0].Value.(*heldMessage).in
	for len(c.held) > 0 {
		c.takeHeld().wake.done()
	}
	b.settle()
}

// empty releases everything, or forgets it.
func (b *backlog) empty(deliver bool) {
	b.alarm.stop()
	b.alarm = nil
	for m := b.first(); m != nil; m = b.first() {
		m.c.takeHeld()
		if deliver {
			m.deliver()
		} else {
			m.wake.done()
		}
	}
}

// settle follows up on messages having gone.
func (b *backlog) settle() {
	if h := b.hold; h != nil && b.messages.Len() == 0 && b.s.over(h.sess) {
		h.end(false)
		return
	}
	b.due()
	b.signal()
}

// due releases what has been held for long enough and sees to the rest.
func (b *backlog) due() {
	b.alarm.stop()
	b.alarm = nil
	if b.delay < 0 {
		return
	}
	now, n := b.s.elapsed(), 0
	for e := b.messages.Front(); e != nil && now-e.Value.(*heldMessage).at >= b.delay; e = e.Next() {
		n++
	}
	if n > 0 {
		b.release(n) // which comes back here
	} else if m := b.first(); m != nil {
		b.alarm = b.s.after(b.delay-(now-m.at), b.due)
	}
}

func (b *backlog) signal() {
	select {
	case b.changed <- struct{}{}:
	default: // there is one that nobody has taken yet
	}
}

// describe says what a message is, but for its number and time.
func describe(c *conn, r wire.ReplyHeader, body wire.Appender) Held {
	m := Held{Xid: r.Xid, Err: r.Err}
	switch b := body.(type) {
	case *wire.WatcherEvent:
		m.Op, m.Path, m.Event = wire.OpNotification, b.Path, b.Type
		return m
	case *wire.PathResponse:
		m.Path = b.Path
	case *wire.CreateResponse:
		m.Path = b.Path
	}
	d := wire.NewDecoder(c.asked)
	var asked wire.RequestHeader
	asked.Decode(d)
	m.Op = asked.Op
	if m.Path == "" && beginsWithPath(m.Op) {
		m.Path = d.String()
	}
	return m
}

// beginsWithPath reports whether a request's first field is a znode's path.
func beginsWithPath(op wire.Op) bool {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpDelete,
		wire.OpExists, wire.OpGetData, wire.OpSetData, wire.OpGetACL, wire.OpSetACL, wire.OpSync, wire.OpCheck,
		wire.OpGetChildren, wire.OpGetChildren2, wire.OpGetAllChildrenNumber, wire.OpAddWatch,
		wire.OpCheckWatches, wire.OpRemoveWatches:
		return true
	}
	return false
}
