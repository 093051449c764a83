package zkserver_test

import (
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

func bubble(t *testing.T, opts zkserver.Options, f func(t *testing.T, s *zkserver.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := zkserver.New(opts)
		defer s.Close()
		f(t, s)
	})
}

func pipeRaw(t *testing.T, s *zkserver.Server, req wire.ConnectRequest) *rawClient {
	t.Helper()
	nc, err := s.Dial()
	try(t, err)
	return connectRaw(t, nc, req)
}

func exists(c *rawClient, path string) bool {
	c.t.Helper()
	switch h := c.call(wire.OpExists, &wire.PathWatchRequest{Path: path}, &wire.Stat{}); h.Err {
	case wire.OK:
		return true
	case wire.NoNode:
		return false
	default:
		c.t.Fatalf("exists %s: %v", path, h.Err)
		return false
	}
}

func TestExpiry(t *testing.T) {
	const tick = 100 * time.Millisecond
	for _, timeout := range []time.Duration{200 * time.Millisecond, 250 * time.Millisecond, 3333 * time.Millisecond, 40 * time.Second} {
		bubble(t, zkserver.Options{Tick: tick}, func(t *testing.T, s *zkserver.Server) {
			observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			time.Sleep(37 * time.Millisecond)
			c := pipeRaw(t, s, wire.ConnectRequest{Timeout: int32(timeout.Milliseconds())})
			c.create("/e", wire.FlagEphemeral)
			var st wire.Stat
			if c.must(wire.OpExists, &wire.PathWatchRequest{Path: "/e"}, &st); st.Ctime != time.Now().UnixMilli() {
				t.Errorf("ctime: got %d, want %d", st.Ctime, time.Now().UnixMilli())
			}
			time.Sleep(timeout / 2)
			c.must(wire.OpPing, nil, nil)
			begin := time.Now()
			for exists(observer, "/e") {
				time.Sleep(time.Millisecond)
			}
			if lived := time.Since(begin); lived < timeout || lived > timeout+tick+time.Millisecond {
				t.Errorf("session with timeout %v expired after %v, want the timeout or up to a tick more", timeout, lived)
			}
			if err := c.awaitClosed(); err != nil {
				t.Errorf("the connection of the expired session is not closed: %v", err)
			}
			if n := s.Counters().Expired; n != 1 {
				t.Errorf("got %d expired sessions, want 1", n)
			}
		})
	}
}

func TestAnyRequestExtendsTheSession(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 1000})
		for range 200 {
			time.Sleep(999 * time.Millisecond)
			c.must(wire.OpPing, nil, nil)
			time.Sleep(999 * time.Millisecond)
			c.call(wire.Op(99), nil, nil)
			time.Sleep(999 * time.Millisecond)
			exists(c, "/nothing")
		}
	})
}

func TestResumedSessionHasTheNewTimeout(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		a := pipeRaw(t, s, wire.ConnectRequest{Timeout: 20_000})
		a.create("/e", wire.FlagEphemeral)
		s.CloseConnections()
		try(t, a.awaitClosed())
		observer = pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000, SessionID: observer.handshake.SessionID, Passwd: observer.handshake.Passwd})
		time.Sleep(19 * time.Second)
		b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 2000, SessionID: a.handshake.SessionID, Passwd: a.handshake.Passwd})
		if b.handshake.SessionID != a.handshake.SessionID || b.handshake.Timeout != 2000 {
			t.Fatalf("resumed session: got %+v, want the same id and a timeout of 2000 ms", b.handshake)
		}
		time.Sleep(1900 * time.Millisecond)
		if !exists(observer, "/e") {
			t.Fatal("the session expired before the new timeout")
		}
		time.Sleep(200 * time.Millisecond)
		if exists(observer, "/e") {
			t.Fatal("the session did not expire after the new timeout")
		}
	})
}

func TestContainersAreDeletedAfterTheirLastChild(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		container := func(path string) {
			c.must(wire.OpCreateContainer, &wire.CreateRequest{Path: path, ACL: world(31), Flags: wire.FlagContainer}, &wire.CreateResponse{})
		}
		wait := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Second) {
				c.must(wire.OpPing, nil, nil)
			}
		}
		want := func(when string, paths map[string]bool) {
			t.Helper()
			for p, there := range paths {
				if exists(c, p) != there {
					t.Errorf("%s: %s exists: got %t, want %t", when, p, !there, there)
				}
			}
		}
		container("/used")
		c.create("/used/x", 0)
		container("/never")
		var events []wire.WatcherEvent
		c.onEvent = func(ev wire.WatcherEvent) { events = append(events, ev) }
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/used", Watch: true}, &wire.DataResponse{})
		wait(3 * time.Minute)
		want("after three minutes", map[string]bool{"/used": true, "/never": true})
		c.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/used/x", Version: -1}, nil)
		wait(2 * time.Minute)
		want("without children", map[string]bool{"/used": false, "/never": true})
		if len(events) != 1 || events[0].Type != wire.EventNodeDeleted || events[0].Path != "/used" {
			t.Errorf("got events %+v, want only the deletion of /used", events)
		}
		wait(time.Hour)
		want("an hour later", map[string]bool{"/never": true})
	})
}

func TestHandshakeDeadline(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		for _, first := range []string{"", "\x00", "\x00\x00\x00\x2d", "\x00\x00\x00\x2d\x00\x00"} {
			nc, err := s.Dial()
			try(t, err)
			nc.Write([]byte(first))
			begin := time.Now()
			nc.SetReadDeadline(begin.Add(time.Hour))
			if _, err := nc.Read(make([]byte, 1)); err == nil || time.Since(begin) > time.Minute {
				t.Errorf("first bytes %q: got %v after %v, want the connection closed within a minute", first, err, time.Since(begin))
			}
			nc.Close()
		}
	})
}
