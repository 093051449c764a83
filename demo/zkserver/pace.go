package zkserver

import (
	"slices"
	"time"

	"electop/demo/zkserver/clock"
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

// Passed is a message that the [Pace] no longer holds.
type Passed struct {
	Paced
	Left time.Time
	// Lost says that its connection ended first: it was never sent.
	Lost bool
}

// passedMax bounds the messages that are remembered after they left.
const passedMax = 256

// A backlog holds the messages that the Pace delays, in the order in which they
// were made. The delay is the same for all, so the first that was made is
// always the first to leave, and the order of each session is kept. Guarded by
// s.mu.
type backlog struct {
	s        *Server
	messages []*heldMessage
	count    int           // of all that there ever were
	delay    time.Duration // negative: none
	alarm    *clock.Alarm  // for the first message
	changed  chan struct{}

	passed   []Passed // since [Server.TakeBacklog]
	unlisted int      // that passed before those
}

type heldMessage struct {
	Paced
	c     *conn
	frame []byte
	count *tally.Count // that it counts for, if any
}

// heldOverhead is what a held message costs besides its frame, in bytes.
const heldOverhead = 300

func (m *heldMessage) size() int { return len(m.frame) + heldOverhead }

// paced reports whether messages to c are held.
func (c *conn) paced() bool { return c.sess != nil && !c.backstage && c.s.pace != (Pace{}) }

// add takes a message in place of the connection's output.
func (b *backlog) add(c *conn, r wire.ReplyHeader, body wire.Appender, w *tally.Count) {
	if c.heldSize > output.MaxQueued {
		c.out.GiveUp()
		b.drop(c)
		return
	}
	m := &heldMessage{Paced: describe(c, r, body), c: c, frame: output.AppendReply(nil, r, body), count: w}
	b.count++
	m.N, m.Since = b.count, time.Now()
	w.Owe()
	b.messages = append(b.messages, m)
	c.heldSize += m.size()
	if sess := c.sess; sess.Client.Hold() && b.s.db.Sessions.Has(sess) {
		b.s.db.Sessions.Pause(sess, b.s.clock.Elapsed())
	}
	b.signal()
	if len(b.messages) == 1 {
		b.due()
	}
}

// left notes that a message is no longer in the backlog.
func (m *heldMessage) left() {
	c, s := m.c, m.c.s
	if c.heldSize -= m.size(); c.heldSize == 0 {
		c.released.Broadcast()
	}
	if c.sess.Client.Release() && s.db.Sessions.Has(c.sess) && s.db.Sessions.Resume(c.sess, s.clock.Elapsed()) {
		s.armExpiry()
	}
}

// release sends the first n messages.
func (b *backlog) release(n int) {
	for _, m := range b.messages[:n] {
		b.pass(m, false)
		m.left()
		m.count.Sent(&m.c.sess.Client.Member, m.c.out.SendFrame(m.frame), m.Event != 0 && b.s.db.Sessions.Has(m.c.sess))
		m.count.Done()
	}
	b.messages = slices.Delete(b.messages, 0, n)
	b.due()
	b.signal()
}

// pass notes that a message leaves, or is lost.
func (b *backlog) pass(m *heldMessage, lost bool) {
	if len(b.passed) == passedMax {
		b.passed = slices.Delete(b.passed, 0, 1)
		b.unlisted++
	}
	b.passed = append(b.passed, Passed{Paced: m.Paced, Left: time.Now(), Lost: lost})
}

// drop forgets the messages of a connection that ends.
func (b *backlog) drop(c *conn) {
	if c.heldSize == 0 {
		return
	}
	b.messages = slices.DeleteFunc(b.messages, func(m *heldMessage) bool {
		if m.c == c {
			b.pass(m, true)
			m.left()
			m.count.Done()
		}
		return m.c == c
	})
	b.due()
	b.signal()
}

// due releases what has been held for long enough, and sets the alarm for the rest.
func (b *backlog) due() {
	b.alarm.Stop()
	b.alarm = nil
	if b.delay < 0 {
		return
	}
	n := 0
	for n < len(b.messages) && time.Since(b.messages[n].Since) >= b.delay {
		n++
	}
	if n > 0 {
		b.release(n) // which comes back here
	} else if len(b.messages) > 0 {
		b.alarm = b.s.clock.After(b.delay-time.Since(b.messages[0].Since), b.due)
	}
}

func (b *backlog) signal() {
	select {
	case b.changed <- struct{}{}:
	default: // nobody has taken the last one yet
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
