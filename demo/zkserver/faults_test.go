package zkserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

func id(c *rawClient) int64 { return c.conn.SessionID }

func try(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hears waits for d and reports whether the server says anything meanwhile,
// be it that the connection ends.
func hears(c *rawClient, d time.Duration) bool {
	c.nc.SetReadDeadline(time.Now().Add(d))
	_, err := c.in.Peek(1)
	c.nc.SetDeadline(time.Now().Add(patience))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

func wantGone(t testing.TB, c *rawClient) {
	t.Helper()
	if err := c.closed(); err != nil {
		t.Errorf("the connection: %v", err)
	}
}

func resume(t *testing.T, s *zkserver.Server, c *rawClient) *rawClient {
	t.Helper()
	return pipeRaw(t, s, wire.ConnectRequest{Timeout: c.conn.Timeout, SessionID: id(c), Passwd: c.conn.Passwd})
}

// A network is that of one client. It can be partitioned and cut.
type network struct {
	line fault.Line
	raw  zk.Dialer
	life context.Context
	wg   sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newNetwork(t testing.TB, raw zk.Dialer) *network {
	if raw == nil {
		raw = net.DialTimeout
	}
	n := &network{raw: raw, life: t.Context()}
	t.Cleanup(n.wg.Wait)
	return n
}

func networkTo(t testing.TB, s *zkserver.Server) *network { return newNetwork(t, dialer(s)) }

// dial is a [zk.Dialer].
func (n *network) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(n.life, timeout)
	defer cancel()
	owner := fault.Owner{Life: n.life, Go: func(f func()) bool { n.wg.Go(f); return true }}
	nc, err := n.line.Dial(ctx, owner, network, addr, func(context.Context, string, string) (net.Conn, error) {
		return n.raw(network, addr, timeout)
	})
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, nc)
	return nc, nil
}

// connect returns a client that is connected over the network.
func (n *network) connect(t testing.TB, req wire.ConnectRequest) *rawClient {
	t.Helper()
	nc, err := n.dial("tcp", "127.0.0.1:1", time.Hour)
	try(t, err)
	return connectRaw(t, nc, req)
}

// cut ends the connections that are open.
func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, nc := range n.conns {
		nc.Close()
	}
	n.conns = nil
}

// loseReply has the reply to a request lost: the server carries the request out,
// and the connection is cut while the reply is on its way.
func loseReply(t testing.TB, s *zkserver.Server, session int64, cut, request func()) {
	t.Helper()
	s.SetPace(steps)
	defer s.SetPace(zkserver.Pace{})
	request()
	var reply zkserver.Paced
	eventually(t, "a reply is on its way", func() bool {
		_, held, _ := s.Paced(1 << 20)
		i := slices.IndexFunc(held, func(m zkserver.Paced) bool { return m.Session == session && m.Event == 0 })
		if i >= 0 {
			reply = held[i]
		}
		return i >= 0
	})
	cut()
	eventually(t, "the reply is lost", func() bool {
		_, held, _ := s.Paced(1 << 20)
		return !slices.Contains(held, reply)
	})
}

// TestOthersNoticeNothing lets a witness live the same life beside a session
// that suffers each of the faults and beside one that suffers none: what it is
// told and when, until it falls silent and expires, is the same.
func TestOthersNoticeNothing(t *testing.T) {
	faults := map[string]func(t *testing.T, s *zkserver.Server, n *network, c *rawClient){
		"none":   func(*testing.T, *zkserver.Server, *network, *rawClient) {},
		"expire": func(t *testing.T, s *zkserver.Server, _ *network, c *rawClient) { try(t, s.ExpireSession(id(c))) },
		"cut":    func(_ *testing.T, _ *zkserver.Server, n *network, _ *rawClient) { n.cut() },
		"lost reply": func(_ *testing.T, _ *zkserver.Server, n *network, c *rawClient) {
			c.send(wire.OpCreate, &wire.CreateRequest{Path: "/victim/x", ACL: world(31)})
			n.cut()
		},
		"late reader": func(_ *testing.T, _ *zkserver.Server, _ *network, c *rawClient) {
			request := wire.AppendFrame(nil, &wire.RequestHeader{Xid: 1, Op: wire.OpGetData}, &wire.PathWatchRequest{Path: "/news", Watch: true})
			go c.nc.Write(bytes.Repeat(request, 100))
			time.AfterFunc(300*time.Millisecond, func() { io.Copy(io.Discard, c.nc) })
		},
		"partition": func(_ *testing.T, _ *zkserver.Server, n *network, c *rawClient) {
			n.line.Partition()
			c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true})
			time.AfterFunc(time.Second, func() {
				n.line.Heal()
				io.Copy(io.Discard, c.nc)
			})
		},
	}
	lives := make(map[string]string)
	for name, fault := range faults {
		bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
			begin := time.Now()
			var life strings.Builder
			note := func(format string, args ...any) {
				fmt.Fprintf(&life, "%v ", time.Since(begin))
				fmt.Fprintf(&life, format+"\n", args...)
			}
			writer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			writer.create("/news", 0)
			n := networkTo(t, s)
			victim := n.connect(t, wire.ConnectRequest{Timeout: 60_000})
			victim.create("/victim", 0)
			victim.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true}, &wire.DataResponse{})
			w := pipeRaw(t, s, wire.ConnectRequest{Timeout: 3000})
			w.onEvent = func(ev wire.WatcherEvent) { note("event %d of %s", ev.Type, ev.Path) }
			w.create("/witness", wire.FlagEphemeral)
			for i := range 30 {
				var got wire.DataResponse
				w.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true}, &got)
				note("data of version %d", got.Stat.Version)
				if i == 10 {
					fault(t, s, n, victim)
				}
				if i%3 == 0 {
					writer.must(wire.OpSetData, &wire.SetDataRequest{Path: "/news", Version: -1}, &wire.Stat{})
				}
				time.Sleep(70 * time.Millisecond)
				note("pong %v", w.call(wire.OpPing, nil, nil).Err)
			}
			time.Sleep(500 * time.Microsecond) // never look at the very tick
			for exists(writer, "/witness") {
				time.Sleep(time.Millisecond)
			}
			wantGone(t, w)
			note("expired")
			lives[name] = life.String()
		})
	}
	if n := strings.Count(lives["none"], "event 3"); n != 10 {
		t.Errorf("the witness saw %d events, want 10:\n%s", n, lives["none"])
	}
	for name, life := range lives {
		if life != lives["none"] {
			t.Errorf("%s changes another session's life from\n%s\nto\n%s", name, lives["none"], life)
		}
	}
}

func TestExpireNobody(t *testing.T) {
	s := zkserver.New(zkserver.Options{})
	if err := s.ExpireSession(7); err == nil || !strings.Contains(err.Error(), "0x7: no such session") {
		t.Errorf("expire: %v", err)
	}
	s.Close()
	s.Restart(time.Second)
	if err := s.ExpireSession(7); !errors.Is(err, zkserver.ErrClosed) {
		t.Errorf("expire: %v", err)
	}
}

// TestCutConnection: a session outlives its connection, for its timeout.
func TestCutConnection(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		c.nc.Close()
		time.Sleep(4 * time.Second)
		again := resume(t, s, c)
		again.must(wire.OpPing, nil, nil)
		if id(again) != id(c) || !exists(observer, "/e") {
			t.Error("the session went with its connection")
		}
		again.nc.Close()
		time.Sleep(5200 * time.Millisecond)
		if exists(observer, "/e") {
			t.Error("the session without a connection does not expire")
		}
	})
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		n := newNetwork(t, d)
		c, events := connectZK(t, addr, n.dial, 10*time.Second)
		was := c.SessionID()
		n.cut()
		waitState(t, events, zk.StateDisconnected)
		waitState(t, events, zk.StateHasSession)
		if c.SessionID() != was {
			t.Errorf("session %#x became %#x", was, c.SessionID())
		}
	})
}

// TestLostReply: a create whose reply is lost has made its node, and the session
// can be resumed.
func TestLostReply(t *testing.T) {
	plain := func(path string) (wire.Op, wire.Appender) {
		return wire.OpCreate, &wire.CreateRequest{Path: path, ACL: world(31)}
	}
	for name, create := range map[string]func(string) (wire.Op, wire.Appender){
		"create":  plain,
		"create2": func(path string) (wire.Op, wire.Appender) { _, r := plain(path); return wire.OpCreate2, r },
		"container": func(path string) (wire.Op, wire.Appender) {
			return wire.OpCreateContainer, &wire.CreateRequest{Path: path, ACL: world(31), Flags: wire.FlagContainer}
		},
		"multi": func(path string) (wire.Op, wire.Appender) {
			return wire.OpMulti, &wire.MultiRequest{Ops: []wire.MultiOp{{Op: wire.OpCheck, Path: "/", Version: -1},
				{Op: wire.OpCreate, Create: wire.CreateRequest{Path: path, ACL: world(31)}}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
				observer := pipeRaw(t, s, wire.ConnectRequest{})
				c := pipeRaw(t, s, wire.ConnectRequest{})
				events := 0
				c.onEvent = func(wire.WatcherEvent) { events++ }
				c.create("/mine", wire.FlagEphemeral)
				c.call(wire.OpExists, &wire.PathWatchRequest{Path: "/lost", Watch: true}, nil)
				op, req := create("/lost")
				loseReply(t, s, id(c), func() { c.nc.Close() }, func() { c.send(op, req) })
				if !exists(observer, "/lost") || !exists(observer, "/mine") {
					t.Error("the create was not carried out, or the session ended")
				}
				again := resume(t, s, c)
				again.onEvent = c.onEvent
				if id(again) != id(c) {
					t.Fatal("the session is gone")
				}
				again.must(wire.OpSetData, &wire.SetDataRequest{Path: "/lost", Version: -1}, &wire.Stat{})
				again.create("/heard", 0)
				if events > 0 {
					t.Errorf("%d events of watches that went with the connection", events)
				}
			})
		})
	}
	// A client with a recovery of its own ends up with one node.
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		n := newNetwork(t, d)
		c, _ := connectZK(t, addr, n.dial, 10*time.Second)
		acl := zk.WorldACL(zk.PermAll)
		_, err := c.Create("/e", nil, 0, acl)
		try(t, err)
		failed := make(chan error, 1)
		loseReply(t, s, c.SessionID(), n.cut, func() {
			go func() {
				_, err := c.Create("/e/plain", nil, 0, acl)
				failed <- err
			}()
		})
		if err := <-failed; !errors.Is(err, zk.ErrConnectionClosed) {
			t.Errorf("create whose reply is lost: %v", err)
		}
		eventually(t, "connected again", func() bool { _, _, err := c.Get("/e/plain"); return err == nil })
		var name string
		loseReply(t, s, c.SessionID(), n.cut, func() {
			go func() {
				var err error
				name, err = c.CreateProtectedEphemeralSequential("/e/n_", nil, acl)
				failed <- err
			}()
		})
		err = <-failed
		kids, _, _ := c.Children("/e")
		if err != nil || len(kids) != 2 || kids[0] != strings.TrimPrefix(name, "/e/") && kids[1] != strings.TrimPrefix(name, "/e/") {
			t.Errorf("protected create: %q %v, children %q", name, err, kids)
		}
	})
}

func TestPartition(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		observer.create("/news", 0)
		n := networkTo(t, s)
		c := n.connect(t, wire.ConnectRequest{Timeout: 5000})
		events := 0
		c.onEvent = func(wire.WatcherEvent) { events++ }
		c.create("/e", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true}, &wire.DataResponse{})
		n.line.Partition()
		observer.must(wire.OpSetData, &wire.SetDataRequest{Path: "/news", Version: -1}, &wire.Stat{})
		c.send(wire.OpDelete, &wire.PathVersionRequest{Path: "/news", Version: -1})
		if hears(c, 4*time.Second) || !exists(observer, "/news") {
			t.Fatal("something passed")
		}
		// Healed in time: all of it passes, and the session lives on.
		n.line.Heal()
		if h, err := c.receive(nil); h.Err != wire.OK || err != nil || events != 1 || exists(observer, "/news") {
			t.Fatalf("after healing: %+v %v, %d events", h, err, events)
		}
		c.must(wire.OpPing, nil, nil)

		// Its deadline runs: it expires and does not learn it.
		n.line.Partition()
		c.send(wire.OpPing, nil)
		begin := time.Now()
		for exists(observer, "/e") {
			time.Sleep(time.Millisecond)
		}
		if lived := time.Since(begin); lived < 5*time.Second || lived > 5101*time.Millisecond {
			t.Errorf("expired after %v", lived)
		}
		if hears(c, time.Minute) {
			t.Error("the connection's end is heard")
		}
		n.line.Heal()
		wantGone(t, c)
		if late := n.connect(t, wire.ConnectRequest{Timeout: 5000, SessionID: id(c), Passwd: c.conn.Passwd}); id(late) != 0 {
			t.Error("the session lives")
		}
	})
}

// TestPartitionedHandshake: a client that comes back over another connection
// is let in late, with all that it sent meanwhile.
func TestPartitionedHandshake(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		n := networkTo(t, s)
		nc, err := n.dial("tcp", "127.0.0.1:1", time.Hour)
		try(t, err)
		defer nc.Close()
		n.line.Partition()
		out := wire.AppendFrame(nil, &wire.ConnectRequest{Timeout: 60_000, SessionID: id(c), Passwd: c.conn.Passwd})
		for xid := range int32(3) {
			out = wire.AppendFrame(out, &wire.RequestHeader{Xid: xid + 1, Op: wire.OpCreate},
				&wire.CreateRequest{Path: "/n", ACL: world(31), Flags: wire.FlagSequential})
		}
		_, err = nc.Write(out)
		try(t, err)
		time.Sleep(9 * time.Second) // what strangers get
		c.must(wire.OpPing, nil, nil)
		n.line.Heal()
		nc.SetDeadline(time.Now().Add(patience))
		again := &rawClient{t: t, nc: nc, in: bufio.NewReader(nc), onEvent: func(wire.WatcherEvent) {}}
		frame, err := wire.ReadFrame(again.in, 1<<10)
		try(t, err)
		if again.conn.Decode(wire.NewDecoder(frame)); id(again) != id(c) {
			t.Fatalf("resumed %#x, want %#x", id(again), id(c))
		}
		wantGone(t, c)
		for xid := range int32(3) {
			if h, err := again.receive(&wire.PathResponse{}); err != nil || h.Xid != xid+1 || h.Err != wire.OK {
				t.Errorf("create %d: %+v %v", xid+1, h, err)
			}
		}
	})
}

// TestPartitionGoZookeeper: a client behind a partition learns that its session
// expired when it is healed, and not before.
func TestPartitionGoZookeeper(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		n := networkTo(t, s)
		c, events := connectZK(t, "127.0.0.1:1", n.dial, 4*time.Second)
		defer c.Close()
		observer, _ := connectZK(t, "127.0.0.1:1", dialer(s), 4*time.Second)
		defer observer.Close()
		_, err := c.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		try(t, err)
		_, _, gone, err := observer.GetW("/e")
		try(t, err)
		was := c.SessionID()
		n.line.Partition()
		if ev := waitEvent(t, gone); ev.Type != zk.EventNodeDeleted {
			t.Errorf("event %+v", ev)
		}
		time.Sleep(time.Minute)
		if st := c.State(); st == zk.StateHasSession || st == zk.StateExpired || c.SessionID() != was {
			t.Errorf("behind the partition: %v", st)
		}
		n.line.Heal()
		waitState(t, events, zk.StateExpired)
		waitState(t, events, zk.StateHasSession)
		if c.SessionID() == was {
			t.Error("the session lives")
		}
	})
}

func TestRestartOnDemand(t *testing.T) {
	t.Parallel()
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		c.create("/stays", 0)
		time.Sleep(4 * time.Second)
		s.Restart(30 * time.Second)
		wantGone(t, c)
		time.Sleep(29_900 * time.Millisecond)
		if _, err := s.Dial(); !errors.Is(err, zkserver.ErrRefused) {
			t.Errorf("dial while it is down: %v", err)
		}
		time.Sleep(200 * time.Millisecond)
		time.Sleep(4800 * time.Millisecond) // a whole timeout from then on
		again := resume(t, s, c)
		if id(again) != id(c) || !exists(again, "/e") || !exists(again, "/stays") {
			t.Error("the session or the tree did not survive")
		}
		s.Restart(time.Hour)
		s.Restart(0)
		observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		begin := time.Now()
		for exists(observer, "/e") {
			time.Sleep(time.Millisecond)
		}
		if lived := time.Since(begin); lived < 5*time.Second || lived > 5101*time.Millisecond {
			t.Errorf("expired %v after the restart", lived)
		}
		s.Restart(time.Hour)
	})
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		c, events := connectZK(t, addr, d, 10*time.Second)
		was := c.SessionID()
		s.Restart(10 * time.Millisecond)
		waitState(t, events, zk.StateDisconnected)
		waitState(t, events, zk.StateHasSession)
		if c.SessionID() != was {
			t.Errorf("session %#x became %#x", was, c.SessionID())
		}
	})
}

// TestFaultsAtRandom throws all faults at some clients, in any combination.
// They recover; the one that is spared keeps its session and its connection.
func TestFaultsAtRandom(t *testing.T) {
	seed := rand.Uint64()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		rng := rand.New(rand.NewPCG(seed, 0))
		spared := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		spared.create("/spared", wire.FlagEphemeral)
		spared.create("/e", 0)
		var clients []*zk.Conn
		var nets []*network
		stop := make(chan struct{})
		done := make(chan struct{})
		for range 4 {
			n := networkTo(t, s)
			nets = append(nets, n)
			c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:2"}, 2*time.Second, zk.WithDialer(n.dial), zk.WithLogger(quiet{}))
			try(t, err)
			go func() {
				for range events {
				}
			}()
			clients = append(clients, c)
			go func() {
				defer func() { done <- struct{}{} }()
				for {
					select {
					case <-stop:
						return
					case <-time.After(37 * time.Millisecond):
					}
					c.Create("/e/n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
					c.Children("/e") // no watch: go-zookeeper restores them with a race
				}
			}()
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
				nets[i].cut()
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
		for range clients {
			<-done
		}
		for _, c := range clients {
			eventually(t, "a client recovers", func() bool { _, _, err := c.Exists("/e"); return err == nil })
			c.Close()
		}
		var st wire.Stat
		spared.must(wire.OpExists, &wire.PathWatchRequest{Path: "/spared"}, &st)
		if st.EphemeralOwner != id(spared) {
			t.Error("the session that was spared lost its node")
		}
		if n := s.Counters().Panics; n > 0 {
			t.Errorf("%d panics", n)
		}
		time.Sleep(time.Second)
		if sum, _, deletions := counted.sum(); !sum.Settled || deletions == 0 {
			t.Errorf("%d deletions, settled %t", deletions, sum.Settled)
		}
	})
}

// TestCloseAmidFaults closes a server while everything is in force.
func TestCloseAmidFaults(t *testing.T) {
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
		d.send(wire.OpDelete, &wire.PathVersionRequest{Path: "/n", Version: -1})
		d.send(wire.OpCloseSession, nil)
		synctest.Wait()
		s.Close()
		if _, held, waiting := s.Paced(9); len(held)+waiting > 0 {
			t.Errorf("held after the end: %+v", held)
		}
		if _, ok := s.Step(); ok {
			t.Error("a step after the end")
		}
		if _, _, ok := s.Deadline(id(c)); ok {
			t.Error("a deadline after the end")
		}
		s.SetPace(zkserver.Pace{Steps: true})
		counted.stop()
		if all := counted.all(); len(all) != 1 || len(all[0].Notified) != 2 {
			t.Errorf("counted %+v", all)
		}
		wantGone(t, c)
		wantGone(t, d)
		n.line.Heal()
		wantGone(t, b)
	})
}
