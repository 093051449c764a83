package client

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/session"
)

// granted is called when the server has granted session id or confirmed it: asked is the
// one that was asked for, at sent. Both are 0 for none. After an error the library does not
// learn of it.
func (c *Conn) granted(n *serverConn, asked, id uint64, timeout time.Duration, sent time.Time) error {
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

// isReady is called when the library may learn that it has a session over n.
func (c *Conn) isReady(n *serverConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = n
	c.announce()
}

// taken is called when the request that the library has was written or dropped. At most
// one request is in the library's queue, so that it is known whether one is left there when
// the connection is lost. The library would send it over the next connection, although its
// caller already got an error; that connection drops it instead, and no other request is
// admitted before.
func (c *Conn) taken(handed uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if handed == 0 || c.handed.Load() != handed {
		return
	}
	c.handed.Store(0)
	<-c.turn
	c.announce()
}

// answered is called when the server has answered what was sent at sent. zxid is the one
// in the answer, 0 if it does not count. small says that the time it took is only the way
// to the server and back.
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

// linkLost is called when n is closed, and why.
func (c *Conn) linkLost(n *serverConn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != n || c.status.State.Terminal() {
		return
	}
	c.link, c.ready = nil, nil
	if errors.Is(err, ErrRefused) {
		c.refusals++
		if hint := refusalHint(c.refusals, n.since, c.cfg.TLS != nil); hint != "" {
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

// refusalHint is a guess at why servers refuse this client, count times in a
// row, or "". since is the last zxid that the client has seen.
func refusalHint(count int, since int64, tls bool) string {
	switch {
	case since > 0:
		return fmt.Sprintf("%d times; has the server lost what this client has seen, up to zxid %#x?", count, since)
	case count > 1 && !tls:
		return fmt.Sprintf("%d times; too many connections from this address, see maxClientCnxns, or no quorum, or does this port want TLS?", count)
	case count > 1:
		return fmt.Sprintf("%d times; too many connections from this address, see maxClientCnxns, or no quorum?", count)
	}
	return ""
}

// announce opens the connection for requests if it is ready. The caller holds c.mu.
func (c *Conn) announce() {
	if c.ready == nil || c.link != c.ready || c.handed.Load() != 0 || c.status.State == Connected || c.status.State.Terminal() {
		return
	}
	c.ready.announce()
	c.lost = make(chan struct{})
	c.watchdog.Stop()
	c.setState(Connected, nil)
}

func (c *Conn) noteAnswer(sent time.Time) {
	answered := time.Now()
	c.status.RTT = answered.Sub(sent)
	if !sent.Before(c.anchor.Sent) {
		c.anchor = session.Anchor{Session: c.status.SessionID, Sent: sent, Timeout: c.status.Timeout}
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
