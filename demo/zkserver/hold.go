package zkserver

import (
	"fmt"
	"time"
)

// A Hold keeps back what the server has to tell a session: its replies and
// watch events, in order, but never the answer to a ping, to a handshake or to a
// transaction of one check, so that the client still believes in its connection
// and in its lease. Requests are carried out as
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
	// Guarded by s.mu.
	backlog
	sess  *session
	ended bool
}

// Hold begins to hold a session's replies and events. A session has one Hold at
// a time. What the [Pace] keeps back of the session is the Hold's from now on.
func (s *Server) Hold(id int64) (*Hold, error) {
	var h *Hold
	err := s.faulty("hold the messages of", id, func(sess *session) error {
		if sess.hold != nil {
			return fmt.Errorf("zkserver: hold the messages of session %#x: they are held already", uint64(id))
		}
		h = &Hold{sess: sess, backlog: backlog{s: s, delay: -1, changed: make(chan struct{}, 1)}}
		h.hold = h
		sess.hold = h
		s.holds[h] = struct{}{}
		s.paced.moveTo(h)
		return nil
	})
	return h, err
}

// moveTo hands the messages of a Hold's session over to it.
func (b *backlog) moveTo(h *Hold) {
	if h.sess.held == 0 {
		return
	}
	for e := b.messages.Front(); e != nil; {
		m := e.Value.(*heldMessage)
		if e = e.Next(); m.c.sess == h.sess {
			m.c.takeHeld()
			h.push(m)
		}
	}
	b.settle()
}

// Held returns the messages that are held, the first to leave first.
func (h *Hold) Held() []Held {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	out := make([]Held, 0, h.messages.Len())
	for e := h.messages.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(*heldMessage).Held)
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

// end ends the hold and releases the messages, or forgets them.
func (h *Hold) end(deliver bool) {
	if h.ended {
		return
	}
	h.ended = true
	h.empty(deliver)
	h.sess.hold = nil
	delete(h.s.holds, h)
	close(h.changed)
}
