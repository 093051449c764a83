package zkserver_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

func id(c *rawClient) int64 { return c.handshake.SessionID }

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func receives(c *rawClient, d time.Duration) bool {
	c.nc.SetReadDeadline(time.Now().Add(d))
	_, err := c.in.Peek(1)
	c.nc.SetDeadline(time.Now().Add(patience))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

func wantClosed(t testing.TB, c *rawClient) {
	t.Helper()
	if err := c.awaitClosed(); err != nil {
		t.Errorf("the connection is not closed: %v", err)
	}
}

func resume(t *testing.T, s *zkserver.Server, c *rawClient) *rawClient {
	t.Helper()
	return pipeRaw(t, s, wire.ConnectRequest{Timeout: c.handshake.Timeout, SessionID: id(c), Passwd: c.handshake.Passwd})
}

type network struct {
	line fault.Line
	s    *zkserver.Server
	life context.Context
	wg   sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func networkTo(t testing.TB, s *zkserver.Server) *network {
	n := &network{s: s, life: t.Context()}
	t.Cleanup(n.wg.Wait)
	return n
}

func (n *network) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(n.life, timeout)
	defer cancel()
	owner := fault.Owner{Life: n.life, Go: func(f func()) bool { n.wg.Go(f); return true }}
	nc, err := n.line.Dial(ctx, owner, network, addr, func(context.Context, string, string) (net.Conn, error) {
		return n.s.Dial()
	})
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, nc)
	return nc, nil
}

func (n *network) connect(t testing.TB, req wire.ConnectRequest) *rawClient {
	t.Helper()
	nc, err := n.dial("tcp", "127.0.0.1:1", time.Hour)
	try(t, err)
	return connectRaw(t, nc, req)
}

func (n *network) closeConns() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, nc := range n.conns {
		nc.Close()
	}
	n.conns = nil
}

func keepRequesting(t *testing.T, n *network, stop <-chan struct{}, requesting *sync.WaitGroup) *zk.Conn {
	c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:2"}, 2*time.Second, zk.WithDialer(n.dial), zk.WithLogger(noLog{}))
	try(t, err)
	go func() {
		for range events {
		}
	}()
	requesting.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(37 * time.Millisecond):
			}
			c.Create("/e/n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
			c.Children("/e") // without a watch, because go-zookeeper has a race when it restores watches
		}
	})
	return c
}

func TestFaultsAtRandom(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		rng := rand.New(rand.NewPCG(zktest.Seed(t), 0))
		spared := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		spared.create("/spared", wire.FlagEphemeral)
		spared.create("/e", 0)
		var clients []*zk.Conn
		var nets []*network
		var requesting sync.WaitGroup
		stop := make(chan struct{})
		for range 4 {
			n := networkTo(t, s)
			nets, clients = append(nets, n), append(clients, keepRequesting(t, n, stop, &requesting))
		}
		heal := func() {
			for _, n := range nets {
				n.line.Heal()
			}
		}
		counted := tally(t, s, "/e")
		for range 400 {
			i := rng.IntN(len(clients))
			switch rng.IntN(8) {
			case 0:
				s.ExpireSession(clients[i].SessionID())
			case 1, 2:
				nets[i].closeConns()
			case 3:
				nets[i].line.Partition()
			case 4, 5:
				heal()
			case 6:
				s.SetPace(zkserver.Pace{Delay: time.Duration(rng.IntN(3)) * 100 * time.Millisecond, Steps: rng.IntN(4) == 0})
			case 7:
				for range rng.IntN(5) {
					s.Step()
				}
			}
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			spared.must(wire.OpPing, nil, nil)
		}
		s.SetPace(zkserver.Pace{})
		heal()
		close(stop)
		requesting.Wait()
		for _, c := range clients {
			zktest.Await(t, "a client recovers", func() bool { _, _, err := c.Exists("/e"); return err == nil })
			c.Close()
		}
		var st wire.Stat
		spared.must(wire.OpExists, &wire.PathWatchRequest{Path: "/spared"}, &st)
		if st.EphemeralOwner != id(spared) {
			t.Error("the session without faults does not own its node any more")
		}
		if n := s.Counters().Panics; n > 0 {
			t.Errorf("got %d panics, want none", n)
		}
		time.Sleep(time.Second)
		if sum, _, deletions := counted.sum(); !sum.Settled || deletions == 0 {
			t.Errorf("tallies: got %d deletions, settled %t; want at least one, all settled", deletions, sum.Settled)
		}
	})
}

func TestCloseDuringFaults(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		n := networkTo(t, s)
		b := n.connect(t, wire.ConnectRequest{})
		n.line.Partition()
		b.send(wire.OpPing, nil)
		c, d := pipeRaw(t, s, wire.ConnectRequest{}), pipeRaw(t, s, wire.ConnectRequest{})
		counted := tally(t, s, "/")
		c.create("/n", 0)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/n", Watch: true}, &wire.DataResponse{})
		d.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/n", Watch: true}, &wire.DataResponse{})
		s.SetPace(zkserver.Pace{Delay: time.Second})
		d.send(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/n", Version: -1})
		d.send(wire.OpCloseSession, nil)
		synctest.Wait()
		s.Close()
		if b := s.TakeBacklog(9); len(b.Held)+b.Waiting > 0 {
			t.Errorf("held messages after Close: got %+v, want none", b.Held)
		}
		if _, ok := s.Step(); ok {
			t.Error("Step after Close released a message")
		}
		if _, ok := s.Deadline(id(c)); ok {
			t.Error("got a deadline after Close")
		}
		s.SetPace(zkserver.Pace{Steps: true})
		counted.stop()
		if all := counted.all(); len(all) != 1 || len(all[0].Notified) != 2 {
			t.Errorf("tallies: got %+v, want one with two sessions notified", all)
		}
		wantClosed(t, c)
		wantClosed(t, d)
		n.line.Heal()
		wantClosed(t, b)
	})
}
