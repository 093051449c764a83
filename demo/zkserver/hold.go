package zkserver

import (
	"fmt"
	"slices"
	"time"

	"electop/zkwatch/wire"
)

// A Hold keeps back what the server has to tell a session: its replies and
// watch events, in order, but never a ping's or a handshake's answer, so that
// the client goes on believing in its connection. Requests are carried out as
// ever; only the word of it is late. [Server.Hold] begins one.
//
// Messages leave in their order, by Release, by Delay or all at the end. Those
// of a connection that ends are lost with it, as they would be in a network. As
// long as a message is held the session's deadline does not come nearer. What
// is held is bounded: at 4 MiB the client is cut off, like one that does not
// read.
//
// A Hold ends by End, or when its session is over and nothing is held any more.
// All methods may be called concurrently, and on one that has ended.
type Hold struct {
	s *Server

	// Guarded by s.mu.
	sess     *session
	messages []heldMessage
	size     int
	count    int
	delay    time.Duration // negative: none
	alarm    *alarm        // for the first message
	changed  chan struct{}
	ended    bool
}

// Held describes a message that a [Hold] keeps back.
type Held struct {
	N     int       // counts the messages of this Hold up from 1
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

type heldMessage struct {
	Held
	c     *conn
	frame []byte
	at    time.Duration // like Since
}

// heldOverhead is what a held message costs besides its frame, in bytes.
const heldOverhead = 200

// Hold begins to hold a session's replies and events. A session has one Hold at
// a time.
func (s *Server) Hold(id int64) (*Hold, error) {
	var h *Hold
	err := s.faulty("hold the messages of", id, func(sess *session) error {
		if sess.hold != nil {
			return fmt.Errorf("zkserver: hold the messages of session %#x: they are held already", uint64(id))
		}
		h = &Hold{s: s, sess: sess, delay: -1, changed: make(chan struct{}, 1)}
		sess.hold = h
		s.holds[h] = struct{}{}
		return nil
	})
	return h, err
}

// Held returns the messages that are held, the first to leave first.
func (h *Hold) Held() []Held {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	out := make([]Held, len(h.messages))
	for i := range h.messages {
		out[i] = h.messages[i].Held
	}
	return out
}

// Changed returns a channel that has a value after Held has changed, one for
// any number of changes, and is closed when the Hold ends.
func (h *Hold) Changed() <-chan struct{} { return h.changed }

// Release lets the first n messages go, or all if there are fewer, and returns
// how many.
func (h *Hold) Release(n int) int {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return h.release(n)
}

// Delay releases each message once it was held for d, those that are held
// already included. With a negative d, as at first, only Release does.
func (h *Hold) Delay(d time.Duration) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if h.ended {
		return
	}
	h.delay = d
	h.due()
}

// End releases everything and holds nothing more.
func (h *Hold) End() {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	h.end(true)
}

// add takes a message in place of the connection's output.
func (h *Hold) add(c *conn, r wire.ReplyHeader, body wire.Appender) {
	if h.size > maxQueued {
		c.mu.Lock()
		if !c.broken {
			c.cutOff()
		}
		c.mu.Unlock()
		c.dropHeld()
		return
	}
	h.count++
	m := heldMessage{Held: h.describe(c, r, body), c: c, frame: appendReply(nil, r, body), at: h.s.elapsed()}
	h.messages = append(h.messages, m)
	h.size += len(m.frame) + heldOverhead
	c.held++
	if !h.over() && !h.sess.paused {
		h.sess.paused, h.sess.pausedAt = true, h.s.elapsed()
	}
	if len(h.messages) == 1 {
		h.due()
	}
	h.signal()
}

func (h *Hold) describe(c *conn, r wire.ReplyHeader, body wire.Appender) Held {
	m := Held{N: h.count, Since: h.s.clock.Now(), Xid: r.Xid, Err: r.Err}
	switch b := body.(type) {
	case *wire.WatcherEvent:
		if r.Xid == wire.XidWatch {
			m.Op, m.Path, m.Event = wire.OpNotification, b.Path, b.Type
			return m
		}
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

func (h *Hold) release(n int) int {
	n = max(0, min(n, len(h.messages)))
	if n == 0 {
		return 0
	}
	for _, m := range h.messages[:n] {
		m.c.sendFrame(m.frame)
		h.dropped(m)
	}
	h.messages = slices.Delete(h.messages, 0, n)
	h.settle()
	return n
}

// dropHeld forgets the messages of a connection that ends.
func (c *conn) dropHeld() {
	if c.held == 0 {
		return
	}
	h := c.sess.hold
	h.messages = slices.DeleteFunc(h.messages, func(m heldMessage) bool {
		if m.c == c {
			h.dropped(m)
		}
		return m.c == c
	})
	h.settle()
}

func (h *Hold) dropped(m heldMessage) {
	h.size -= len(m.frame) + heldOverhead
	if m.c.held--; m.c.held == 0 {
		m.c.wakeUp()
	}
}

// settle follows up on messages having gone.
func (h *Hold) settle() {
	if len(h.messages) == 0 {
		h.resumeDeadline()
		if h.over() {
			h.end(false)
			return
		}
	}
	h.due()
	h.signal()
}

// over reports whether the session is no more.
func (h *Hold) over() bool { return h.s.sessions.byID[h.sess.id] != h.sess }

func (h *Hold) resumeDeadline() {
	sess := h.sess
	if !sess.paused || h.over() {
		return
	}
	sess.deadline += h.s.elapsed() - sess.pausedAt
	sess.paused = false
	h.s.schedule(sess)
}

// due releases what has been held for long enough and sees to the rest.
func (h *Hold) due() {
	h.alarm.stop()
	h.alarm = nil
	if h.delay < 0 {
		return
	}
	now, n := h.s.elapsed(), 0
	for n < len(h.messages) && now-h.messages[n].at >= h.delay {
		n++
	}
	if n > 0 {
		h.release(n) // which comes back here
	} else if len(h.messages) > 0 {
		h.alarm = h.s.after(h.delay-(now-h.messages[0].at), h.due)
	}
}

func (h *Hold) signal() {
	select {
	case h.changed <- struct{}{}:
	default: // there is one that nobody has taken yet
	}
}

// end ends the hold and releases the messages, or forgets them.
func (h *Hold) end(deliver bool) {
	if h.ended {
		return
	}
	h.ended = true
	h.alarm.stop()
	for _, m := range h.messages {
		if deliver {
			m.c.sendFrame(m.frame)
		}
		h.dropped(m)
	}
	h.messages = nil
	h.resumeDeadline()
	h.sess.hold = nil
	delete(h.s.holds, h)
	close(h.changed)
}
