package zkserver_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// TestPacePausesTheDeadline: the session of a client that waits for a held
// message does not expire, and has what it had left when nothing is held.
func TestPacePausesTheDeadline(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := backstageRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
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
			end  func(c *rawClient)
			left time.Duration
		}{
			{"released", func(c *rawClient) { s.Step(); s.Step() }, 5 * time.Second},
			{"ended", func(c *rawClient) { s.SetPace(zkserver.Pace{}) }, 5 * time.Second},
			{"cut", func(c *rawClient) { s.CloseConnections() }, 5 * time.Second},
			{"killed", func(c *rawClient) { c.nc.Close(); synctest.Wait() }, 5 * time.Second},
			// A sign of life while it is held counts from then on.
			{"pinged", func(c *rawClient) {
				c.must(wire.OpPing, nil, nil)
				time.Sleep(2 * time.Second)
				s.Step()
				s.Step()
			}, 5 * time.Second},
		} {
			t.Log(tt.name)
			observer = backstageRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
			c.create("/e", wire.FlagEphemeral)
			s.SetPace(steps)
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			synctest.Wait()
			wait(time.Hour)
			if !exists(observer, "/e") || len(held(t, s)) != 2 {
				t.Fatal("expired while a message was held")
			}
			if tt.end(c); tt.name == "cut" {
				observer = backstageRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			}
			lives(tt.left)
			s.SetPace(zkserver.Pace{})
		}
		// With nothing held, and with half of the time gone before.
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		s.SetPace(steps)
		lives(5 * time.Second)
		s.SetPace(zkserver.Pace{})
		c = pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		c.create("/e", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/e", Watch: true}, &wire.DataResponse{})
		s.SetPace(steps)
		time.Sleep(3 * time.Second)
		observer.must(wire.OpSetData, &wire.SetDataRequest{Path: "/e", Version: -1}, &wire.Stat{})
		wait(10 * time.Minute)
		s.Step()
		lives(2 * time.Second)
	})
}

// TestPaceOverConnections: what a connection was to hear is lost with it; the
// handshake of the next one passes, and its messages are held.
func TestPaceOverConnections(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		s.SetPace(steps)
		c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		synctest.Wait()
		again := resume(t, s, c)
		wantGone(t, c)
		if h := held(t, s); len(h) != 0 {
			t.Errorf("held for a connection that is gone: %+v", h)
		}
		again.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		if hears(again, time.Second) {
			t.Error("not held")
		}
		stepOne(t, s, again, wire.OpSync)
		replies(again, 1)

		// A last reply is held like any other, and the end waits for it.
		again.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		again.send(wire.OpCloseSession, nil)
		for _, op := range []wire.Op{wire.OpSync, wire.OpCloseSession} {
			if hears(again, time.Hour) {
				t.Error("the end is not held")
			}
			stepOne(t, s, again, op)
			replies(again, 1)
		}
		wantGone(t, again)

		// A client that does not wait for it.
		c = pipeRaw(t, s, wire.ConnectRequest{})
		c.send(wire.OpCloseSession, nil)
		synctest.Wait()
		c.nc.Close()
		if h := held(t, s); len(h) != 0 {
			t.Errorf("held for a client that left: %+v", h)
		}

		// An event before the last reply.
		s.SetPace(zkserver.Pace{})
		c = pipeRaw(t, s, wire.ConnectRequest{})
		c.create("/own", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/own", Watch: true}, &wire.DataResponse{})
		s.SetPace(delay(time.Second))
		last := c.send(wire.OpCloseSession, nil)
		if got := replies(c, 2); !slices.Equal(got, []int32{wire.XidWatch, last}) {
			t.Errorf("in the end: %v", got)
		}
		wantGone(t, c)

		// A refused authentication ends the connection only.
		s.SetPace(steps)
		c = pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c.send(wire.OpAuth, &wire.AuthRequest{Scheme: "nonsense"})
		if hears(c, time.Second) {
			t.Error("the refusal is not held")
		}
		if h := held(t, s); len(h) != 1 || h[0].Err != wire.AuthFailed {
			t.Errorf("held: %+v", h)
		}
		stepOne(t, s, c, wire.OpAuth)
		replies(c, 1)
		wantGone(t, c)
		if h := held(t, s); len(h) != 0 {
			t.Errorf("held: %+v", h)
		}
	})
}
