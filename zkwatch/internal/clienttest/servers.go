package clienttest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/wire"
)

// Watches returns how many watches an embedded server holds.
func Watches(t *testing.T, server *zkserver.Server) (n int) {
	t.Helper()
	conn := zktest.Must(server.Dial())
	defer conn.Close()
	zktest.Must(io.WriteString(conn, "wchs"))
	_, total, _ := strings.Cut(string(zktest.Must(io.ReadAll(conn))), "Total watches:")
	zktest.Must(fmt.Sscan(total, &n))
	return n
}

// Embedded starts an embedded server until the test ends, and a bare client of it.
func Embedded(t *testing.T) (*zkserver.Server, *zk.Conn) {
	t.Helper()
	server := zkserver.New(zkserver.Options{})
	t.Cleanup(func() { server.Close() })
	return server, EmbeddedClient(t, server)
}

// EmbeddedClient returns a bare client of an embedded server.
func EmbeddedClient(t *testing.T, server *zkserver.Server) *zk.Conn {
	t.Helper()
	return zktest.ClientOver(t, "127.0.0.1:1", 10*time.Second, func(string, string, time.Duration) (net.Conn, error) { return server.Dial() })
}

// Restart ends all connections to an embedded server, which refuses new ones for a while.
func Restart(server *zkserver.Server, down time.Duration) {
	server.Refuse(true)
	server.CloseConnections()
	time.AfterFunc(down, func() { server.Refuse(false) })
}

// Dial connects to an embedded server.
func Dial(server *zkserver.Server) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
}

// Over puts something between a client and each of its connections.
func Over(cfg *client.Config, wrap func(net.Conn) net.Conn) {
	dial := cfg.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}

// OnRequest calls do before each request of one kind is sent. If do returns true, it has
// dealt with the request.
func OnRequest(cfg *client.Config, op wire.Op, do func(c net.Conn, frame []byte) bool) {
	Over(cfg, func(c net.Conn) net.Conn { return requestConn{c, op, do} })
}

type requestConn struct {
	net.Conn
	op wire.Op
	do func(c net.Conn, frame []byte) bool
}

func (c requestConn) Write(frame []byte) (int, error) {
	if len(frame) >= 12 && wire.Op(int32(binary.BigEndian.Uint32(frame[8:]))) == c.op && c.do(c.Conn, frame) {
		return len(frame), nil
	}
	return c.Conn.Write(frame)
}

// A FailingConn is a connection whose writes fail after the first few.
type FailingConn struct {
	net.Conn
	Writes int
}

func (c *FailingConn) Write(p []byte) (int, error) {
	if c.Writes--; c.Writes < 0 {
		return 0, errors.New("no write today")
	}
	return c.Conn.Write(p)
}
