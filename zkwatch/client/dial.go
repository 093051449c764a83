package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"sync"
	"time"

	"electop/zkwatch/fault"
	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

// dial is the library's dialer.
func (c *Conn) dial(network, addr string, _ time.Duration) (net.Conn, error) {
	c.attempting(addr)
	if !c.servers.pause(c.life) || !c.gate.Pass(c.life.Done()) {
		return c.offlineConn(), nil
	}
	ctx, cancel := context.WithTimeout(c.life, c.cfg.DialTimeout)
	defer cancel()
	exchange, err := c.beginSASL(ctx, addr)
	if err != nil {
		return nil, err
	}
	var raw net.Conn
	if c.cfg.Line == nil {
		raw, err = c.cfg.Dial(ctx, network, addr)
	} else {
		raw, err = c.cfg.Line.Dial(ctx, fault.Owner{Life: c.life, Go: c.spawn}, network, addr, c.cfg.Dial)
	}
	if err == nil && c.cfg.TLS != nil {
		raw, err = secure(ctx, &c.cfg, raw, addr)
	}
	if err != nil {
		c.attemptFailed(addr, fmt.Errorf("connect to %s: %w", addr, err))
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	n := newServerConn(c, raw, addr, deadline, exchange)
	c.mu.Lock()
	n.lastZxid = c.zxid
	ended := c.status.State.Terminal()
	if !ended {
		c.link = n
		c.status.Server = addr
	}
	c.mu.Unlock()
	if ended {
		n.shut()
		return c.offlineConn(), nil
	}
	return n, nil
}

// beginSASL starts the authentication before the dial, because Kerberos may need a ticket first.
func (c *Conn) beginSASL(ctx context.Context, addr string) (sasl.Exchange, error) {
	if c.cfg.SASL == nil {
		return nil, nil
	}
	exchange, err := c.cfg.SASL.Begin(ctx, ServerName(addr))
	if err == nil {
		return exchange, nil
	}
	err = fmt.Errorf("SASL %s for %s: %w", c.cfg.SASL.Name(), addr, err)
	if errors.Is(err, sasl.ErrRejected) {
		err = refusal{err}
		c.terminate(Closed, err, false)
	} else {
		c.attemptFailed(addr, err)
	}
	return nil, err
}

func (c *Conn) attempting(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() || c.status.Server == addr {
		return
	}
	c.status.Server = addr
	c.publish()
}

func (c *Conn) attemptFailed(addr string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() {
		return
	}
	c.status.Server = addr
	var dns *net.DNSError
	if unknownHost := errors.As(err, &dns) && dns.IsNotFound; c.status.Err == nil || !unknownHost {
		c.setErr(err) // an unknown host name does not replace another error
	}
}

const (
	minPause = 50 * time.Millisecond
	maxPause = time.Second
)

// servers gives the library one server after the other. A round is one attempt at each server.
//
// The library's own HostProvider resolves names only once. With that HostProvider and one server,
// the library sleeps for a second before each attempt except the first.
type servers struct {
	addrs []string

	mu       sync.Mutex
	next     int
	attempts int // number of attempts since the start of the first round
}

func newServers(addrs []string, shuffle func(n int, swap func(i, j int))) *servers {
	s := &servers{addrs: slices.Clone(addrs)}
	shuffle(len(s.addrs), func(i, j int) { s.addrs[i], s.addrs[j] = s.addrs[j], s.addrs[i] })
	return s
}

// Init implements zk.HostProvider. It does nothing: newServers has stored the addresses.
func (s *servers) Init([]string) error { return nil }

// Len implements zk.HostProvider.
func (s *servers) Len() int { return len(s.addrs) }

// Next implements zk.HostProvider. It always returns false, because true would make the library sleep.
func (s *servers) Next() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr := s.addrs[s.next]
	s.next = (s.next + 1) % len(s.addrs)
	return addr, false
}

// Connected implements zk.HostProvider. It does nothing: servers.lost resets the pauses.
func (s *servers) Connected() {}

func (s *servers) lost(lasted time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lasted >= maxPause {
		s.attempts = 0
	}
}

func (s *servers) pause(ctx context.Context) bool {
	s.mu.Lock()
	var wait time.Duration
	if round := s.attempts / len(s.addrs); round > 0 && s.attempts%len(s.addrs) == 0 {
		wait = min(minPause<<min(round-1, 10), maxPause)
	}
	s.attempts++
	s.mu.Unlock()
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// offlineConn returns a connection without a server, for the library of an ended Conn. So no queued
// request reaches a server, and the library's Close does not wait a second for an answer.
func (c *Conn) offlineConn() net.Conn {
	library, end := net.Pipe()
	c.background.Go(func() { // until the library closes its end
		defer end.Close()
		if _, err := wire.ReadFrame(end, math.MaxInt32); err != nil {
			return
		}
		end.Write(wire.AppendFrame(nil, &wire.ConnectResponse{Timeout: 60_000, SessionID: 1, Passwd: make([]byte, 16)}))
		c.detach()
		for {
			frame, err := wire.ReadFrame(end, math.MaxInt32)
			if err != nil {
				return
			}
			var h wire.RequestHeader
			if h.Fields(wire.NewDecoder(frame)); h.Op == wire.OpCloseSession {
				end.Write(wire.AppendFrame(nil, &wire.ReplyHeader{Xid: h.Xid}))
			}
		}
	})
	return library
}
