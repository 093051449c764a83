package clienttest

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

// ServerWatches asks a server how many watches it holds.
func ServerWatches(addr string) (n int, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, err
	}
	return WatchesOver(conn)
}

// WatchesOver is the same over a connection to the server, which it closes.
func WatchesOver(conn net.Conn) (n int, err error) {
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

// Switchboard is an in-memory address behind which servers can be exchanged.
type Switchboard struct {
	mu     sync.Mutex
	Server *zkserver.Server
}

func NewSwitchboard(t *testing.T) *Switchboard {
	b := &Switchboard{Server: zkserver.New(zkserver.Options{})}
	t.Cleanup(func() { b.current().Close() })
	return b
}

func (b *Switchboard) current() *zkserver.Server {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Server
}

func (b *Switchboard) Dial(context.Context, string, string) (net.Conn, error) {
	return b.current().Dial()
}

// Replace puts an empty server in the place of the old one.
func (b *Switchboard) Replace(t *testing.T) {
	b.mu.Lock()
	old := b.Server
	b.Server = zkserver.New(zkserver.Options{})
	b.mu.Unlock()
	old.Close()
}

// Client returns a bare client of the present server.
func (b *Switchboard) Client(t *testing.T) *zk.Conn {
	t.Helper()
	c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:1"}, 10*time.Second, zk.WithLogger(Silent{}),
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
