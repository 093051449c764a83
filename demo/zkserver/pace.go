package zkserver

import "time"

// Pace is how slowly a server speaks. Of all sessions, except those of
// [Server.DialBackstage] and those with a [Hold] of their own, each reply and
// watch event is held back for Delay or, with Steps, until [Server.Step] lets it
// go. Pings and handshakes never are, so slowness lets no session expire, and
// nor are transactions of one check, so it ends no leader's lease: their replies
// overtake what is held, for clients that match replies by xid. No [Tally] counts
// those either: a leader sends them all the time.
//
// Requests are carried out as ever; only the word of it is late. The message
// that was made first leaves first, over all sessions. What the Hold says of
// connections that end, of deadlines and of bounds goes for the Pace too.
//
// So does it for the reply to a client that closes its session: the session is
// over, but its connection stays until the reply was let go or the client has
// left without it. go-zookeeper's Close waits for that reply for a second, and
// the connection is given up after two thirds of the session timeout at most.
type Pace struct {
	Delay time.Duration // PaceMax at most
	Steps bool          // Delay does not matter then
}

// PaceMax is the longest Delay.
const PaceMax = 1500 * time.Millisecond

// Paced is a message that the pace of a server keeps back.
type Paced struct {
	Session int64
	Held
}

func (m *heldMessage) paced() Paced { return Paced{Session: m.c.sess.id, Held: m.Held} }

// SetPace changes the pace from now on, also for what is held already: a new
// Delay counts from when a message was made. The zero Pace lets everything go.
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
	if s.paced.delay = p.Delay; p.Steps {
		s.paced.delay = -1
	}
	s.paced.due() // which lets everything go without a delay
	s.paced.signal()
}

// Step lets the message go that was held for the longest, and reports whether
// there was one.
func (s *Server) Step() (Paced, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.paced.first()
	if m == nil {
		return Paced{}, false
	}
	s.paced.release(1)
	return m.paced(), true
}

// Paced returns the pace, the first messages that it keeps back, n at most, the
// next to go first, and how many there are.
func (s *Server) Paced(n int) (p Pace, held []Paced, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting = s.paced.messages.Len()
	if n = min(n, waiting); n > 0 {
		held = make([]Paced, 0, n)
	}
	for e := s.paced.messages.Front(); len(held) < n; e = e.Next() {
		held = append(held, e.Value.(*heldMessage).paced())
	}
	return s.pace, held, waiting
}

// PaceChanged returns a channel that has a value after anything has changed of
// what [Server.Paced] tells, one for any number of changes. It is the same for
// all callers, and is never closed.
func (s *Server) PaceChanged() <-chan struct{} { return s.paced.changed }
