package client

import (
	"context"
	"time"

	"electop/model/session"
)

// State is the state of a [Conn]. Expired and Closed are terminal.
type State int

const (
	Connecting   State = iota // before the first Connected
	Connected                 // a server has granted or continued the session
	Disconnected              // the connection is lost; the session may still exist
	Expired                   // the servers have ended the session
	Closed                    // this client has ended the Conn; Status.Err has the reason
)

func (s State) String() string {
	return [...]string{"connecting", "connected", "disconnected", "expired", "closed"}[s]
}

// Terminal reports whether no other state can follow.
func (s State) Terminal() bool { return s == Expired || s == Closed }

// A Status describes a [Conn] at one moment.
type Status struct {
	State     State
	Since     time.Time     // when the Conn entered State
	SessionID uint64        // 0: no session yet
	Timeout   time.Duration // session timeout that the server granted; 0: no session yet
	Server    string        // host:port of the connected server, or of the last, current or next attempt
	RTT       time.Duration // round trip of the last answered request or ping; 0: none yet

	// Distance estimates the network's part of RTT. It is the shortest of the last round trips of
	// pings and small reads over the latest connection; 0: none yet.
	Distance time.Duration

	// LeaseEnd is the end of the lease: before it, the session cannot expire (see [Conn.Renew]).
	// Zero: no lease. Leave a margin for clocks that run at different rates.
	LeaseEnd time.Time

	// ExpiresFrom is Timeout after the send time of the last answered request or ping. If it is later than
	// now, EndLease sets it to now. The session may expire earlier if the server that answered was cut off from
	// the ensemble, so ExpiresFrom is no lease. It is zero before the first session.
	ExpiresFrom time.Time

	// Err is the reason why there is no connection. It is nil while Connected.
	Err error

	Change uint64 // number of changes of State
}

// Status returns the current status.
func (c *Conn) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Anchor returns the session, its timeout, and the send time of the last answered request or ping.
// It returns false before the first session.
func (c *Conn) Anchor() (session.Anchor, bool) {
	c.mu.Lock()
	a := c.anchor
	c.mu.Unlock()
	a.Sent = a.Sent.UTC().Round(0)
	return a, a.Session != 0
}

// Requests returns the number of requests sent over all connections. Pings, the handshake,
// credentials and closeSession do not count. Each setWatches counts.
func (c *Conn) Requests() uint64 { return c.requests.Load() }

// Done returns a channel that is closed when the Conn reaches a terminal state.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Subscribe returns a channel that receives the current status, and then a status for each change
// of State, Err or Server, in order. A slow reader misses no change of State, but may miss other
// changes. The channel is closed after a terminal status, or when ctx is done. A caller that stops
// reading earlier must end ctx.
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

// AwaitConnected waits until the Conn is Connected. It returns false if ctx is done or the Conn ends first.
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

// publish requires that the caller holds c.mu.
func (c *Conn) publish() {
	for s := range c.subscribers {
		s.add(c.status)
	}
}

type subscription struct {
	queue []Status // not received yet; Conn.mu guards it
	more  chan struct{}
}

func (s *subscription) add(status Status) {
	if n := len(s.queue); n > 0 && s.queue[n-1].Change == status.Change {
		s.queue[n-1] = status
	} else {
		s.queue = append(s.queue, status)
	}
	signal(s.more)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

const distanceSamples = 8
