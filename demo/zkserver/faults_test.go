package zkserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
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

// TestOthersNoticeNothing lets a witness live the same life beside a session
// that suffers each of the faults and beside one that suffers none: what it is
// told and when, until it falls silent and expires, is the same.
func TestOthersNoticeNothing(t *testing.T) {
	faults := map[string]func(t *testing.T, s *zkserver.Server, c *rawClient){
		"none":   func(*testing.T, *zkserver.Server, *rawClient) {},
		"expire": func(t *testing.T, s *zkserver.Server, c *rawClient) { try(t, s.ExpireSession(id(c))) },
		"drop":   func(t *testing.T, s *zkserver.Server, c *rawClient) { try(t, s.DropConnection(id(c))) },
		"lose": func(t *testing.T, s *zkserver.Server, c *rawClient) {
			try(t, s.LoseCreateReply(id(c)))
			c.send(wire.OpCreate, &wire.CreateRequest{Path: "/victim/x", ACL: world(31)})
		},
		"hold": func(t *testing.T, s *zkserver.Server, c *rawClient) {
			h, err := s.Hold(id(c))
			try(t, err)
			for range 100 {
				c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true})
			}
			h.Delay(300 * time.Millisecond)
			go io.Copy(io.Discard, c.nc)
		},
		"partition": func(t *testing.T, s *zkserver.Server, c *rawClient) {
			try(t, s.Partition(id(c), true))
			c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true})
			go func() {
				time.Sleep(time.Second)
				s.Partition(id(c), false)
				io.Copy(io.Discard, c.nc)
			}()
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
			victim := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
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
					fault(t, s, victim)
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

func TestFaultsOfNobody(t *testing.T) {
	s := zkserver.New(zkserver.Options{})
	faults := func(want func(error) bool) {
		t.Helper()
		_, err := s.Hold(7)
		for what, err := range map[string]error{
			"expire": s.ExpireSession(7), "drop": s.DropConnection(7), "lose": s.LoseCreateReply(7),
			"partition": s.Partition(7, true), "hold": err,
		} {
			if !want(err) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := s.Partition(7, false); err != nil {
			t.Errorf("heal: %v", err)
		}
	}
	faults(func(err error) bool { return err != nil && strings.Contains(err.Error(), "0x7: no such session") })
	s.Close()
	s.Restart(time.Second)
	faults(func(err error) bool { return errors.Is(err, zkserver.ErrClosed) })
}

func TestDropConnection(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		try(t, s.DropConnection(id(c)))
		wantGone(t, c)
		try(t, s.DropConnection(id(c))) // nothing to drop
		time.Sleep(4 * time.Second)
		again := resume(t, s, c)
		again.must(wire.OpPing, nil, nil)
		if id(again) != id(c) || !exists(observer, "/e") {
			t.Error("the session went with its connection")
		}
		try(t, s.DropConnection(id(c)))
		time.Sleep(5200 * time.Millisecond)
		if exists(observer, "/e") {
			t.Error("the session without a connection does not expire")
		}
	})
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		c, events := connectZK(t, addr, d, 10*time.Second)
		was := c.SessionID()
		try(t, s.DropConnection(was))
		waitState(t, events, zk.StateDisconnected)
		waitState(t, events, zk.StateHasSession)
		if c.SessionID() != was {
			t.Errorf("session %#x became %#x", was, c.SessionID())
		}
	})
}

func TestLoseCreateReply(t *testing.T) {
	plain := func(path string) (wire.Op, wire.Appender) {
		return wire.OpCreate, &wire.CreateRequest{Path: path, ACL: world(31)}
	}
	for name, create := range map[string]func(string) (wire.Op, wire.Appender){
		"create":  plain,
		"create2": func(path string) (wire.Op, wire.Appender) { _, r := plain(path); return wire.OpCreate2, r },
		"container": func(path string) (wire.Op, wire.Appender) {
			return wire.OpCreateContainer, &wire.CreateRequest{Path: path, ACL: world(31), Flags: wire.FlagContainer}
		},
		"ttl": func(path string) (wire.Op, wire.Appender) {
			return wire.OpCreateTTL, &wire.CreateTTLRequest{CreateRequest: wire.CreateRequest{Path: path, ACL: world(31), Flags: wire.FlagTTL}, TTL: 1e6}
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
				c.create("/taken", 0)
				try(t, s.LoseCreateReply(id(c)))
				// A create that fails is answered, and others than creates are.
				if op, req := create("/taken"); op == wire.OpMulti {
					c.must(op, req, &wire.MultiResponse{})
				} else if h := c.call(op, req, nil); h.Err != wire.NodeExists {
					t.Errorf("create of what exists: %v", h.Err)
				}
				c.must(wire.OpSetData, &wire.SetDataRequest{Path: "/taken", Version: -1}, &wire.Stat{})
				c.call(wire.OpExists, &wire.PathWatchRequest{Path: "/lost", Watch: true}, nil)
				// What comes before the create is answered, what comes after is
				// not even carried out.
				op, req := create("/lost")
				out := wire.AppendFrame(nil, &wire.RequestHeader{Xid: 901, Op: wire.OpSync}, &wire.PathRequest{Path: "/"})
				out = wire.AppendFrame(out, &wire.RequestHeader{Xid: 902, Op: op}, req)
				out = wire.AppendFrame(out, &wire.RequestHeader{Xid: 903, Op: wire.OpDelete}, &wire.PathVersionRequest{Path: "/taken", Version: -1})
				go c.nc.Write(out)
				if h, err := c.receive(&wire.PathResponse{}); err != nil || h.Xid != 901 {
					t.Errorf("the reply before: %+v %v", h, err)
				}
				wantGone(t, c)
				if events != 1 {
					t.Errorf("%d events before the reply that was lost, want 1", events)
				}
				if !exists(observer, "/lost") || !exists(observer, "/taken") {
					t.Error("not exactly the create was carried out")
				}
				again := resume(t, s, c)
				if id(again) != id(c) {
					t.Fatal("the session is gone")
				}
				again.create("/heard", 0)
			})
		})
	}
	// A client with a recovery of its own ends up with one node.
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		c, _ := connectZK(t, addr, d, 10*time.Second)
		acl := zk.WorldACL(zk.PermAll)
		_, err := c.Create("/e", nil, 0, acl)
		try(t, err)
		try(t, s.LoseCreateReply(c.SessionID()))
		if _, err := c.Create("/e/plain", nil, 0, acl); !errors.Is(err, zk.ErrConnectionClosed) {
			t.Errorf("create whose reply is lost: %v", err)
		}
		eventually(t, "connected again", func() bool { _, _, err := c.Get("/e/plain"); return err == nil })
		try(t, s.LoseCreateReply(c.SessionID()))
		name, err := c.CreateProtectedEphemeralSequential("/e/n_", nil, acl)
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
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		events := 0
		c.onEvent = func(wire.WatcherEvent) { events++ }
		c.create("/e", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/news", Watch: true}, &wire.DataResponse{})
		try(t, s.Partition(id(c), true))
		try(t, s.Partition(id(c), true)) // is it already
		observer.must(wire.OpSetData, &wire.SetDataRequest{Path: "/news", Version: -1}, &wire.Stat{})
		c.send(wire.OpDelete, &wire.PathVersionRequest{Path: "/news", Version: -1})
		if hears(c, 4*time.Second) || !exists(observer, "/news") {
			t.Fatal("something passed")
		}
		// Healed in time: all of it passes, and the session lives on.
		try(t, s.Partition(id(c), false))
		if h, err := c.receive(nil); h.Err != wire.OK || err != nil || events != 1 || exists(observer, "/news") {
			t.Fatalf("after healing: %+v %v, %d events", h, err, events)
		}
		c.must(wire.OpPing, nil, nil)

		// Its deadline runs: it expires and does not learn it, on this
		// connection or on another.
		try(t, s.Partition(id(c), true))
		c.send(wire.OpPing, nil)
		begin := time.Now()
		for exists(observer, "/e") {
			time.Sleep(time.Millisecond)
		}
		if lived := time.Since(begin); lived < 5*time.Second || lived > 5101*time.Millisecond {
			t.Errorf("expired after %v", lived)
		}
		late, err := s.Dial()
		try(t, err)
		defer late.Close()
		ask := wire.AppendFrame(nil, &wire.ConnectRequest{Timeout: 5000, SessionID: id(c), Passwd: c.conn.Passwd})
		late.Write(ask)
		late.SetReadDeadline(time.Now().Add(time.Hour))
		if n, err := late.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the handshake is answered: %d %v", n, err)
		}
		s.CloseConnections()
		if hears(c, time.Minute) {
			t.Error("the connection's end is heard")
		}
		third, err := s.Dial()
		try(t, err)
		third.Write(ask)
		synctest.Wait()
		try(t, s.Partition(id(c), false))
		wantGone(t, c)
		late.SetReadDeadline(time.Now().Add(patience))
		if n, err := late.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection that was closed meanwhile: %d %v", n, err)
		}
		third.SetDeadline(time.Now().Add(patience))
		frame, err := wire.ReadFrame(third, 1<<10)
		try(t, err)
		var rsp wire.ConnectResponse
		rsp.Decode(wire.NewDecoder(frame))
		if rsp.SessionID != 0 {
			t.Errorf("the late handshake: %+v, want that the session is gone", rsp)
		}
		third.Close()
		if id(resume(t, s, c)) != 0 {
			t.Error("the session lives")
		}
	})
}

// TestPartitionedHandshake: a client that comes back over another connection
// waits too, is let in with all that it sent, and may have given up meanwhile.
func TestPartitionedHandshake(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		try(t, s.Partition(id(c), true))
		ask := wire.AppendFrame(nil, &wire.ConnectRequest{Timeout: 60_000, SessionID: id(c), Passwd: c.conn.Passwd})
		for range 3 { // gives up
			nc, err := s.Dial()
			try(t, err)
			nc.Write(ask)
			time.Sleep(10 * time.Second)
			nc.Close()
		}
		synctest.Wait()
		nc, err := s.Dial()
		try(t, err)
		defer nc.Close()
		nc.Write(ask)
		time.Sleep(15 * time.Second) // more than strangers get
		answered := make(chan *rawClient)
		go func() {
			again := &rawClient{t: t, nc: nc, onEvent: func(wire.WatcherEvent) {}}
			nc.SetDeadline(time.Now().Add(patience))
			frame, err := wire.ReadFrame(nc, 1<<10)
			if err != nil {
				t.Errorf("the handshake after healing: %v", err)
			} else {
				again.conn.Decode(wire.NewDecoder(frame))
			}
			answered <- again
		}()
		try(t, s.Partition(id(c), false))
		again := <-answered
		if id(again) != id(c) {
			t.Fatalf("resumed %#x, want %#x", id(again), id(c))
		}
		wantGone(t, c)
		again.in = bufio.NewReader(nc)
		for range 3 {
			again.create("/n", wire.FlagSequential)
		}
	})
}

// TestPartitionGoZookeeper: a client behind a partition learns that its session
// expired when it is healed, and not before.
func TestPartitionGoZookeeper(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c, events := connectZK(t, "127.0.0.1:1", dialer(s), 4*time.Second)
		defer c.Close()
		observer, _ := connectZK(t, "127.0.0.1:1", dialer(s), 4*time.Second)
		defer observer.Close()
		_, err := c.Create("/e", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		try(t, err)
		_, _, gone, err := observer.GetW("/e")
		try(t, err)
		was := c.SessionID()
		try(t, s.Partition(was, true))
		if ev := waitEvent(t, gone); ev.Type != zk.EventNodeDeleted {
			t.Errorf("event %+v", ev)
		}
		time.Sleep(time.Minute)
		if st := c.State(); st == zk.StateHasSession || st == zk.StateExpired || c.SessionID() != was {
			t.Errorf("behind the partition: %v", st)
		}
		try(t, s.Partition(was, false))
		waitState(t, events, zk.StateExpired)
		waitState(t, events, zk.StateHasSession)
		if c.SessionID() == was {
			t.Error("the session lives")
		}
	})
}

func TestRestartOnDemand(t *testing.T) {
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
		stop := make(chan struct{})
		done := make(chan struct{})
		for range 4 {
			c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:2"}, 2*time.Second, zk.WithDialer(dialer(s)), zk.WithLogger(quiet{}))
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
		parted := make(map[int64]bool)
		holds := make(map[int64]*zkserver.Hold)
		counted := tally(t, s, "/e")
		for range 400 {
			victim := clients[rng.IntN(len(clients))].SessionID()
			switch rng.IntN(11) {
			case 0:
				s.ExpireSession(victim)
			case 1:
				s.DropConnection(victim)
			case 2:
				s.LoseCreateReply(victim)
			case 3:
				if s.Partition(victim, true) == nil {
					parted[victim] = true
				}
			case 4:
				for v := range parted {
					try(t, s.Partition(v, false))
					delete(parted, v)
				}
			case 5:
				if h, err := s.Hold(victim); err == nil {
					holds[victim] = h
				}
			case 6:
				for _, h := range holds {
					if n, had := h.Release(rng.IntN(5)), len(h.Held()); n > 4 || had < 0 {
						t.Errorf("released %d", n)
					}
					h.Delay(time.Duration(rng.IntN(3)-1) * 100 * time.Millisecond)
				}
			case 7:
				for v, h := range holds {
					h.End()
					delete(holds, v)
				}
			case 8:
				s.SetPace(zkserver.Pace{Delay: time.Duration(rng.IntN(3)) * 100 * time.Millisecond, Steps: rng.IntN(4) == 0})
			case 9:
				for range rng.IntN(5) {
					s.Step()
				}
			}
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			spared.must(wire.OpPing, nil, nil)
		}
		s.SetPace(zkserver.Pace{})
		for v := range parted {
			try(t, s.Partition(v, false))
		}
		for _, h := range holds {
			h.End()
		}
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
		a, b := pipeRaw(t, s, wire.ConnectRequest{}), pipeRaw(t, s, wire.ConnectRequest{})
		h, err := s.Hold(id(a))
		try(t, err)
		h.Delay(time.Hour)
		a.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		a.send(wire.OpCloseSession, nil)
		try(t, s.Partition(id(b), true))
		b.send(wire.OpPing, nil)
		nc, err := s.Dial()
		try(t, err)
		nc.Write(wire.AppendFrame(nil, &wire.ConnectRequest{SessionID: id(b), Passwd: b.conn.Passwd}))
		synctest.Wait()
		try(t, s.DropConnection(id(b)))
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
		wantGone(t, a)
		wantGone(t, b)
		for range h.Changed() { // is closed
		}
		if n := h.Release(9); n != 0 || len(h.Held()) != 0 {
			t.Errorf("%d released after the end", n)
		}
		h.Delay(time.Second)
		h.End()
		nc.Close()
	})
}
