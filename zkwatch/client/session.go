package client

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/session"
)

// session is called when a server has granted a session over n, or confirmed
// the current one; asked is the one that the library asked for, 0 for a new one.
// It returns an error if the library must not learn of it.
func (c *Conn) session(n *serverConn, asked, id uint64, timeout time.Duration, sent time.Time) error {
	c.mu.Lock()
	if c.link != n || c.status.State.Terminal() {
		c.mu.Unlock()
		return net.ErrClosed
	}
	known := c.status.SessionID
	if c.status.State == Connecting && asked == 0 {
		known = 0 // neither the library nor any caller has learnt of it
	}
	switch {
	case id == 0 && known == 0:
		c.mu.Unlock()
		return fmt.Errorf("%w: session 0 granted", ErrProtocol)
	case id == 0:
		c.mu.Unlock()
		// The library may learn this: it notifies the watchers.
		c.terminate(Expired, fmt.Errorf("session %#x at %s: %w", known, n.addr, zk.ErrSessionExpired), false)
		return nil
	case known != 0 && (asked != known || id != known):
		c.mu.Unlock()
		err := fmt.Errorf("session %#x at %s: the server gave session %#x: %w", known, n.addr, id, zk.ErrSessionExpired)
		c.terminate(Expired, err, false)
		return err
	}
	defer c.mu.Unlock()
	c.refusals = 0
	c.status.SessionID, c.status.Timeout, c.status.Server = id, timeout, n.addr
	c.lease.connected(sent, timeout)
	c.distance, c.status.Distance = distance{}, 0
	c.noteAnswer(sent)
	return nil
}

// confirmed is called when the library may learn that it has a session over n.
func (c *Conn) confirmed(n *serverConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n.confirmed = true
	c.announce(n)
}

// announce opens n for requests if it is ready. The caller holds c.mu.
func (c *Conn) announce(n *serverConn) {
	if c.link != n || !n.confirmed || c.handed.Load() != nil || c.status.State == Connected || c.status.State.Terminal() {
		return
	}
	n.announce()
	c.lost = make(chan struct{})
	c.watchdog.Stop()
	c.setState(Connected, nil)
}

// written is called when the request h has left the library's queue. At most one
// request is in the queue, so that it is known whether one is left there when the
// connection is lost. The library would send it over the next connection, although
// its caller already got an error; serverConn drops it instead, and no other
// request is admitted before.
func (c *Conn) written(h *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h == nil || c.handed.Load() != h {
		return
	}
	c.handed.Store(nil)
	<-c.turn
	if c.link != nil {
		c.announce(c.link)
	}
}

// answered is called when a server has answered what was sent over n at sent;
// zxid is the one in the answer, 0 if it does not count. small says that the time
// it took is only the way to the server and back.
func (c *Conn) answered(n *serverConn, sent time.Time, zxid int64, small bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == n {
		c.zxid = max(c.zxid, zxid)
		c.noteAnswer(sent)
		if small {
			c.distance.note(c.status.RTT)
			c.status.Distance = c.distance.least()
		}
	}
}

func (c *Conn) noteAnswer(sent time.Time) {
	answered := time.Now()
	c.status.RTT = answered.Sub(sent)
	if !sent.Before(c.anchor.Sent) {
		c.anchor = session.Anchor{Session: c.status.SessionID, Sent: sent, Answered: answered, Timeout: c.status.Timeout}
	}
	if end := sent.Add(c.status.Timeout); end.After(c.status.ExpiresFrom) {
		c.status.ExpiresFrom = end
	}
	c.lease.answered(exchange{sent, answered})
}

// committed is called when a write was executed that was sent at sent or later and
// is answered by now. lost belongs to the connection that it was sent over.
func (c *Conn) committed(lost <-chan struct{}, sent time.Time) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == lost {
		c.lease.committed(exchange{sent, now})
		c.status.LeaseEnd = c.lease.end
	}
}

// disconnected is called when n is lost, and why.
func (c *Conn) disconnected(n *serverConn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != n || c.status.State.Terminal() {
		return
	}
	c.link = nil
	if errors.Is(err, ErrRefused) {
		c.refusals++
		if hint := n.refusalHint(c.refusals); hint != "" {
			err = fmt.Errorf("%w (%s)", err, hint)
		}
	} else {
		c.refusals = 0
	}
	err = fmt.Errorf("connection to %s: %w", n.addr, err)
	if c.status.State != Connected {
		c.setErr(err)
		return
	}
	c.servers.lost(time.Since(c.status.Since))
	c.setState(Disconnected, err)
	c.lostBy = err
	close(c.lost)
	c.lost = nil
	c.watchdog.Reset(c.patience())
}
