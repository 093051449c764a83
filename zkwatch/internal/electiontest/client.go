package electiontest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/wire"
)

func Connect(t *testing.T, cfg client.Config) *client.Conn {
	t.Helper()
	c, err := client.Connect(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func Connected(t *testing.T, cfg client.Config) *client.Conn {
	t.Helper()
	c := Connect(t, cfg)
	WaitState(t, c, client.Connected)
	return c
}

// Wait returns the first received status for which ok returns true.
func Wait(t *testing.T, c *client.Conn, what string, ok func(client.Status) bool) client.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last client.Status
	for s := range c.Subscribe(ctx) {
		if last = s; ok(s) {
			return s
		}
	}
	t.Fatalf("got last status %+v, want %s", last, what)
	return last
}

func WaitState(t *testing.T, c *client.Conn, state client.State) client.Status {
	t.Helper()
	return Wait(t, c, state.String(), func(s client.Status) bool { return s.State == state })
}

func WaitErr(t *testing.T, c *client.Conn, target error) client.Status {
	t.Helper()
	return Wait(t, c, target.Error(), func(s client.Status) bool { return errors.Is(s.Err, target) })
}

func Count[T comparable](list []T, x T) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(y T) bool { return y != x }))
}

func File(t *testing.T, content string) string {
	t.Helper()
	f := zktest.Must(os.CreateTemp(t.TempDir(), "f"))
	defer f.Close()
	zktest.Must(f.WriteString(content))
	return f.Name()
}

func Until(t *testing.T, what string, try func() error) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := try()
		switch {
		case err == nil:
			return
		case time.Now().After(deadline):
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// ElectionPath returns a new path.
func ElectionPath(t *testing.T) string {
	return fmt.Sprintf("/t%x", time.Now().UnixNano())
}

func Config(t *testing.T, addr string) client.Config {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{Servers: servers, SessionTimeout: 2 * time.Second, BufferSize: 16 << 10, MaxReply: 256 << 10}
}

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

func Remove(t *testing.T, c *zk.Conn, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := c.Delete(path, -1); err != nil {
			t.Fatal(err)
		}
	}
}

var Open = zk.WorldACL(zk.PermAll)

const Contender = zk.FlagEphemeral | zk.FlagSequence

func Watches(t *testing.T, server *zkserver.Server) (n int) {
	t.Helper()
	conn := zktest.Must(server.Dial())
	defer conn.Close()
	zktest.Must(io.WriteString(conn, "wchs"))
	_, total, _ := strings.Cut(string(zktest.Must(io.ReadAll(conn))), "Total watches:")
	zktest.Must(fmt.Sscan(total, &n))
	return n
}

func Embedded(t *testing.T) (*zkserver.Server, *zk.Conn) {
	t.Helper()
	server := zkserver.New(zkserver.Options{})
	t.Cleanup(func() { server.Close() })
	return server, EmbeddedClient(t, server)
}

func EmbeddedClient(t *testing.T, server *zkserver.Server) *zk.Conn {
	t.Helper()
	return zktest.ClientOver(t, "127.0.0.1:1", 10*time.Second, func(string, string, time.Duration) (net.Conn, error) { return server.Dial() })
}

func Restart(server *zkserver.Server, down time.Duration) {
	server.Refuse(true)
	server.CloseConnections()
	time.AfterFunc(down, func() { server.Refuse(false) })
}

func WrapConns(cfg *client.Config, wrap func(net.Conn) net.Conn) {
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

// OnRequest calls do before each request of op. If do returns true, the request is not sent.
func OnRequest(cfg *client.Config, op wire.Op, do func(c net.Conn, frame []byte) bool) {
	WrapConns(cfg, func(c net.Conn) net.Conn { return requestConn{c, op, do} })
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

func Dropping(c net.Conn, drop func(frame []byte) bool) net.Conn {
	return &droppingConn{Conn: c, drop: drop}
}

type droppingConn struct {
	net.Conn
	drop   func(frame []byte) bool
	unread bytes.Buffer
}

func (c *droppingConn) Read(p []byte) (int, error) {
	for c.unread.Len() == 0 {
		frame := make([]byte, 4)
		if _, err := io.ReadFull(c.Conn, frame); err != nil {
			return 0, err
		}
		frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
		if _, err := io.ReadFull(c.Conn, frame[4:]); err != nil {
			return 0, err
		}
		if !c.drop(frame) {
			c.unread.Write(frame)
		}
	}
	return c.unread.Read(p)
}

type FailingConn struct {
	net.Conn
	Writes int // number of calls of Write that succeed before all later calls fail
}

func (c *FailingConn) Write(p []byte) (int, error) {
	if c.Writes--; c.Writes < 0 {
		return 0, errors.New("write fails")
	}
	return c.Conn.Write(p)
}
