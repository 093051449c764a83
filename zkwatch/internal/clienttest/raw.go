package clienttest

import (
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/client"
)

// Raw returns a bare client, for looking behind the scenes.
func Raw(t *testing.T, addr string) *zk.Conn {
	t.Helper()
	return RawPatient(t, addr, 10*time.Second)
}

// RawPatient is Raw with another session timeout. A request that waits for longer than
// two thirds of it fails, because pings wait behind it.
func RawPatient(t *testing.T, addr string, timeout time.Duration) *zk.Conn {
	t.Helper()
	return raw(t, addr, timeout, dialPrompt)
}

func raw(t *testing.T, addr string, timeout time.Duration, dial zk.Dialer) *zk.Conn {
	t.Helper()
	c, events, err := zk.Connect([]string{addr, addr}, timeout, zk.WithLogger(Silent{}), zk.WithDialer(dial))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range events {
		}
	}()
	t.Cleanup(c.Close)
	return c
}

// answerWithin bounds the wait for the answer to a request for a session. A server
// that is just starting accepts a connection and may never answer it; the library would
// wait for nearly seven session timeouts.
const answerWithin = 3 * time.Second

func dialPrompt(network, addr string, timeout time.Duration) (net.Conn, error) {
	c, err := net.DialTimeout(network, addr, timeout)
	if err != nil {
		return nil, err
	}
	return &promptConn{Conn: c, deadline: time.Now().Add(answerWithin)}, nil
}

// A promptConn has a deadline of its own until its first byte has come. The library
// reads and sets deadlines for reading from one goroutine.
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

// Silent is a logger that says nothing.
type Silent struct{}

func (Silent) Printf(string, ...any) {}

// ElectionPath is a path that no other test uses.
func ElectionPath(t *testing.T) string {
	return fmt.Sprintf("/t%x", time.Now().UnixNano())
}

// Config is how a candidate connects to a server.
func Config(t *testing.T, addr string) client.Config {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{Servers: servers, SessionTimeout: 2 * time.Second, BufferSize: 16 << 10, MaxReply: 256 << 10}
}

// Creator returns a function that creates a znode or ends the test.
func Creator(t *testing.T, c *zk.Conn) func(path string, flags int32) string {
	return func(path string, flags int32) string {
		t.Helper()
		p, err := c.Create(path, []byte("d"), flags, Open)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// Open is the ACL that permits everything.
var Open = zk.WorldACL(zk.PermAll)

// Contender are the flags of a znode in an election.
const Contender = zk.FlagEphemeral | zk.FlagSequence

// Flood writes more to path than following it by a persistent watch is worth, in few
// transactions: spread over ten seconds it is no flood.
func Flood(t *testing.T, c *zk.Conn, path string) {
	t.Helper()
	ops := make([]any, 1000)
	for i := range ops {
		ops[i] = &zk.SetDataRequest{Path: path, Data: []byte("x"), Version: -1}
	}
	for range 5 {
		if _, err := c.Multi(ops...); err != nil {
			t.Fatal(err)
		}
	}
}
