package client

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/model/session"
)

// granted gets requested 0 for a new session. id 0 means that the requested session has expired.
func (c *Conn) granted(n *serverConn, requested, id uint64, timeout time.Duration, sent time.Time) error {
	c.mu.Lock()
	if c.link != n || c.status.State.Terminal() {
		c.mu.Unlock()
		return net.ErrClosed
	}
	known := c.status.SessionID
	if c.status.State == Connecting && requested == 0 {
		known = 0 // no caller has used a session before the first Connected
	}
	switch {
	case id == 0 && known == 0:
		c.mu.Unlock()
		return fmt.Errorf("%w: session 0 granted", ErrProtocol)
	case id == 0:
		c.mu.Unlock()
		// The library receives this response and sends zk.EventNotWatching.
		c.terminate(Expired, fmt.Errorf("session %#x at %s: %w", known, n.addr, zk.ErrSessionExpired), false)
		return nil
	case known != 0 && (requested != known || id != known):
		c.mu.Unlock()
		err := fmt.Errorf("session %#x at %s: the server gave session %#x: %w", known, n.addr, id, zk.ErrSessionExpired)
		c.terminate(Expired, err, false)
		return err
	}
	defer c.mu.Unlock()
	c.refusals = 0
	c.status.SessionID, c.status.Timeout, c.status.Server = id, timeout, n.addr
	c.lease.connected(sent, timeout)
	c.trips, c.status.Distance = nil, 0
	c.noteAnswer(sent)
	return nil
}

func (c *Conn) linkReady(n *serverConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = n
	c.connectIfReady()
}

func (c *Conn) dequeued(number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if number == 0 || c.queued.Load() != number {
		return
	}
	c.queued.Store(0)
	<-c.turn
	c.connectIfReady()
}

func (c *Conn) answered(n *serverConn, sent time.Time, zxid int64, small bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link == n {
		c.zxid = max(c.zxid, zxid)
		c.noteAnswer(sent)
		if small {
			c.trips = append(c.trips[max(0, len(c.trips)+1-distanceSamples):], c.status.RTT)
			c.status.Distance = slices.Min(c.trips)
		}
	}
}

func (c *Conn) linkLost(n *serverConn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.link != n || c.status.State.Terminal() {
		return
	}
	c.link, c.ready = nil, nil
	if errors.Is(err, ErrRefused) {
		c.refusals++
		if hint := refusalHint(c.refusals, n.lastZxid, c.cfg.TLS != nil); hint != "" {
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
	c.giveUpTimer.Reset(c.sessionWait())
}

func refusalHint(count int, lastZxid int64, tls bool) string {
	switch {
	case lastZxid > 0:
		return fmt.Sprintf("refusal %d; no quorum, or does the server lack changes that this client has seen (up to zxid %#x)?", count, lastZxid)
	case count > 1 && !tls:
		return fmt.Sprintf("refusal %d; no quorum, a port that needs TLS, or too many connections from this address (maxClientCnxns)?", count)
	case count > 1:
		return fmt.Sprintf("refusal %d; no quorum, or too many connections from this address (maxClientCnxns)?", count)
	}
	return ""
}

// connectIfReady requires that the caller holds c.mu.
func (c *Conn) connectIfReady() {
	if c.ready == nil || c.link != c.ready || c.queued.Load() != 0 || c.status.State == Connected || c.status.State.Terminal() {
		return
	}
	c.ready.mu.Lock()
	c.ready.opened = true
	c.ready.mu.Unlock()
	c.lost = make(chan struct{})
	c.giveUpTimer.Stop()
	c.setState(Connected, nil)
}

// noteAnswer requires that the caller holds c.mu.
func (c *Conn) noteAnswer(sent time.Time) {
	answered := time.Now()
	c.status.RTT = answered.Sub(sent)
	if !sent.Before(c.anchor.Sent) {
		c.anchor = session.Anchor{Session: c.status.SessionID, Sent: sent, Timeout: c.status.Timeout}
	}
	if end := sent.Add(c.status.Timeout); end.After(c.status.ExpiresFrom) {
		c.status.ExpiresFrom = end
	}
	c.lease.answered(requestTimes{sent, answered})
}

func (c *Conn) committed(lost <-chan struct{}, sent time.Time) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == lost {
		c.lease.committed(requestTimes{sent, now})
		c.status.LeaseEnd = c.lease.end
	}
}
