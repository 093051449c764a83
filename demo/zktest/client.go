package zktest

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// Client returns a go-zookeeper client that has a session and ends with the test.
func Client(t testing.TB, servers string) *zk.Conn {
	t.Helper()
	return ClientOver(t, servers, 10*time.Second, dialPrompt)
}

// ClientOver is [Client] with a session timeout and a dialer.
func ClientOver(t testing.TB, servers string, timeout time.Duration, dial zk.Dialer) *zk.Conn {
	t.Helper()
	addrs := strings.Split(servers, ",")
	// With only one address, the library sleeps before it reconnects.
	c, events, err := zk.Connect(append(addrs, addrs...), timeout, zk.WithLogger(silent{}), zk.WithDialer(dial))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	go func() {
		for range events {
		}
	}()
	return c
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// handshakeTimeout bounds the wait for a first reply. A starting server may never reply, and the
// library waits for more than six session timeouts.
const handshakeTimeout = 3 * time.Second

func dialPrompt(network, addr string, timeout time.Duration) (net.Conn, error) {
	c, err := net.DialTimeout(network, addr, timeout)
	if err != nil {
		return nil, err
	}
	return &promptConn{Conn: c, deadline: time.Now().Add(handshakeTimeout)}, nil
}

// promptConn needs no lock, because the library never sets a read deadline during a read.
type promptConn struct {
	net.Conn
	deadline time.Time
	answered bool
}

func (c *promptConn) SetReadDeadline(t time.Time) error {
	if !c.answered {
		t = c.deadline
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *promptConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.answered = c.answered || n > 0
	return n, err
}
