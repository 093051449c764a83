package zkserver_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// dialer connects go-zookeeper to s without a network.
func dialer(s *zkserver.Server) zk.Dialer {
	return func(string, string, time.Duration) (net.Conn, error) { return s.Dial() }
}

// connectZK returns a go-zookeeper connection with a session.
func connectZK(t testing.TB, addr string, d zk.Dialer, timeout time.Duration) (*zk.Conn, <-chan zk.Event) {
	t.Helper()
	if d == nil {
		d = net.DialTimeout
	}
	// The same address twice: then it reconnects without sleeping.
	c, events, err := zk.Connect([]string{addr, addr}, timeout, zk.WithDialer(d), zk.WithLogger(quiet{}),
		zk.WithMaxConnBufferSize(16<<10), zk.WithMaxBufferSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	waitState(t, events, zk.StateHasSession)
	return c, events
}

func waitState(t testing.TB, events <-chan zk.Event, want zk.State) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				t.Fatalf("events ended while waiting for %v", want)
			}
			if ev.Type == zk.EventSession && ev.State == want {
				return
			}
		case <-ctx.Done():
			t.Fatalf("no %v", want)
		}
	}
}

// TestNewServer replaces the server by an empty one on the same address. The
// client has seen more than it knows and must start afresh, not loop.
func TestNewServer(t *testing.T) {
	t.Parallel()
	s1, addr := zkserver.Start(t, zkserver.Options{})
	c, events := connectZK(t, addr, nil, 10*time.Second)
	for i := range 5 {
		if _, err := c.Create(fmt.Sprintf("/n%d", i), nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
	}
	id := c.SessionID()
	s1.Close()
	s2 := zkserver.New(zkserver.Options{})
	var l net.Listener
	zktest.Await(t, "the port is free", func() (ok bool) {
		var err error
		l, err = net.Listen("tcp", addr)
		return err == nil
	})
	served := make(chan error, 1)
	go func() { served <- s2.Serve(l) }()
	waitState(t, events, zk.StateExpired)
	waitState(t, events, zk.StateHasSession)
	if c.SessionID() == id {
		t.Errorf("the session %#x outlived its server", id)
	}
	if ok, _, err := c.Exists("/n0"); ok || err != nil {
		t.Errorf("exists on the new server: %v %v", ok, err)
	}
	c.Close()
	s2.Close()
	if err := <-served; err != nil {
		t.Errorf("Serve after Close: %v", err)
	}
}

func TestRefuse(t *testing.T) {
	s, addr := zkserver.Start(t, zkserver.Options{})
	dialRaw(t, addr)
	s.Refuse(true)
	if _, err := s.Dial(); !errors.Is(err, zkserver.ErrRefused) {
		t.Errorf("Dial while refusing: %v", err)
	}
	nc := dialTCP(t, addr)
	nc.SetDeadline(time.Now().Add(patience))
	if n, err := nc.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes from a server that refuses", n)
	}
	s.Refuse(false)
	dialRaw(t, addr).must(wire.OpPing, nil, nil)
	s.Close()
	if _, err := s.Dial(); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("Dial after Close: %v", err)
	}
	if err := zkserver.New(zkserver.Options{}).ExpireSession(7); err == nil || !strings.Contains(err.Error(), "0x7: no such session") {
		t.Errorf("expire: %v", err)
	}
	if err := s.ExpireSession(1); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("ExpireSession after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}
