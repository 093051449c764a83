package zkserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

type quiet struct{}

func (quiet) Printf(string, ...any) {}

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
