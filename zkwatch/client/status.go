package client

import (
	"context"
	"time"

	"electop/model/session"
)

// State is where a [Conn] is in its life. Expired and Closed are terminal.
type State int

const (
	Connecting   State = iota // no session yet
	Connected                 // the session is alive and a server answers
	Disconnected              // the session may be alive; no server is reached
	Expired                   // the servers have ended the session
	Closed                    // ended on this side; Status.Err says why
)

func (s State) String() string {
	return [...]string{"connecting", "connected", "disconnected", "expired", "closed"}[s]
}

// Terminal tells whether no other state can follow.
func (s State) Terminal() bool { return s == Expired || s == Closed }

// A Status describes a [Conn] at one moment.
type Status struct {
	State     State
	Since     time.Time     // when State was entered
	SessionID uint64        // 0: there has been none yet
	Timeout   time.Duration // of the session, as the server granted it; 0: none yet
	Server    string        // host:port of the server; without a connection, of the one that is tried or is next
	RTT       time.Duration // round trip of the request or ping answered last; 0: none yet

	// Distance is the round-trip time to the server, without the time that the
	// server needs for a request; 0: unknown.
	Distance time.Duration

	// LeaseEnd is the time until which the session cannot expire, as committed
	// writes have proved, see [Conn.Renew]. It is zero before the first of them,
	// and long past if nobody renews it. Leave a margin for clocks that run at
	// different rates.
	LeaseEnd time.Time

	// ExpiresFrom is when the last answered request or ping was sent, plus
	// Timeout: connected servers keep the session until then. It proves no lease:
	// a follower that is cut off from the ensemble also answers.
	// It is zero before the first session.
	ExpiresFrom time.Time

	// Err is why there is no connection: why the last attempt failed, or why the
	// last connection ended. It is nil while Connected.
	Err error

	Change uint64 // counts the changes of State
}

// Status returns the current status.
func (c *Conn) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Anchor returns a time by this machine's clock after which the servers surely heard
// from the session: when the last answered request or ping was sent. It returns
// false if there was no session yet.
func (c *Conn) Anchor() (session.Anchor, bool) {
	c.mu.Lock()
	a := c.anchor
	c.mu.Unlock()
	a.Sent = a.Sent.UTC().Round(0)
	return a, a.Session != 0
}

// Requests returns how many requests were sent, over all connections. Pings and the
// handshake do not count; credentials and watches that are set again do.
func (c *Conn) Requests() uint64 { return c.requests.Load() }

// Done is closed when the Conn reaches a terminal state.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Subscribe returns a channel that receives the current status and then one for
// each change of state or of Err, in order. A slow reader misses no change of
// state, but of several errors in one state it may get only the latest. The channel
// is closed after a terminal status, or when ctx is done; the caller must wait for
// one of them.
func (c *Conn) Subscribe(ctx context.Context) <-chan Status {
	s := &subscription{more: make(chan struct{}, 1)}
	c.mu.Lock()
	s.add(c.status)
	c.subscribers[s] = true
	c.mu.Unlock()

	out := make(chan Status)
	go func() {
		defer close(out)
		defer func() {
			c.mu.Lock()
			delete(c.subscribers, s)
			c.mu.Unlock()
		}()
		for {
			select {
			case <-s.more:
			case <-ctx.Done():
				return
			}
			c.mu.Lock()
			queue := s.queue
			s.queue = nil
			c.mu.Unlock()
			for _, status := range queue {
				select {
				case out <- status:
				case <-ctx.Done():
					return
				}
				if status.State.Terminal() {
					return
				}
			}
		}
	}()
	return out
}

// AwaitConnected waits until the Conn is connected; false when ctx is done or the
// Conn has ended.
func (c *Conn) AwaitConnected(ctx context.Context) bool {
	if c.Status().State == Connected {
		return true
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for st := range c.Subscribe(ctx) {
		if st.State == Connected {
			return true
		}
	}
	return false
}

// publish gives everybody the status. The caller holds c.mu.
func (c *Conn) publish() {
	for s := range c.subscribers {
		s.add(c.status)
	}
}

// A subscription is an unbounded queue of statuses, guarded by the Conn's mu. It
// stays short: only changes of state make it grow, and each takes a connection or
// a loss of one.
type subscription struct {
	queue []Status
	more  chan struct{}
}

func (s *subscription) add(status Status) {
	if n := len(s.queue); n > 0 && s.queue[n-1].Change == status.Change {
		s.queue[n-1] = status
	} else {
		s.queue = append(s.queue, status)
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// distanceSamples is how many of the last small round trips are remembered: enough
// that one of them did not wait in a queue, few enough to notice soon that the link
// became longer.
const distanceSamples = 8

// A distance is how far a server is, by the quickest of the last small round
// trips: pings, and reads whose replies take the server and the link no time.
type distance struct {
	trips [distanceSamples]time.Duration
	n     int
}

func (d *distance) note(trip time.Duration) {
	d.trips[d.n%distanceSamples] = trip
	d.n++
}

// least is 0 where nothing is known.
func (d *distance) least() (least time.Duration) {
	for i := range min(d.n, distanceSamples) {
		if i == 0 || d.trips[i] < least {
			least = d.trips[i]
		}
	}
	return least
}
