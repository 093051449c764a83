package zkserver_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

var steps = zkserver.Pace{Steps: true}

func delay(d time.Duration) zkserver.Pace { return zkserver.Pace{Delay: d} }

func observerRaw(t *testing.T, s *zkserver.Server, req wire.ConnectRequest) *rawClient {
	t.Helper()
	nc, err := s.DialObserver()
	try(t, err)
	return connectRaw(t, nc, req)
}

func held(t *testing.T, s *zkserver.Server) (out []zkserver.Paced) {
	t.Helper()
	synctest.Wait()
	b := s.TakeBacklog(1 << 20)
	if len(b.Held) != b.Waiting {
		t.Errorf("got %d held messages in the list, want %d", len(b.Held), b.Waiting)
	}
	return b.Held
}

// replies also reads events, whose xid is -1.
func replies(c *rawClient, n int) (xids []int32) {
	c.t.Helper()
	for len(xids) < n {
		frame, err := wire.ReadFrame(c.in, 1<<20)
		if err != nil {
			c.t.Fatalf("read after the replies %v: %v", xids, err)
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
		t.Fatalf("Step: got %+v, %t; want a message of %v to session %#x", m, ok, op, id(c))
	}
}

func TestStepsReleaseMessagesInOrder(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		a := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		a.create("/n", 0)
		observer := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		observer.must(wire.OpExists, &wire.PathWatchRequest{Path: "/n", Watch: true}, &wire.Stat{})
		var events []int32
		observer.onEvent = func(ev wire.WatcherEvent) { events = append(events, ev.Type) }
		if _, ok := s.Step(); ok {
			t.Error("Step released a message although none was held")
		}
		s.SetPace(steps)
		<-s.PaceChanged()
		begin := time.Now()
		b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		b.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/n", Watch: true})
		synctest.Wait()
		time.Sleep(time.Second)
		a.send(wire.OpSetData, &wire.MultiOp{Op: wire.OpSetData, Path: "/n", Version: -1})
		synctest.Wait()
		b.send(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte("a:b")})
		b.xid--
		b.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/none"})
		b.send(wire.OpCreate, &wire.CreateRequest{Path: "/n/s_", ACL: world(31), Flags: wire.FlagSequential})
		synctest.Wait()
		if !exists(observer, "/n/s_0000000000") {
			t.Error("a request was not executed because its reply is held")
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
			t.Errorf("held messages: got\n%+v, want\n%+v", got, want)
		}
		if b := s.TakeBacklog(2); b.Pace != steps || !slices.Equal(b.Held, want[:2]) || b.Waiting != len(want) {
			t.Errorf("TakeBacklog(2): got %+v, want two of %d messages", b, len(want))
		}
		if b := s.TakeBacklog(-1); b.Held != nil || b.Waiting != len(want) {
			t.Errorf("TakeBacklog(-1): got %+v, want no message listed", b)
		}
		a.must(wire.OpPing, nil, nil)
		b.must(wire.OpPing, nil, nil)
		observer.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{})
		if !slices.Equal(events, []int32{wire.EventNodeDataChanged}) {
			t.Errorf("events of the observer: got %v, want one change of data", events)
		}
		<-s.PaceChanged()
		for _, m := range want {
			c := map[int64]*rawClient{id(a): a, id(b): b}[m.Session]
			stepOne(t, s, c, m.Op)
			<-s.PaceChanged()
			if got := replies(c, 1); got[0] != m.Xid {
				t.Errorf("released message: got xid %d, want %+v", got[0], m)
			}
			if receives(a, time.Second) || receives(b, time.Second) {
				t.Error("a step released more than one message")
			}
		}
		if _, ok := s.Step(); ok {
			t.Error("Step released a message although none was held")
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

func TestTakeBacklog(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		a, b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000}), pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		a.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{}) // not held, so not listed
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
			t.Errorf("TakeBacklog after a step: got %+v, want one message passed and two waiting", x)
		}
		b.nc.Close()
		synctest.Wait()
		s.SetPace(zkserver.Pace{})
		x := s.TakeBacklog(9)
		want := []zkserver.Passed{{Paced: all[1], Left: begin.Add(time.Second), Lost: true}, {Paced: all[2], Left: begin.Add(time.Second)}}
		if x.Waiting != 0 || !slices.Equal(x.Passed, want) {
			t.Errorf("TakeBacklog at full speed: got %+v, want %+v passed", x, want)
		}
		s.SetPace(steps)
		for range 300 {
			a.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		}
		synctest.Wait()
		s.SetPace(zkserver.Pace{})
		if x := s.TakeBacklog(0); len(x.Passed)+x.Unlisted != 300 || x.Unlisted == 0 || x.Passed[len(x.Passed)-1].N != 303 {
			t.Errorf("passed messages: got %d listed and %d unlisted, want 300 together, some unlisted, the last with N 303", len(x.Passed), x.Unlisted)
		}
	})
}

func TestPaceDelay(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		a := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		b := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		begin := time.Now()
		at := func(c *rawClient, want time.Duration, n int) {
			t.Helper()
			replies(c, n)
			if d := time.Since(begin); d != want {
				t.Errorf("got a message after %v, want after %v", d, want)
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
		s.SetPace(delay(-time.Second)) // like full speed
		at(a, 1500*time.Millisecond, 1)
		s.SetPace(delay(time.Hour)) // like PaceMax
		if p := s.Pace(); p != delay(zkserver.PaceMax) {
			t.Errorf("pace after SetPace(1h): got %+v, want PaceMax", p)
		}
		sync(a)
		time.Sleep(time.Second)
		sync(b)
		s.SetPace(delay(1200 * time.Millisecond))
		at(a, 2700*time.Millisecond, 1)
		s.SetPace(zkserver.Pace{Steps: true, Delay: time.Millisecond})
		if receives(b, 30*time.Second) {
			t.Error("a message was released without a step")
		}
		sync(a)
		s.SetPace(delay(time.Second))
		replies(b, 1) // b's message is due
		if receives(a, 999*time.Millisecond) {
			t.Error("a message was released before its delay ended")
		}
		replies(a, 1)
		sync(b)
		if m, ok := s.Step(); !ok || m.Session != id(b) {
			t.Errorf("Step during a Delay: got %+v, %t; want the message to b", m, ok)
		}
		replies(b, 1)
	})
}

func TestDialObserver(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		s.SetPace(steps)
		c := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c.create("/n", 0)
		again := wire.ConnectRequest{Timeout: 60_000, SessionID: id(c), Passwd: c.handshake.Passwd}
		observer := observerRaw(t, s, again)
		if id(observer) != id(c) {
			t.Fatal("the session was not resumed")
		}
		observer.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{})
		ordinary := pipeRaw(t, s, again)
		ordinary.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		if receives(ordinary, time.Second) || len(held(t, s)) != 1 {
			t.Error("messages of an observer's session on an ordinary connection are not held")
		}
		observer = observerRaw(t, s, again)
		if observer.must(wire.OpSync, &wire.PathRequest{Path: "/"}, &wire.PathResponse{}); len(held(t, s)) != 0 {
			t.Error("messages of the earlier connection are still held")
		}
		nc, err := s.Dial()
		try(t, err)
		nc.Write([]byte("cons"))
		cons, _ := io.ReadAll(nc)
		nc.Close()
		if !strings.Contains(string(cons), sessionHex(observer)) {
			t.Errorf("cons does not list the observer's session: %s", cons)
		}
		s.Refuse(true)
		if _, err := s.DialObserver(); err != zkserver.ErrRefused {
			t.Errorf("DialObserver while refusing: got %v, want ErrRefused", err)
		}
	})
}

func TestDeadline(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
		want := func(at time.Time) {
			t.Helper()
			if got, ok := s.Deadline(id(c)); !ok || !got.Equal(at) {
				t.Errorf("deadline: got in %v, %t; want in %v", time.Until(got), ok, time.Until(at))
			}
		}
		want(time.Now().Add(5 * time.Second))
		time.Sleep(1950 * time.Millisecond)
		c.must(wire.OpPing, nil, nil)
		want(time.Now().Add(5050 * time.Millisecond)) // the deadline is rounded up to a tick
		s.SetPace(steps)
		c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		synctest.Wait()
		if receives(c, time.Hour) {
			t.Error("a message was released without a step")
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
			t.Error("the session expired before its deadline")
		}
		time.Sleep(2 * time.Nanosecond)
		if _, ok := s.Deadline(id(c)); ok {
			t.Error("the session did not expire at its deadline")
		}
	})
}

func TestHeldMessagesEndWithTheConnection(t *testing.T) {
	ends := map[string]func(t *testing.T, s *zkserver.Server, c *rawClient){
		"client disconnects": func(t *testing.T, s *zkserver.Server, c *rawClient) { c.nc.Close() },
		"CloseConnections":   func(t *testing.T, s *zkserver.Server, c *rawClient) { s.CloseConnections() },
		"session expired":    func(t *testing.T, s *zkserver.Server, c *rawClient) { try(t, s.ExpireSession(id(c))) },
		"session resumed":    func(t *testing.T, s *zkserver.Server, c *rawClient) { resume(t, s, c) },
		"server closed":      func(t *testing.T, s *zkserver.Server, c *rawClient) { s.Close() },
		"closeSession reply unread": func(t *testing.T, s *zkserver.Server, c *rawClient) {
			c.send(wire.OpCloseSession, nil)
			synctest.Wait()
			c.send(wire.OpPing, nil) // gets no reply
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
						t.Fatalf("got %d held messages, want 3", n)
					}
					<-s.PaceChanged()
					end(t, s, c)
					if h := held(t, s); len(h) != 0 {
						t.Errorf("held messages after the connection ended: got %+v, want none", h)
					}
					<-s.PaceChanged()
					s.SetPace(zkserver.Pace{})
				})
			})
		}
	}
}

func TestHeldMessagesAreBounded(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		s.SetPace(steps)
		observer := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		observer.must(wire.OpCreate, &wire.CreateRequest{Path: "/d", Data: bytes.Repeat([]byte("d"), 500_000), ACL: world(31)}, &wire.PathResponse{})
		other := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		other.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/d"})
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		n := 0
		for ; s.Counters().CutOff == 0 && n < 100; n++ {
			c.send(wire.OpGetData, &wire.PathWatchRequest{Path: "/d"})
			synctest.Wait()
		}
		if n < 8 || n > 10 {
			t.Errorf("client cut off after %d replies of half a megabyte, want 8 to 10", n)
		}
		wantClosed(t, c)
		if h := held(t, s); len(h) != 1 || h[0].Session != id(other) {
			t.Errorf("held messages: got %+v, want one to the other client", h)
		}
		stepOne(t, s, other, wire.OpGetData)
		replies(other, 1)
	})
}

func TestPacePausesTheDeadline(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		observer := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		wait := func(d time.Duration) {
			for range d / (10 * time.Second) {
				time.Sleep(10 * time.Second)
				observer.must(wire.OpPing, nil, nil)
			}
		}
		for _, tt := range []struct {
			name string
			end  func(c *rawClient)
		}{
			{"steps", func(c *rawClient) { s.Step(); s.Step() }},
			{"full speed", func(c *rawClient) { s.SetPace(zkserver.Pace{}) }},
			{"CloseConnections", func(c *rawClient) { s.CloseConnections() }},
			{"client disconnects", func(c *rawClient) { c.nc.Close(); synctest.Wait() }},
			{"ping, then steps", func(c *rawClient) {
				c.must(wire.OpPing, nil, nil)
				time.Sleep(2 * time.Second)
				s.Step()
				s.Step()
			}},
		} {
			observer = observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 5000})
			c.create("/e", wire.FlagEphemeral)
			s.SetPace(steps)
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
			synctest.Wait()
			wait(time.Hour)
			if !exists(observer, "/e") || len(held(t, s)) != 2 {
				t.Fatalf("%s: the session expired while messages were held, or the messages were released", tt.name)
			}
			if tt.end(c); tt.name == "CloseConnections" {
				observer = observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			}
			begin := time.Now()
			time.Sleep(500 * time.Microsecond)
			for exists(observer, "/e") {
				time.Sleep(time.Millisecond)
			}
			if d := time.Since(begin); d < 5*time.Second || d > 5*time.Second+102*time.Millisecond {
				t.Errorf("%s: the session expired after %v, want after 5s", tt.name, d)
			}
			s.SetPace(zkserver.Pace{})
		}
	})
}

func TestPaceHoldsLastReplies(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		s.SetPace(steps)
		c.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		synctest.Wait()
		again := resume(t, s, c)
		again.send(wire.OpSync, &wire.PathRequest{Path: "/"})
		again.send(wire.OpCloseSession, nil)
		for _, op := range []wire.Op{wire.OpSync, wire.OpCloseSession} {
			if receives(again, time.Hour) {
				t.Error("a reply was not held")
			}
			stepOne(t, s, again, op)
			replies(again, 1)
		}
		wantClosed(t, again)

		s.SetPace(zkserver.Pace{})
		c = pipeRaw(t, s, wire.ConnectRequest{})
		c.create("/own", wire.FlagEphemeral)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/own", Watch: true}, &wire.DataResponse{})
		s.SetPace(delay(time.Second))
		last := c.send(wire.OpCloseSession, nil)
		if got := replies(c, 2); !slices.Equal(got, []int32{wire.XidWatch, last}) {
			t.Errorf("last messages: got xids %v, want the event and then the reply to closeSession", got)
		}
		wantClosed(t, c)

		s.SetPace(steps)
		c = pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		c.send(wire.OpAuth, &wire.AuthRequest{Scheme: "nonsense"})
		if receives(c, time.Second) {
			t.Error("the reply to a failed authentication is not held")
		}
		if h := held(t, s); len(h) != 1 || h[0].Err != wire.AuthFailed {
			t.Errorf("held messages: got %+v, want one with AuthFailed", h)
		}
		stepOne(t, s, c, wire.OpAuth)
		replies(c, 1)
		wantClosed(t, c)
		if h := held(t, s); len(h) != 0 {
			t.Errorf("held messages: got %+v, want none", h)
		}
	})
}

// A requester has at most eight unanswered requests, besides pings.
type requester struct {
	*rawClient
	t   *testing.T
	rng *rand.Rand

	mu      sync.Mutex
	waiting []sentRequest
	own     []string // paths of the nodes that it created
	listed  []string // paths in the last reply to getChildren
}

type sentRequest struct {
	xid int32
	op  wire.Op
}

type requestCounts struct{ otherEvents, ownEvents, requests atomic.Int64 }

func (p *requester) run(n int, count *requestCounts) {
	room := make(chan struct{}, 8)
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(room, count)
	}()
	pings := time.NewTicker(time.Second)
	defer pings.Stop()
	for n >= 0 {
		select {
		case <-pings.C:
			p.send(wire.OpPing, nil)
			continue
		case <-time.After(time.Duration(p.rng.IntN(60)) * time.Millisecond):
		}
		select {
		case room <- struct{}{}:
		default:
			continue
		}
		op, req := p.next()
		if n--; n < 0 {
			op, req = wire.OpCloseSession, nil
		}
		p.mu.Lock()
		p.waiting = append(p.waiting, sentRequest{p.xid + 1, op})
		p.mu.Unlock()
		count.requests.Add(1)
		p.send(op, req)
	}
	for {
		select {
		case <-read:
			return
		case <-pings.C: // the write fails if the server has closed the connection
			p.nc.SetDeadline(time.Now().Add(patience))
			p.nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: wire.XidPing, Op: wire.OpPing}))
		}
	}
}

func (p *requester) next() (wire.Op, wire.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	take := func(from []string) string {
		if len(from) == 0 {
			return "/e/none"
		}
		return from[p.rng.IntN(len(from))]
	}
	switch p.rng.IntN(6) {
	case 0:
		return wire.OpCreate, &wire.CreateRequest{Path: "/e/n_", ACL: world(31), Flags: wire.FlagEphemeral | wire.FlagSequential}
	case 1:
		return wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: take(p.own), Version: -1}
	case 2:
		return wire.OpGetData, &wire.PathWatchRequest{Path: take(p.listed), Watch: true}
	case 3, 4:
		if path := take(p.listed); path != "/e/none" {
			return wire.OpExists, &wire.PathWatchRequest{Path: path, Watch: true}
		}
	}
	return wire.OpGetChildren, &wire.PathWatchRequest{Path: "/e"}
}

func (p *requester) read(room <-chan struct{}, count *requestCounts) {
	for {
		frame, err := wire.ReadFrame(p.in, 1<<20)
		if err != nil {
			p.t.Errorf("session %#x: read: %v", id(p.rawClient), err)
			return
		}
		d := wire.NewDecoder(frame)
		var h wire.ReplyHeader
		switch h.Fields(d); h.Xid {
		case wire.XidPing:
			continue
		case wire.XidWatch:
			var ev wire.WatcherEvent
			if ev.Fields(d); ev.Type == wire.EventNodeDeleted {
				p.mu.Lock()
				if slices.Contains(p.own, ev.Path) {
					count.ownEvents.Add(1)
				} else {
					count.otherEvents.Add(1)
				}
				p.mu.Unlock()
			}
			continue
		}
		p.mu.Lock()
		first := p.waiting[0]
		p.waiting = p.waiting[1:]
		if h.Xid != first.xid {
			p.t.Errorf("session %#x: reply to xid %d, want %d", id(p.rawClient), h.Xid, first.xid)
		}
		if h.Err == wire.OK {
			p.keep(first.op, d)
		}
		p.mu.Unlock()
		if first.op == wire.OpCloseSession {
			return
		}
		<-room
	}
}

func (p *requester) keep(op wire.Op, d *wire.Coder) {
	switch op {
	case wire.OpCreate:
		var rsp wire.PathResponse
		rsp.Fields(d)
		p.own = append(p.own, rsp.Path)
	case wire.OpGetChildren:
		var rsp wire.StringsResponse
		rsp.Fields(d)
		p.listed = p.listed[:0]
		for _, name := range rsp.Strings {
			p.listed = append(p.listed, "/e/"+name)
		}
	}
}

func startRequesters(t *testing.T, s *zkserver.Server, seed uint64, stop <-chan struct{}, count *requestCounts) (nets [6]*network, requesters *sync.WaitGroup) {
	requesters = new(sync.WaitGroup)
	for i := range nets {
		nets[i] = networkTo(t, s)
		requesters.Go(func() {
			for life := uint64(1); ; life++ {
				select {
				case <-stop:
					return
				default:
				}
				p := &requester{rawClient: nets[i].connect(t, wire.ConnectRequest{Timeout: 4000}), t: t, rng: rand.New(rand.NewPCG(seed, uint64(i)<<32|life))}
				p.run(p.rng.IntN(200), count)
				p.nc.Close()
			}
		})
	}
	return nets, requesters
}

func TestSlownessAtRandom(t *testing.T) {
	seed := zktest.Seed(t)
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		rng := rand.New(rand.NewPCG(seed, 0))
		first := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		first.create("/e", 0)
		first.must(wire.OpCloseSession, nil, nil)
		a := tally(t, s, "/e")
		var count requestCounts
		stop := make(chan struct{})
		nets, requesters := startRequesters(t, s, seed, stop, &count)
		partitioned := make(map[*network]time.Time)
		heal := func(after time.Duration) {
			for n, since := range partitioned {
				if time.Since(since) >= after {
					n.line.Heal()
					delete(partitioned, n)
				}
			}
		}
		steps := 0
		for range 500 {
			switch rng.IntN(4) {
			case 0:
				s.SetPace(zkserver.Pace{Delay: time.Duration(rng.IntN(4)) * 400 * time.Millisecond, Steps: rng.IntN(3) == 0})
			case 1, 2:
				for range rng.IntN(20) {
					if m, ok := s.Step(); ok {
						steps++
					} else if m != (zkserver.Paced{}) {
						t.Errorf("Step without a held message: got %+v, want a zero message", m)
					}
				}
			case 3:
				n := nets[rng.IntN(len(nets))]
				if _, ok := partitioned[n]; !ok {
					n.line.Partition()
					partitioned[n] = time.Now()
				}
			}
			time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
			heal(time.Second)
		}
		heal(0)
		s.SetPace(zkserver.Pace{})
		close(stop)
		requesters.Wait()
		time.Sleep(time.Second)
		c := s.Counters()
		if c.Expired+c.CutOff+c.Panics > 0 {
			t.Errorf("got %d expired sessions, %d connections cut off, %d panics; want none", c.Expired, c.CutOff, c.Panics)
		}
		if b := s.TakeBacklog(9); b.Waiting > 0 {
			t.Errorf("held messages at the end: got %+v, want none", b.Held)
		}
		sum, notified, deletions := a.sum()
		others, own := count.otherEvents.Load(), count.ownEvents.Load()
		if others != int64(notified) || others+own != c.Notifications || own == 0 || !sum.Settled {
			t.Errorf("tallies: got %d notifications, settled %t; want %d, settled; clients: got %d events of their own nodes, want %d, not 0",
				notified, sum.Settled, others, own, c.Notifications-others)
		}
		if sent := count.requests.Load(); int64(sum.Requests) > sent || sum.BytesIn > c.BytesIn || sum.BytesOut > c.BytesOut {
			t.Errorf("tallies: got %d requests, %d bytes in, %d out; want at most %d, %d, %d", sum.Requests, sum.BytesIn, sum.BytesOut, sent, c.BytesIn, c.BytesOut)
		}
		if deletions < 50 || notified < 50 || sum.Requests < 50 || steps < 50 {
			t.Errorf("got %d deletions, %d notifications, %d requests, %d steps; want at least 50 of each", deletions, notified, sum.Requests, steps)
		}
		for _, one := range a.all() {
			if !strings.HasPrefix(one.Path, "/e/n_") {
				t.Errorf("tally of %s, want only children of /e", one.Path)
			}
		}
	})
}
