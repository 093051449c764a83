package zkwatch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
)

// zkServerWatches asks a server how many watches it holds.
func zkServerWatches(addr string) (n int, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, err
	}
	return watchesOver(conn)
}

// watchesOver is the same over a connection to the server, which it closes.
func watchesOver(conn net.Conn) (n int, err error) {
	defer conn.Close()
	if _, err := io.WriteString(conn, "wchs"); err != nil {
		return 0, err
	}
	reply, err := io.ReadAll(conn)
	if err != nil {
		return 0, err
	}
	_, total, _ := strings.Cut(string(reply), "Total watches:")
	_, err = fmt.Sscan(total, &n)
	return n, err
}

// switchboard is an in-memory address behind which servers can be exchanged.
type switchboard struct {
	mu     sync.Mutex
	server *zkserver.Server
}

func newSwitchboard(t *testing.T) *switchboard {
	b := &switchboard{server: zkserver.New(zkserver.Options{})}
	t.Cleanup(func() { b.current().Close() })
	return b
}

func (b *switchboard) current() *zkserver.Server {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.server
}

func (b *switchboard) dial(context.Context, string, string) (net.Conn, error) {
	return b.current().Dial()
}

// replace puts an empty server in the place of the old one.
func (b *switchboard) replace(t *testing.T) {
	b.mu.Lock()
	old := b.server
	b.server = zkserver.New(zkserver.Options{})
	b.mu.Unlock()
	old.Close()
}

// client returns a bare client of the present server.
func (b *switchboard) client(t *testing.T) *zk.Conn {
	t.Helper()
	c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:1"}, 10*time.Second, zk.WithLogger(silent{}),
		zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) { return b.current().Dial() }))
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
