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

// dial is the library's dialer. Each call is one attempt at one server, made
// after a pause where the last ones failed.
func (c *Conn) dial(network, addr string, _ time.Duration) (net.Conn, error) {
	c.attempting(addr)
	if !c.servers.pause(c.life) || !c.gate.Pass(c.life.Done()) {
		return c.farewell(), nil
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
	n.since = c.zxid
	ended := c.status.State.Terminal()
	if !ended {
		c.link = n
		c.status.Server = addr
	}
	c.mu.Unlock()
	if ended {
		n.shut()
		return c.farewell(), nil
	}
	return n, nil
}

// beginSASL starts to authenticate at a server, before the connection is made: what
// another party must be asked for is there when the session begins.
func (c *Conn) beginSASL(ctx context.Context, addr string) (sasl.Exchange, error) {
	if c.cfg.SASL == nil {
		return nil, nil
	}
	exchange, err := c.cfg.SASL.Begin(ctx, serverName(addr))
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

// attempting reports which server is next, and why the last one is not connected.
func (c *Conn) attempting(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() || c.status.Server == addr {
		return
	}
	c.status.Server = addr
	c.publish()
}

// attemptFailed records why an attempt to connect failed.
func (c *Conn) attemptFailed(addr string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.State.Terminal() {
		return
	}
	c.status.Server = addr
	if c.status.Err == nil || !unknownHost(err) {
		c.setErr(err) // a name that stays wrong does not hide what another server says
	}
}

// unknownHost reports whether err says that a host does not exist.
func unknownHost(err error) bool {
	var e *net.DNSError
	return errors.As(err, &e) && e.IsNotFound
}

const (
	minPause = 50 * time.Millisecond // a server that is restarted is back in a second or so
	maxPause = time.Second           // a thousand candidates must not hammer a dead one
)

// servers gives the library one server after the other. It replaces the library's
// own HostProvider, which resolves names only once and makes a client with one
// server sleep for a second before each attempt. Here each
// server is tried once without delay; then there is a pause before each round,
// which doubles up to a second until a connection has lasted.
type servers struct {
	addrs []string

	mu       sync.Mutex
	next     int
	attempts int // since a connection lasted
}

func newServers(addrs []string, shuffle func(n int, swap func(i, j int))) *servers {
	s := &servers{addrs: slices.Clone(addrs)}
	shuffle(len(s.addrs), func(i, j int) { s.addrs[i], s.addrs[j] = s.addrs[j], s.addrs[i] })
	return s
}

// Init implements zk.HostProvider. The addresses it is given are those that
// newServers was given.
func (s *servers) Init([]string) error { return nil }

// Len implements zk.HostProvider.
func (s *servers) Len() int { return len(s.addrs) }

// Next implements zk.HostProvider. It never reports that it starts again with the
// first server, because the library would sleep.
func (s *servers) Next() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr := s.addrs[s.next]
	s.next = (s.next + 1) % len(s.addrs)
	return addr, false
}

// Connected implements zk.HostProvider. A connection counts once it has lasted, see
// lost.
func (s *servers) Connected() {}

// lost is called when a connection that had a session is lost after it lasted
// for so long.
func (s *servers) lost(lasted time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lasted >= maxPause {
		s.attempts = 0
	}
}

// pause waits until the next attempt is due. It reports false if ctx is done.
func (s *servers) pause(ctx context.Context) bool {
	s.mu.Lock()
	var wait time.Duration
	if round := s.attempts / len(s.addrs); round > 0 && s.attempts%len(s.addrs) == 0 {
		wait = min(minPause<<min(round-1, 10), maxPause)
	}
	s.attempts++
	s.mu.Unlock()
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// farewell returns a connection to nobody, which the library gets when the Conn
// has ended. It grants a session, swallows every request and answers
// closeSession.
//
// The library's Close wants an answer to closeSession and waits a second for it
// where no connection is up; it also leaves requests behind that it will send
// over the next connection it gets. This is that connection: nothing reaches a
// server any more, and Close is quick.
func (c *Conn) farewell() net.Conn {
	library, nobody := net.Pipe()
	c.calls.Go(func() { // until the library closes its end
		defer nobody.Close()
		if _, err := wire.ReadFrame(nobody, math.MaxInt32); err != nil {
			return
		}
		nobody.Write(wire.AppendFrame(nil, &wire.ConnectResponse{Timeout: 60_000, SessionID: 1, Passwd: make([]byte, 16)}))
		c.leave()
		for {
			frame, err := wire.ReadFrame(nobody, math.MaxInt32)
			if err != nil {
				return
			}
			var h wire.RequestHeader
			if h.Fields(wire.NewDecoder(frame)); h.Op == wire.OpCloseSession {
				nobody.Write(wire.AppendFrame(nil, &wire.ReplyHeader{Xid: h.Xid}))
			}
		}
	})
	return library
}
