package zkserver

import (
	"slices"
	"time"

	"electop/zkwatch/wire"
)

// Pace slows a server down. Replies and watch events are held for Delay or, with Steps, until
// [Server.Step] releases them. Requests are executed immediately. The held messages of all
// sessions leave in the order in which they were made.
//
// Some messages are never held: replies to handshakes and pings, events for an ended session,
// and all messages to a client of [Server.DialObserver]. The reply to a multi with only a check
// is not held either, because a leader renews its lease with such a multi. These messages
// overtake held messages, so clients must match replies by xid.
//
// While a message to a session is held, the session does not expire. When a connection
// ends, its held messages are lost. If more than 4 MiB are held for a connection when a further
// message follows, the server closes the connection.
//
// The reply to closeSession is held too: the session ends immediately, but its connection stays open while the
// reply is held.
type Pace struct {
	Delay time.Duration // SetPace limits it to PaceMax
	Steps bool          // if set, Delay is ignored
}

// PaceMax is the longest Delay.
const PaceMax = 1500 * time.Millisecond

// Paced describes a message that the [Pace] holds or held.
type Paced struct {
	Session int64
	N       int       // number of the message among all held messages so far, from 1
	Since   time.Time // when the message was made
	// Op is the operation of a reply, or [wire.OpNotification] for a watch event.
	Op wire.Op
	// Path is the path of the event, the request or the created znode; empty if there is none.
	Path  string
	Event int32 // type of a watch event, for example [wire.EventNodeDeleted]
	Xid   int32
	Err   wire.Code // error of a reply
}

// Passed is a message that the [Pace] no longer holds.
type Passed struct {
	Paced
	Left time.Time // when the message was sent or lost
	// Lost reports that the connection ended before the message was sent.
	Lost bool
}

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

const passedMax = 256

// heldMessage is guarded by Server.mu.
type heldMessage struct {
	Paced
	c     *conn
	frame []byte
	count *count // nil: no Tally counts the message
}

// backlog is guarded by Server.mu.
type backlog struct {
	s       *Server
	delay   time.Duration // negative: hold until a step
	held    []*heldMessage
	lastN   int
	alarm   *alarm // fires when the first message is due
	changed chan struct{}

	passed   []Passed // the latest messages that left since the last call of [Server.TakeBacklog]
	unlisted int      // number of messages removed from passed since that call
}

const heldOverhead = 300 // bytes of a held message without its frame

func (m *heldMessage) size() int { return len(m.frame) + heldOverhead }

func (c *conn) paced() bool { return c.sess != nil && !c.observer && c.s.pace != (Pace{}) }

func (c *conn) hold(r wire.ReplyHeader, body wire.Record, w *count) {
	if c.heldSize > maxQueued {
		c.out.giveUp()
		c.dropHeld()
		return
	}
	s := c.s
	b := &s.backlog
	b.lastN++
	m := &heldMessage{Paced: describe(c.request, r, body), c: c, frame: wire.AppendFrame(nil, &r, body)[4:], count: w}
	m.Session, m.N, m.Since = c.sess.id, b.lastN, time.Now()
	if w != nil {
		w.owed++
	}
	c.heldSize += m.size()
	s.grown.Add(int64(m.size()))
	s.hold(c.sess)
	b.held = append(b.held, m)
	b.signal()
	if len(b.held) == 1 {
		b.releaseDue()
	}
}

func (c *conn) dropHeld() {
	if c.heldSize > 0 {
		c.s.backlog.drop(func(m *heldMessage) bool { return m.c == c })
	}
}

func (b *backlog) drop(which func(*heldMessage) bool) {
	b.held = slices.DeleteFunc(b.held, func(m *heldMessage) bool {
		lost := which(m)
		if lost {
			b.pass(m, true)
		}
		return lost
	})
	b.releaseDue()
	b.signal()
}

func (b *backlog) release(n int) {
	for _, m := range b.held[:n] {
		b.pass(m, false)
	}
	b.held = slices.Delete(b.held, 0, n)
	b.releaseDue()
	b.signal()
}

func (b *backlog) pass(m *heldMessage, lost bool) {
	if len(b.passed) == passedMax {
		b.passed = slices.Delete(b.passed, 0, 1)
		b.unlisted++
	}
	c, s := m.c, m.c.s
	if c.heldSize -= m.size(); c.heldSize == 0 {
		c.released.Broadcast()
	}
	s.release(c.sess)
	if !lost {
		n := c.write(echo(m.frame))
		m.count.sent(c.sess, n, m.Event != 0)
		lost = n == 0 // the connection's output has failed
	}
	b.passed = append(b.passed, Passed{Paced: m.Paced, Left: time.Now(), Lost: lost})
	m.count.done()
}

func (b *backlog) releaseDue() {
	b.alarm.stop()
	if b.delay < 0 {
		return
	}
	n, now := 0, time.Now()
	for n < len(b.held) && now.Sub(b.held[n].Since) >= b.delay {
		n++
	}
	if n > 0 {
		b.release(n) // calls releaseDue again
	} else if len(b.held) > 0 {
		b.alarm = b.s.after(b.delay-now.Sub(b.held[0].Since), b.releaseDue)
	}
}

func (b *backlog) signal() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// SetPace changes the pace, also for held messages. The zero Pace releases all messages.
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
	s.backlog.releaseDue()
	s.backlog.signal()
}

// Step releases and returns the oldest held message. ok is false if no message is held.
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

// Pace returns the current pace.
func (s *Server) Pace() Pace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pace
}

// Backlog is the result of [Server.TakeBacklog].
type Backlog struct {
	Pace    Pace
	Held    []Paced // the first held messages, in the order of their release
	Waiting int     // number of all held messages
	// Passed has the latest messages that left since the previous TakeBacklog, oldest first.
	// Unlisted is the number of messages that left since then, but before those of Passed.
	Passed   []Passed
	Unlisted int
}

// TakeBacklog returns the first n held messages, and the latest messages that left since the
// previous call. A message that left is returned at most once, so only one goroutine may call TakeBacklog.
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

// PaceChanged returns a channel that has one value after one or more changes of the pace or
// the backlog. All callers share the channel, which is never closed.
func (s *Server) PaceChanged() <-chan struct{} { return s.backlog.changed }
