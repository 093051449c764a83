package zkserver_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

func hold(t testing.TB, s *zkserver.Server, c *rawClient) *zkserver.Hold {
	t.Helper()
	h, err := s.Hold(id(c))
	if err != nil {
		t.Fatal(err)
	}
	return h
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
		h.Decode(wire.NewDecoder(frame))
		xids = append(xids, h.Xid)
	}
	return xids
}

// TestHold holds replies and events, not pings, and lets them go one by one.
func TestHold(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		writer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		writer.create("/n", 0)
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		h := hold(t, s, c)
		if _, err := s.Hold(id(c)); err == nil {
			t.Error("held twice")
		}
		begin := time.Now()
		c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/n", Watch: true})
		c.send(wire.OpCreate, &wire.CreateRequest{Path: "/n/s_", ACL: world(31), Flags: wire.FlagSequential})
		c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/none"})
		synctest.Wait()
		time.Sleep(time.Second)
		writer.must(wire.OpSetData, &wire.SetDataRequest{Path: "/n", Version: -1}, &wire.Stat{})
		if !exists(writer, "/n/s_0000000000") {
			t.Error("a request whose reply is held is not carried out")
		}
		c.must(wire.OpPing, nil, nil)
		if hears(c, time.Second) {
			t.Fatal("something passes")
		}
		want := []zkserver.Held{
			{N: 1, Since: begin, Op: wire.OpGetData, Path: "/n", Xid: 1},
			{N: 2, Since: begin, Op: wire.OpCreate, Path: "/n/s_0000000000", Xid: 2},
			{N: 3, Since: begin, Op: wire.OpGetData, Path: "/none", Xid: 3, Err: wire.NoNode},
			{N: 4, Since: begin.Add(time.Second), Op: wire.OpNotification, Path: "/n", Event: wire.EventNodeDataChanged, Xid: wire.XidWatch},
		}
		if got := h.Held(); !slices.Equal(got, want) {
			t.Errorf("held\n%+v, want\n%+v", got, want)
		}
		<-h.Changed()
		select {
		case <-h.Changed():
			t.Error("changed without a change")
		default:
		}
		if n := h.Release(-1) + h.Release(0); n != 0 {
			t.Errorf("%d released", n)
		}
		for xid := range int32(2) {
			if n := h.Release(1); n != 1 {
				t.Errorf("%d released", n)
			}
			<-h.Changed()
			if got := replies(c, 1); got[0] != xid+1 {
				t.Errorf("released %d, want %d", got, xid+1)
			}
			if hears(c, time.Second) {
				t.Error("more was released")
			}
		}
		c.send(wire.OpSync, &wire.PathRequest{Path: "/"}) // joins the queue
		synctest.Wait()
		h.End()
		xid := c.send(wire.OpSync, &wire.PathRequest{Path: "/"}) // is not held
		if got := replies(c, 4); !slices.Equal(got, []int32{3, wire.XidWatch, xid - 1, xid}) {
			t.Errorf("in the end: %v", got)
		}
		for range h.Changed() { // is closed
		}
		hold(t, s, c).End()
	})
}

// TestHoldDelay: slow motion.
func TestHoldDelay(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		h := hold(t, s, c)
		begin := time.Now()
		at := func(want time.Duration, n int) {
			t.Helper()
			replies(c, n)
			if d := time.Since(begin); d != want {
				t.Errorf("a message after %v, want %v", d, want)
			}
		}
		sync := func() { c.send(wire.OpSync, &wire.PathRequest{Path: "/"}) }
		h.Delay(1500 * time.Millisecond)
		sync()
		time.Sleep(time.Second)
		sync()
		sync()
		at(1500*time.Millisecond, 1)
		at(2500*time.Millisecond, 2)
		sync()
		h.Delay(1<<63 - 1)
		if hears(c, 10*time.Second) {
			t.Error("released early")
		}
		h.Delay(11 * time.Second) // counts from when it was held
		at(13500*time.Millisecond, 1)
		h.Delay(0)
		sync()
		at(13500*time.Millisecond, 1)
		h.Delay(-1)
		sync()
		if hears(c, time.Hour) {
			t.Error("released without a delay")
		}
	})
}

// TestHoldPausesTheDeadline: the session of a client that waits for a held
// message does not expire, and has what it had left when nothing is held.
func TestHoldPausesTheDeadline(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		wait := func(d time.Duration) {
			for range d / (10 * time.Second) {
				time.Sleep(10 * time.Second)
				observer.must(wire.OpPing, nil, nil)
			}
		}
		lives := func(want time.Duration) {
			t.Helper()
			begin := time.Now()
			time.Sleep(500 * time.Microsecond)
			for exists(observer, "/e") {
				time.Sleep(time.Millisecond)
			}
			if d := time.Since(begin); d < want || d > want+102*time.Millisecond {
				t.Errorf("lived for %v, want %v", d, want)
			}
		}
		for _, tt := range []struct {
			name string
			end  func(c *rawClient, h *zkserver.Hold)
			left time.Duration
		}{
			{"released", func(c *rawClient, h *zkserver.Hold) { h.Release(2) }, 5 * time.Second},
			{"ended", func(c *rawClient, h *zkserver.Hold) { h.End() }, 5 * time.Second},
			{"lost", func(c *rawClient, h *zkserver.Hold) { try(t, s.DropConnection(id(c))) }, 5 * time.Second},
			{"killed", func(c *rawClient, h *zkserver.Hold) { c.nc.Close(); synctest.Wait() }, 5 * time.Second},
			// A sign of life while it is held counts from then on.
			{"pinged", func(c *rawClient, h *zkserver.Hold) {
				c.must(wire.OpPing, nil, nil)
				time.Sleep(2 * time.Second)
				h.Release(2)
			}, 5 * time.Second},
		} {
			c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
			c.create("/e", wire.FlagEphemeral)
			h := hold(t, s, c)
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			synctest.Wait()
			wait(time.Hour)
			h.Delay(-1)
			if !exists(observer, "/e") || len(h.Held()) != 2 {
				t.Fatalf("%s: expired while a message was held", tt.name)
			}
			tt.end(c, h)
			t.Log(tt.name)
			lives(tt.left)
			h.End()
		}
		// With nothing held, and with half of the time gone before.
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		h := hold(t, s, c)
		lives(5 * time.Second)
		for range h.Changed() { // ends with the session
		}
		c = pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/e", Watch: true}, &wire.DataResponse{})
		h = hold(t, s, c)
		time.Sleep(3 * time.Second)
		observer.must(wire.OpSetData, &wire.SetDataRequest{Path: "/e", Version: -1}, &wire.Stat{})
		wait(10 * time.Minute)
		h.Release(1)
		lives(2 * time.Second)
	})
}

// TestHoldOverConnections: what a connection was to hear is lost with it; the
// handshake of the next one passes, and its messages are held.
func TestHoldOverConnections(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		h := hold(t, s, c)
		c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		synctest.Wait()
		again := resume(t, s, c)
		wantGone(t, c)
		if len(h.Held()) != 0 {
			t.Errorf("held for a connection that is gone: %+v", h.Held())
		}
		again.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		if hears(again, time.Second) || h.Release(9) != 1 {
			t.Error("not held")
		}
		replies(again, 1)

		// A last reply is held like any other, and the end waits for it.
		again.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		again.send(wire.OpCloseSession, nil)
		if hears(again, time.Hour) {
			t.Error("the end is not held")
		}
		if held := h.Held(); len(held) != 2 || held[1].Op != wire.OpCloseSession {
			t.Errorf("held: %+v", held)
		}
		h.Release(1)
		replies(again, 1)
		if hears(again, time.Hour) {
			t.Error("the end is not held")
		}
		h.Release(1)
		replies(again, 1)
		wantGone(t, again)
		for range h.Changed() { // ends with the session
		}

		// A client that does not wait for it.
		c = pipeRaw(t, s, wire.ConnectRequest{})
		h = hold(t, s, c)
		c.send(wire.OpCloseSession, nil)
		synctest.Wait()
		c.nc.Close()
		for range h.Changed() {
		}

		// A Hold that lets everything through, and an event before the last reply.
		c = pipeRaw(t, s, wire.ConnectRequest{})
		c.create("/own", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/own", Watch: true}, &wire.DataResponse{})
		h = hold(t, s, c)
		h.Delay(0)
		last := c.send(wire.OpCloseSession, nil)
		if got := replies(c, 2); !slices.Equal(got, []int32{wire.XidWatch, last}) {
			t.Errorf("in the end: %v", got)
		}
		wantGone(t, c)
		for range h.Changed() {
		}

		// A refused authentication ends the connection only.
		c = pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		h = hold(t, s, c)
		c.send(wire.OpAuth, &wire.AuthRequest{Scheme: "nonsense"})
		if hears(c, time.Second) || len(h.Held()) != 1 || h.Held()[0].Err != wire.AuthFailed {
			t.Errorf("held: %+v", h.Held())
		}
		try(t, s.ExpireSession(id(c)))
		for range h.Changed() {
		}
		wantGone(t, c)
	})
}

// TestHoldIsBounded: a client that goes on although nothing comes back.
func TestHoldIsBounded(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		writer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		writer.must(wire.OpCreate, &wire.CreateRequest{Path: "/d", Data: bytes.Repeat([]byte("d"), 500_000), ACL: world(31)}, &wire.PathResponse{})
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		h := hold(t, s, c)
		request := wire.AppendFrame(nil, &wire.RequestHeader{Xid: 1, Op: wire.OpGetData}, &wire.PathWatchRequest{Path: "/d"})
		n := 0
		for ; s.Counters().CutOff == 0; n++ {
			if n > 100 {
				t.Fatal("not cut off")
			}
			if _, err := c.nc.Write(request); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if n < 8 || n > 10 {
			t.Errorf("cut off after %d messages of half a megabyte", n)
		}
		wantGone(t, c)
		if len(h.Held()) != 0 {
			t.Error("held for a connection that was cut off")
		}
		resume(t, s, c).must(wire.OpPing, nil, nil)
	})
}

// TestHoldGoZookeeper: an election in slow motion. The candidate that should
// take over hears late, while its connection seems well.
func TestHoldGoZookeeper(t *testing.T) {
	overBoth(t, func(t *testing.T, s *zkserver.Server, addr string, d zk.Dialer) {
		acl := zk.WorldACL(zk.PermAll)
		leader, _ := connectZK(t, addr, d, 10*time.Second)
		next, _ := connectZK(t, addr, d, 10*time.Second)
		_, err := leader.Create("/leader", nil, zk.FlagEphemeral, acl)
		try(t, err)
		_, _, gone, err := next.GetW("/leader")
		try(t, err)
		h, err := s.Hold(next.SessionID())
		try(t, err)
		leader.Close()
		var held []zkserver.Held
		for held = h.Held(); len(held) == 0; held = h.Held() {
			<-h.Changed()
		}
		if held[0].Event != wire.EventNodeDeleted || held[0].Path != "/leader" {
			t.Errorf("held: %+v", held)
		}
		created := make(chan error, 1)
		go func() {
			_, err := next.Create("/leader", nil, zk.FlagEphemeral, acl)
			created <- err
		}()
		for held = h.Held(); len(held) < 2; held = h.Held() {
			<-h.Changed()
		}
		select {
		case ev := <-gone:
			t.Errorf("the event was not held: %+v", ev)
		case err := <-created:
			t.Errorf("the reply was not held: %v", err)
		default:
		}
		h.Release(1)
		if ev := waitEvent(t, gone); ev.Type != zk.EventNodeDeleted {
			t.Errorf("event %+v", ev)
		}
		select {
		case err := <-created:
			t.Errorf("the reply was not held: %v", err)
		default:
		}
		h.End()
		if err := <-created; err != nil {
			t.Error(err)
		}
	})
}

// TestHoldHostilePath: what is told of a request is bounded by the request and
// survives any bytes.
func TestHoldHostilePath(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		h := hold(t, s, c)
		for i, body := range []string{"", "\x00", "\x7f\xff\xff\xff", "\xff\xff\xff\xff", "\x00\x00\x00\x03\xff\x1b[", strings.Repeat("x", 1000)} {
			for _, op := range []wire.Op{wire.OpGetData, wire.OpMulti, wire.OpSetWatches, 99, -5} {
				c.send(op, bytesOf(body))
				synctest.Wait()
				if n := h.Release(9); n != 1 {
					t.Errorf("%d %v: %d messages", i, op, n)
				}
				if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
					t.Fatalf("%d %v: %v", i, op, err)
				}
			}
		}
	})
}
