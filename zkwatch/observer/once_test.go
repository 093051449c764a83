package observer_test

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

// A syncHeld is a connection over which no answer comes between a sync and the request
// that follows it.
type syncHeld struct {
	net.Conn
	mu       sync.Mutex
	ops      []wire.Op // requests sent so far
	greeted  bool
	held     bool
	followed chan struct{}
	over     <-chan struct{} // the test is
}

func (c *syncHeld) Write(frame []byte) (int, error) {
	c.mu.Lock()
	switch op := wire.Op(binary.BigEndian.Uint32(frame[8:])); {
	case !c.greeted:
		c.greeted = true
	case op == wire.OpPing:
	default:
		if c.ops = append(c.ops, op); c.held {
			close(c.followed)
		}
		c.held = op == wire.OpSync
	}
	c.mu.Unlock()
	return c.Conn.Write(frame)
}

func (c *syncHeld) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	held := c.held
	c.mu.Unlock()
	if held {
		select {
		case <-c.followed:
		case <-c.over:
		}
	}
	return n, err
}

// TestReadOnceFollowsASync checks that the server gets the sync first, and that nothing
// waits for its answer but the result.
func TestReadOnceFollowsASync(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	path := clienttest.ElectionPath(t)
	clienttest.Creator(t, zktest.Client(t, addr))(path, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	held := &syncHeld{followed: make(chan struct{}), over: ctx.Done()}
	cfg := clienttest.Config(t, addr)
	clienttest.Over(&cfg, func(c net.Conn) net.Conn { held.Conn = c; return held })
	conn := clienttest.Connected(t, cfg)
	r, err := observer.ReadOnce(ctx, conn, path, time.Now)
	if err != nil || r.Presence != model.Present {
		t.Fatalf("%+v, %v", r, err)
	}
	held.mu.Lock()
	defer held.mu.Unlock()
	if len(held.ops) < 2 || held.ops[0] != wire.OpSync || held.ops[1] != wire.OpExists {
		t.Errorf("requests %v, want a sync and then the reads", held.ops)
	}
}
