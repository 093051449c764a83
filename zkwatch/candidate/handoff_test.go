package candidate_test

import (
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// cutter is a connection that breaks instead of sending a request of one kind,
// once armed.
type cutter struct {
	net.Conn
	op    wire.Op
	armed *atomic.Bool
}

func (c cutter) Write(p []byte) (int, error) {
	if len(p) >= 12 && wire.Op(binary.BigEndian.Uint32(p[8:])) == c.op && c.armed.CompareAndSwap(true, false) {
		c.Conn.Close()
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// TestListLostWithItsConnection: the predecessor's deletion is known and the
// connection breaks before the list is had. The watch is spent, so nothing would
// wake the candidate any more if it did not ask again by itself.
func TestListLostWithItsConnection(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if _, err := on.Create(on.Path, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		leader, err := on.Create(on.Path+"/bare-n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
		if err != nil {
			t.Fatal(err)
		}
		var armed atomic.Bool
		cfg := on.Config()
		cfg.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return cutter{conn, wire.OpGetChildren2, &armed}, nil
		}
		s := electiontest.Stand(t, candidate.Config{Conn: cfg, Path: on.Path})
		before := s.Believes(t, model.Waiting)
		armed.Store(true)
		on.Remove(leader)
		after := s.Believes(t, model.Leading)
		if armed.Load() {
			t.Error("the connection was not cut")
		}
		if after.Znode != before.Znode || after.Session != before.Session {
			t.Errorf("leads as %s of session %#x, waited as %s of %#x", after.Znode, after.Session, before.Znode, before.Session)
		}
	})
}
