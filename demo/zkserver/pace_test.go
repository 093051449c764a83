package zkserver_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

var steps = zkserver.Pace{Steps: true}

func delay(d time.Duration) zkserver.Pace { return zkserver.Pace{Delay: d} }

func backstageRaw(t *testing.T, s *zkserver.Server, req wire.ConnectRequest) *rawClient {
	t.Helper()
	nc, err := s.DialBackstage()
	try(t, err)
	return connectRaw(t, nc, req)
}

// held returns the messages that the pace keeps back.
func held(t *testing.T, s *zkserver.Server) (out []zkserver.Paced) {
	t.Helper()
	synctest.Wait()
	_, held, waiting := s.Paced(1 << 20)
	if len(held) != waiting {
		t.Errorf("%d messages are held, %d told of", waiting, len(held))
	}
	return held
}

// replies reads n replies and returns their xids, with -1 for each event.
func replies(c *rawClient, n int) (xids []int32) {
	c.t.Helper()
	for len(xids) < n {
		frame, err := wire.ReadFrame(c.in, 1<<20)
		if err != nil {
			c.t.Fatalf("after %v: %v", xids, err)
		}
		var h wire.ReplyHeader
		h.Fields(wire.NewDecoder(frame))
		xids = append(xids, h.Xid)
	}
	return xids
}

func stepOne(t *testing.T, s *zkserver.Server, c *rawClient, op wire.Op) {
	t.Helper()
	if m, ok := s.Step(); !ok || m.Session != id(c) || m.Op != op {
		t.Fatalf("step: %+v %t, want %v to %#x", m, ok, op, id(c))
	}
}

// TestSteps: every reply and event, of sessions that are there and that come,
// waits for its turn, and the first that was made goes first.
func TestSteps(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		a := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		a.create("/n", 0)
		back := backstageRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		back.must(wire.OpExists, &wire.PathWatchRequest{Path: "/n", Watch: true}, &wire.Stat{})
		var events []int32
		back.onEvent = func(ev wire.WatcherEvent) { events = append(events, ev.Type) }
		if _, ok := s.Step(); ok {
			t.Error("a step with nothing held")
		}
		s.SetPace(steps)
		<-s.PaceChanged()
		begin := time.Now()
		b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000}) // the handshake passes
		b.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/n", Watch: true})
		synctest.Wait()
		time.Sleep(time.Second)
		a.send(wire.OpSetData, &wire.SetDataRequest{Path: "/n", Version: -1})
		synctest.Wait()
		b.send(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte("a:b")})
		b.xid--
		b.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/none"})
		b.send(wire.OpCreate, &wire.CreateRequest{Path: "/n/s_", ACL: world(31), Flags: wire.FlagSequential})
		synctest.Wait()
		if !exists(back, "/n/s_0000000000") {
			t.Error("a request whose reply is held is not carried out")
		}
		want := []zkserver.Paced{
			{Session: id(b), N: 1, Since: begin, Op: wire.OpGetData, Path: "/n", Xid: 1},
			{Session: id(b), N: 2, Since: begin.Add(time.Second), Op: wire.OpNotification, Path: "/n", Event: wire.EventNodeDataChanged, Xid: wire.XidWatch},
			{Session: id(a), N: 3, Since: begin.Add(time.Second), Op: wire.OpSetData, Path: "/n", Xid: 2},
			{Session: id(b), N: 4, Since: begin.Add(time.Second), Op: wire.OpAuth, Xid: wire.XidAuth},
			{Session: id(b), N: 5, Since: begin.Add(time.Second), Op: wire.OpGetData, Path: "/none", Xid: 2, Err: wire.NoNode},
			{Session: id(b), N: 6, Since: begin.Add(time.Second), Op: wire.OpCreate, Path: "/n/s_0000000000", Xid: 3},
		}
		if got := held(t, s); !slices.Equal(got, want) {
			t.Errorf("held\n%+v, want\n%+v", got, want)
		}
		if p, got, waiting := s.Paced(2); p != steps || !slices.Equal(got, want[:2]) || waiting != len(want) {
			t.Errorf("%+v, %d of them %+v", p, waiting, got)
		}
		if _, got, waiting := s.Paced(-1); got != nil || waiting != len(want) {
			t.Errorf("none of %d asked for: %+v", waiting, got)
		}
		a.must(wire.OpPing, nil, nil)
		b.must(wire.OpPing, nil, nil)
		back.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{})
		if !slices.Equal(events, []int32{wire.EventNodeDataChanged}) {
			t.Errorf("backstage hears %v", events)
		}
		<-s.PaceChanged()
		for _, m := range want {
			c := map[int64]*rawClient{id(a): a, id(b): b}[m.Session]
			stepOne(t, s, c, m.Op)
			<-s.PaceChanged()
			if got := replies(c, 1); got[0] != m.Xid {
				t.Errorf("%v released, want %+v", got, m)
			}
			if hears(a, time.Second) || hears(b, time.Second) {
				t.Error("more was released")
			}
		}
		if _, ok := s.Step(); ok {
			t.Error("a step with nothing held")
		}
		a.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		b.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		held(t, s)
		s.SetPace(zkserver.Pace{})
		replies(a, 1)
		replies(b, 1)
		a.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{})
	})
}

// TestTakeBacklog: each message is taken once, after it was sent or lost.
func TestTakeBacklog(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		a, b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000}), pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		a.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{}) // at full speed: no message to tell of
		s.SetPace(steps)
		begin := time.Now()
		for _, c := range []*rawClient{a, b, a} {
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			synctest.Wait()
		}
		all := held(t, s)
		time.Sleep(time.Second)
		s.Step()
		if x := s.TakeBacklog(1); x.Pace != steps || x.Waiting != 2 || len(x.Held) != 1 || x.Held[0] != all[1] ||
			!slices.Equal(x.Passed, []zkserver.Passed{{Paced: all[0], Left: begin.Add(time.Second)}}) {
			t.Errorf("after a step: %+v", x)
		}
		b.nc.Close()
		synctest.Wait()
		s.SetPace(zkserver.Pace{})
		x := s.TakeBacklog(9)
		if want := []zkserver.Passed{{Paced: all[1], Left: begin.Add(time.Second), Lost: true}, {Paced: all[2], Left: begin.Add(time.Second)}}; x.Waiting != 0 || !slices.Equal(x.Passed, want) {
			t.Errorf("at the end: %+v, want %+v", x, want)
		}
		s.SetPace(steps)
		for range 300 {
			a.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		}
		synctest.Wait()
		s.SetPace(zkserver.Pace{})
		if x := s.TakeBacklog(0); len(x.Passed)+x.Unlisted != 300 || x.Unlisted == 0 || x.Passed[len(x.Passed)-1].N != 303 {
			t.Errorf("%d messages and %d that are not listed, want 300", len(x.Passed), x.Unlisted)
		}
	})
}

// TestPaceDelay: each message leaves when its time has come, over all sessions,
// and a change of the pace counts for those that are held.
func TestPaceDelay(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		a := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		begin := time.Now()
		at := func(c *rawClient, want time.Duration, n int) {
			t.Helper()
			replies(c, n)
			if d := time.Since(begin); d != want {
				t.Errorf("a message after %v, want %v", d, want)
			}
		}
		sync := func(c *rawClient) {
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			synctest.Wait()
		}
		s.SetPace(delay(time.Second))
		sync(a)
		time.Sleep(500 * time.Millisecond)
		sync(b)
		sync(a)
		at(a, time.Second, 1)
		at(b, 1500*time.Millisecond, 1)
		at(a, 1500*time.Millisecond, 1)
		sync(a)
		s.SetPace(delay(-time.Second)) // like none
		at(a, 1500*time.Millisecond, 1)
		s.SetPace(delay(time.Hour)) // like the longest
		if p, _, _ := s.Paced(0); p != delay(zkserver.PaceMax) {
			t.Errorf("the pace is %+v", p)
		}
		sync(a)
		time.Sleep(time.Second)
		sync(b)
		s.SetPace(delay(1200 * time.Millisecond))
		at(a, 2700*time.Millisecond, 1)
		s.SetPace(zkserver.Pace{Steps: true, Delay: time.Millisecond})
		if hears(b, 30*time.Second) {
			t.Error("released without a step")
		}
		sync(a)
		s.SetPace(delay(time.Second))
		replies(b, 1) // is late already
		if hears(a, 999*time.Millisecond) {
			t.Error("released early")
		}
		replies(a, 1)
		sync(b)
		if m, ok := s.Step(); !ok || m.Session != id(b) {
			t.Error("no step while there is a delay")
		}
		replies(b, 1)
	})
}

// TestBackstage: what counts is the connection.
func TestBackstage(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		s.SetPace(steps)
		c := backstageRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c.create("/n", 0)
		again := wire.ConnectRequest{Timeout: 60_000, SessionID: id(c), Passwd: c.conn.Passwd}
		back := backstageRaw(t, s, again)
		if id(back) != id(c) {
			t.Fatal("not resumed")
		}
		back.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{})
		in := pipeRaw(t, s, again)
		in.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		if hears(in, time.Second) || len(held(t, s)) != 1 {
			t.Error("a session that went through another connection is not paced")
		}
		out := backstageRaw(t, s, again)
		if out.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{}); len(held(t, s)) != 0 {
			t.Error("held for a connection that is gone")
		}
		nc, err := s.Dial()
		try(t, err)
		nc.Write([]byte("cons"))
		cons, _ := io.ReadAll(nc)
		nc.Close()
		if !strings.Contains(string(cons), sessionHex(out)) {
			t.Errorf("cons does not list it: %s", cons)
		}
		s.Refuse(true)
		if _, err := s.DialBackstage(); err != zkserver.ErrRefused {
			t.Errorf("refused: %v", err)
		}
	})
}

// TestDeadline follows a session's deadline.
func TestDeadline(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		want := func(at time.Time) {
			t.Helper()
			if got, ok := s.Deadline(id(c)); !ok || !got.Equal(at) {
				t.Errorf("in %v, %t; want %v", time.Until(got), ok, time.Until(at))
			}
		}
		want(time.Now().Add(5 * time.Second))
		time.Sleep(1950 * time.Millisecond)
		c.must(wire.OpPing, nil, nil)
		want(time.Now().Add(5050 * time.Millisecond)) // the tick after
		s.SetPace(steps)
		c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		synctest.Wait()
		if hears(c, time.Hour) {
			t.Error("released without a step")
		}
		want(time.Now().Add(5050 * time.Millisecond))
		s.Step()
		replies(c, 1)
		time.Sleep(time.Second)
		want(time.Now().Add(4050 * time.Millisecond))
		c.nc.Close()
		synctest.Wait()
		at, _ := s.Deadline(id(c))
		time.Sleep(time.Until(at) - 1)
		if _, ok := s.Deadline(id(c)); !ok {
			t.Error("expired early")
		}
		time.Sleep(2 * time.Nanosecond)
		if _, ok := s.Deadline(id(c)); ok {
			t.Error("did not expire")
		}
	})
}

// TestPaceAndTheEndOfConnections: what a connection was to hear goes with it.
func TestPaceAndTheEndOfConnections(t *testing.T) {
	ends := map[string]func(t *testing.T, s *zkserver.Server, c *rawClient){
		"hangs up":      func(t *testing.T, s *zkserver.Server, c *rawClient) { c.nc.Close() },
		"all dropped":   func(t *testing.T, s *zkserver.Server, c *rawClient) { s.CloseConnections() },
		"expired":       func(t *testing.T, s *zkserver.Server, c *rawClient) { try(t, s.ExpireSession(id(c))) },
		"moved":         func(t *testing.T, s *zkserver.Server, c *rawClient) { resume(t, s, c) },
		"server closed": func(t *testing.T, s *zkserver.Server, c *rawClient) { s.Close() },
		"closed unread": func(t *testing.T, s *zkserver.Server, c *rawClient) {
			c.send(wire.OpCloseSession, nil)
			synctest.Wait()
			c.send(wire.OpPing, nil) // is not answered any more
			c.nc.Close()
		},
	}
	for name, end := range ends {
		for _, pace := range []zkserver.Pace{steps, delay(time.Second)} {
			t.Run(name, func(t *testing.T) {
				bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
					s.SetPace(pace)
					c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
					for range 3 {
						c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
					}
					if n := len(held(t, s)); n != 3 {
						t.Fatalf("%d held", n)
					}
					<-s.PaceChanged()
					end(t, s, c)
					if h := held(t, s); len(h) != 0 {
						t.Errorf("held %+v", h)
					}
					<-s.PaceChanged()
					s.SetPace(zkserver.Pace{})
				})
			})
		}
	}
}

// TestPaceIsBounded: a client that goes on asking is cut off, one that waits is
// not, and the others' messages stay.
func TestPaceIsBounded(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		s.SetPace(steps)
		back := backstageRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		back.must(wire.OpCreate, &wire.CreateRequest{Path: "/d", Data: bytes.Repeat([]byte("d"), 500_000), ACL: world(31)}, &wire.PathResponse{})
		other := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		other.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/d"})
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		n := 0
		for ; s.Counters().CutOff == 0 && n < 100; n++ {
			c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/d"})
			synctest.Wait()
		}
		if n < 8 || n > 10 {
			t.Errorf("cut off after %d messages of half a megabyte", n)
		}
		wantGone(t, c)
		if h := held(t, s); len(h) != 1 || h[0].Session != id(other) {
			t.Errorf("held %+v", h)
		}
		stepOne(t, s, other, wire.OpGetData)
		replies(other, 1)
	})
}
