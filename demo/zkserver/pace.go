package zkserver

import (
	"slices"
	"time"

	"electop/zkwatch/wire"
)

// Pace slows a server down. Each reply and each watch event, except those of
// [Server.DialObserver], is held for Delay or, with Steps, until [Server.Step]
// releases it. Pings and handshakes are never held, so no session expires.
// Transactions with one check are not held either, so no leader loses its lease: their
// replies overtake held replies, so clients must match replies by xid. A [Tally] does not
// count them, because a leader sends them all the time.
//
// Requests are executed as usual; only the replies are late. Held messages leave in the
// order in which they were made, over all sessions. When a connection ends, its held
// messages are lost, as in a network. While a message is held, the session's deadline
// moves with time. Held messages are bounded: at 4 MiB the server closes the connection,
// as for a client that does not read.
//
// The reply to a client that closes its session is held too: the session has ended,
// but its connection stays until the reply is released or the client disconnects.
// go-zookeeper's Close waits one second for that reply, and gives up the connection
// after at most two thirds of the session timeout.
type Pace struct {
	Delay time.Duration // at most PaceMax
	Steps bool          // if set, Delay is ignored
}

// PaceMax is the longest Delay.
const PaceMax = 1500 * time.Millisecond

// Paced describes a message that the [Pace] holds.
type Paced struct {
	Session int64
	N       int       // number of the message, from 1
	Since   time.Time // time at which the message was made
	// Op is the operation of a reply, [wire.OpNotification] for a watch event.
	Op wire.Op
	// Path is the path of the event or the request, for a create the path of the new
	// znode. It is empty if there is none or, as in a multi, more than one.
	Path  string
	Event int32     // type of a watch event, for example [wire.EventNodeDeleted]
	Xid   int32     // xid of the message
	Err   wire.Code // error of a reply
}

// Passed is a message that the [Pace] no longer holds.
type Passed struct {
	Paced
	Left time.Time // time at which the message was sent or lost
	// Lost reports that the connection ended before the message was sent.
	Lost bool
}

// describe describes a message, without its session, number and time. request is the
// request being executed.
func describe(request []byte, r wire.ReplyHeader, body wire.Record) Paced {
	m := Paced{Xid: r.Xid, Err: r.Err}
	switch b := body.(type) {
	case *wire.WatcherEvent:
		m.Op, m.Path, m.Event = wire.OpNotification, b.Path, b.Type
		return m
	case *wire.PathResponse:
		m.Path = b.Path
	case *wire.CreateResponse:
		m.Path = b.Path
	}
	d := wire.NewDecoder(request)
	var h wire.RequestHeader
	h.Fields(d)
	m.Op = h.Op
	if m.Path == "" && beginsWithPath(m.Op) {
		d.String(&m.Path)
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

// passedMax bounds the messages in Backlog.Passed.
const passedMax = 256

// A heldMessage is a message in the backlog. s.mu guards it.
type heldMessage struct {
	Paced
	c     *conn
	frame []byte
	count *count // the tally that it counts for; nil: none
}

// A backlog holds the messages of a server in slow motion until they are due or
// released, in the order in which they were made, over all connections. The delay is the
// same for all messages, so they leave in this order. s.mu guards the backlog.
type backlog struct {
	s       *Server
	delay   time.Duration // negative: hold until a step
	held    []*heldMessage
	count   int           // number of held messages so far
	alarm   *alarm        // fires when the first message is due
	changed chan struct{} // has a value after a change

	passed   []Passed // messages that left since the last call of [Server.TakeBacklog]
	unlisted int      // number of messages that left before those in passed
}

// heldOverhead is the memory of a held message besides its frame, in bytes.
const heldOverhead = 300

func (m *heldMessage) size() int { return len(m.frame) + heldOverhead }

// paced reports whether messages to c are held.
func (c *conn) paced() bool { return c.sess != nil && !c.observer && c.s.pace != (Pace{}) }

// hold puts a message into the backlog, or cuts off a client for which too much is held.
func (c *conn) hold(r wire.ReplyHeader, body wire.Record, w *count) {
	if c.heldSize > maxQueued {
		c.out.giveUp()
		c.dropHeld()
		return
	}
	s := c.s
	b := &s.backlog
	b.count++
	m := &heldMessage{Paced: describe(c.request, r, body), c: c, frame: wire.AppendFrame(nil, &r, body)[4:], count: w}
	m.Session, m.N, m.Since = c.sess.id, b.count, time.Now()
	w.owe()
	c.heldSize += m.size()
	s.grown.Add(int64(m.size()))
	s.hold(c.sess)
	b.held = append(b.held, m)
	b.signal()
	if len(b.held) == 1 {
		b.due()
	}
}

// dropHeld drops the connection's messages in the backlog.
func (c *conn) dropHeld() {
	if c.heldSize > 0 {
		c.s.backlog.drop(func(m *heldMessage) bool { return m.c == c })
	}
}

// drop drops the held messages for which which is true.
func (b *backlog) drop(which func(*heldMessage) bool) {
	b.held = slices.DeleteFunc(b.held, func(m *heldMessage) bool {
		lost := which(m)
		if lost {
			b.pass(m, true)
		}
		return lost
	})
	b.due()
	b.signal()
}

// release sends the first n messages.
func (b *backlog) release(n int) {
	for _, m := range b.held[:n] {
		b.pass(m, false)
	}
	b.held = slices.Delete(b.held, 0, n)
	b.due()
	b.signal()
}

// pass sends a message, or drops it if it is lost.
func (b *backlog) pass(m *heldMessage, lost bool) {
	if len(b.passed) == passedMax {
		b.passed = slices.Delete(b.passed, 0, 1)
		b.unlisted++
	}
	b.passed = append(b.passed, Passed{Paced: m.Paced, Left: time.Now(), Lost: lost})
	c, s := m.c, m.c.s
	if c.heldSize -= m.size(); c.heldSize == 0 {
		c.released.Broadcast()
	}
	s.release(c.sess)
	if !lost {
		m.count.sent(c.sess, c.write(echo(m.frame)), m.Event != 0)
	}
	m.count.done()
}

// due releases the messages that are due, and sets the alarm for the next one.
func (b *backlog) due() {
	b.alarm.stop()
	if b.delay < 0 {
		return
	}
	n, now := 0, time.Now()
	for n < len(b.held) && now.Sub(b.held[n].Since) >= b.delay {
		n++
	}
	if n > 0 {
		b.release(n) // calls due again
	} else if len(b.held) > 0 {
		b.alarm = b.s.after(b.delay-now.Sub(b.held[0].Since), b.due)
	}
}

func (b *backlog) signal() {
	select {
	case b.changed <- struct{}{}:
	default: // the channel already has a value
	}
}

// SetPace changes the pace, also for held messages: a new Delay counts from the time at
// which a message was made. The zero Pace releases all messages.
func (s *Server) SetPace(p Pace) {
	p.Delay = max(0, min(p.Delay, PaceMax))
	if p.Steps {
		p.Delay = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || p == s.pace {
		return
	}
	s.pace = p
	s.backlog.delay = p.Delay
	if p.Steps {
		s.backlog.delay = -1
	}
	s.backlog.due()
	s.backlog.signal()
}

// Step releases the oldest held message, and reports whether there was one.
func (s *Server) Step() (first Paced, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.backlog.held) == 0 {
		return first, false
	}
	first = s.backlog.held[0].Paced
	s.backlog.release(1)
	return first, true
}

// Pace returns the pace.
func (s *Server) Pace() Pace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pace
}

// Backlog lists messages that the [Pace] holds, and messages that it no longer holds.
type Backlog struct {
	Pace    Pace
	Held    []Paced // the first held messages, in the order of their release
	Waiting int     // the number of held messages
	// Passed has the last messages that left since the previous call, in that order.
	// Unlisted is the number of messages that left before these.
	Passed   []Passed
	Unlisted int
}

// TakeBacklog returns the first n held messages, and the messages that are no longer
// held: each is in the Passed of one call, or counted as unlisted. Only one goroutine may
// call it.
func (s *Server) TakeBacklog(n int) Backlog {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := &s.backlog
	out := Backlog{Pace: s.pace, Waiting: len(b.held), Passed: b.passed, Unlisted: b.unlisted}
	for _, m := range b.held[:max(0, min(n, len(b.held)))] {
		out.Held = append(out.Held, m.Paced)
	}
	b.passed, b.unlisted = nil, 0
	return out
}

// PaceChanged returns a channel that has a value after the pace or the backlog has
// changed, one for any number of changes. All callers share the channel, and it is never
// closed.
func (s *Server) PaceChanged() <-chan struct{} { return s.backlog.changed }
