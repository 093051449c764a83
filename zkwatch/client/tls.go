package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
)

// A tlsConn is a TLS connection that closes without an alert. The alert waits for
// room in the peer's window, for up to five seconds, and a client that simulates a
// dead process must not send one.
type tlsConn struct {
	*tls.Conn
	raw net.Conn
}

func (c tlsConn) Close() error { return c.raw.Close() }

// secure speaks TLS over raw, which it closes if that fails. ctx bounds it.
func secure(ctx context.Context, c *Config, raw net.Conn, addr string) (net.Conn, error) {
	cfg := c.TLS
	if cfg.ServerName == "" {
		cfg = cfg.Clone()
		cfg.ServerName = serverName(addr)
	}
	conn := tls.Client(raw, cfg)
	err := conn.HandshakeContext(ctx)
	if err == nil {
		return tlsConn{conn, raw}, nil
	}
	raw.Close()
	var plain tls.RecordHeaderError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("TLS handshake: no answer within %v: %w", c.DialTimeout, os.ErrDeadlineExceeded)
	case errors.As(err, &plain):
		return nil, fmt.Errorf("TLS handshake: %w with TLS: its answer is not TLS", ErrNotZooKeeper)
	case hungUp(err):
		return nil, fmt.Errorf("TLS handshake: %w: is this the server's port for TLS (secureClientPort)?: %w", ErrRefused, err)
	}
	if why := explainTLS(err, len(cfg.Certificates)); why != "" {
		return nil, fmt.Errorf("TLS handshake: %s: %w", why, err)
	}
	return nil, fmt.Errorf("TLS handshake: %w", err)
}

// serverName is the name or address of host:port that a certificate has to be
// for. The zone of an IPv6 address has a meaning only on this machine.
func serverName(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%")
	}
	return host
}
