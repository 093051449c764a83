package zkserver

import (
	"container/list"
	"time"

	"electop/demo/zkserver/output"
	"electop/demo/zkserver/tally"
	"electop/zkwatch/wire"
)

// Pace is how slowly a server answers. Each reply and each watch event, except those
// of [Server.DialBackstage], is held for Delay or, with Steps, until [Server.Step]
// releases it. Pings and handshakes are never held, so no session expires.
// Transactions with one check are not held either, so no leader loses its lease:
// their replies overtake held ones, for clients that match replies by xid. A [Tally]
// does not count them, because a leader sends them all the time.
//
// Requests are executed as usual; only the replies are late. Messages leave in the
// order in which they were produced, over all sessions. When a connection ends, its
// held messages are lost, as in a network. While a message is held, the session's
// deadline moves too. Held messages are bounded: at 4 MiB the server closes the
// connection, as for a client that does not read.
//
// The reply to a client that closes its session is held too: the session has ended,
// but its connection stays until the reply is released or the client disconnects.
// go-zookeeper's Close waits one second for that reply, and gives up the connection
// after at most two thirds of the session timeout.
type Pace struct {
	Delay time.Duration // PaceMax at most
	Steps bool          // Delay does not matter then
}

// PaceMax is the longest Delay.
const PaceMax = 1500 * time.Millisecond

// Paced describes a message that the [Pace] holds.
type Paced struct {
	Session int64
	N       int       // counts the messages, up from 1
	Since   time.Time // when it was made
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

// A backlog keeps the messages back that the Pace delays, in the order in which
// they were made. The delay is the same for all, so the first that was made is
// always the first to leave, and the order of each session is kept. Guarded by
// s.mu.
type backlog struct {
	s        *Server
	messages list.List     // of *heldMessage
	count    int           // of all that there ever were
	delay    time.Duration // negative: none
	alarm    *alarm        // for the first message
	changed  chan struct{}
}

type heldMessage struct {
	Paced
	c     *conn
	frame []byte
	at    time.Duration // like Since
	count *tally.Count  // that it counts for, if any
}

// heldOverhead is what a held message costs besides its frame, in bytes.
const heldOverhead = 300

func (m *heldMessage) size() int { return len(m.frame) + heldOverhead }

// paced reports whether what c is to be told is held back.
func (c *conn) paced() bool { return c.sess != nil && !c.backstage && c.s.pace != (Pace{}) }

// add takes a message in place of the connection's output.
func (b *backlog) add(c *conn, r wire.ReplyHeader, body wire.Appender, w *tally.Count) {
	if c.heldSize > output.MaxQueued {
		c.out.GiveUp()
		c.dropHeld()
		return
	}
	m := &heldMessage{Paced: describe(c, r, body), c: c, frame: output.AppendReply(nil, r, body), count: w}
	m.Since = time.Now()
	m.at = m.Since.Sub(b.s.start)
	w.Owe()
	b.push(m)
}

func (b *backlog) push(m *heldMessage) {
	b.count++
	m.N = b.count
	c, sess := m.c, m.c.sess
	c.held = append(c.held, b.messages.PushBack(m))
	c.heldSize += m.size()
	if sess.Client.Hold() && b.s.sessions.Has(sess) {
		b.s.sessions.Pause(sess, b.s.elapsed())
	}
	b.signal()
	if b.messages.Len() == 1 {
		b.due()
	}
}

// takeHeld takes the connection's first message out of its backlog.
func (c *conn) takeHeld() *heldMessage {
	m := c.held[0].Value.(*heldMessage)
	c.s.paced.messages.Remove(c.held[0])
	c.held[0] = nil
	c.held = c.held[1:]
	c.heldSize -= m.size()
	if len(c.held) == 0 {
		c.held = nil
		c.released.Broadcast()
	}
	if c.sess.Client.Release() && c.s.sessions.Has(c.sess) && c.s.sessions.Resume(c.sess, c.s.elapsed()) {
		c.s.armExpiry()
	}
	return m
}

func (m *heldMessage) deliver() {
	m.count.Sent(&m.c.sess.Client.Member, m.c.out.SendFrame(m.frame), m.Event != 0 && m.c.s.sessions.Has(m.c.sess))
	m.count.Done()
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
	for len(c.held) > 0 {
		c.takeHeld().count.Done()
	}
	c.s.paced.settle()
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
			m.count.Done()
		}
	}
}

// settle follows up on messages having gone.
func (b *backlog) settle() {
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

// describe says what a message is, except for its number and time.
func describe(c *conn, r wire.ReplyHeader, body wire.Appender) Paced {
	m := Paced{Session: c.sess.ID, Xid: r.Xid, Err: r.Err}
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
