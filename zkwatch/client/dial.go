package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"electop/zkwatch/fault"
	"electop/zkwatch/sasl"
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
	raw, err := c.reach(ctx, network, addr)
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

// reach connects to a server, over the line if there is one.
func (c *Conn) reach(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.cfg.Line == nil {
		return c.cfg.Dial(ctx, network, addr)
	}
	return c.cfg.Line.Dial(ctx, fault.Owner{Life: c.life, Go: c.spawn}, network, addr, c.cfg.Dial)
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
