package zkserver_test

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// tallies keeps the last report of each deletion and checks what goes for all
// reports.
type tallies struct {
	t    *testing.T
	stop func()

	mu   sync.Mutex
	last map[tallyKey]zkserver.Tally
	at   map[tallyKey]time.Time
	n    int // reports
}

type tallyKey struct {
	zxid int64
	path string
}

func tally(t *testing.T, s *zkserver.Server, parent string) *tallies {
	a := &tallies{t: t, last: make(map[tallyKey]zkserver.Tally), at: make(map[tallyKey]time.Time)}
	a.stop = s.Tally(parent, a.report)
	return a
}

func (a *tallies) report(now zkserver.Tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	k := tallyKey{now.Zxid, now.Path}
	was, again := a.last[k]
	switch {
	case !again:
		if now.Requests != 0 || now.BytesIn != 0 || now.BytesOut != 0 || now.Settled != (len(now.Notified) == 0) || !now.At.Equal(time.Now()) {
			a.t.Errorf("first report %+v", now)
		}
	case was.Settled:
		a.t.Errorf("%+v after it was settled", now)
	case !slices.Equal(was.Notified, now.Notified) || !was.At.Equal(now.At):
		a.t.Errorf("%+v became %+v", was, now)
	case now.Requests < was.Requests || now.BytesIn < was.BytesIn || now.BytesOut < was.BytesOut:
		a.t.Errorf("%+v became less: %+v", was, now)
	case !now.Settled && now.Requests == was.Requests && now.BytesIn == was.BytesIn && now.BytesOut == was.BytesOut:
		a.t.Errorf("%+v is reported again with nothing new", now)
	}
	if d := time.Since(a.at[k]); again && d < 20*time.Millisecond {
		a.t.Errorf("%s is reported again after %v", now.Path, d)
	}
	a.last[k], a.at[k] = now, time.Now()
}

// count returns how many reports there were.
func (a *tallies) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n
}

// all returns the last reports in the order of the deletions.
func (a *tallies) all() []zkserver.Tally {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(a.last), func(x, y zkserver.Tally) int {
		return cmp.Or(cmp.Compare(x.Zxid, y.Zxid), strings.Compare(x.Path, y.Path))
	})
}

// sum adds up all last reports; deletions is how many there are.
func (a *tallies) sum() (sum zkserver.Tally, notified, deletions int) {
	sum.Settled = true
	for _, one := range a.all() {
		sum.Requests += one.Requests
		sum.BytesIn += one.BytesIn
		sum.BytesOut += one.BytesOut
		sum.Settled = sum.Settled && one.Settled
		notified += len(one.Notified)
		deletions++
	}
	return sum, notified, deletions
}

// TestTallyWhoIsNotified: who watches the node itself and may know of its end,
// however that comes about.
func TestTallyWhoIsNotified(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		connect := func() *rawClient { return pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000}) }
		main := connect()
		main.create("/e", 0)
		main.create("/other", 0)
		get := func(path string) func(*rawClient) {
			return func(c *rawClient) {
				c.call(wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: true}, &wire.DataResponse{})
			}
		}
		look := func(path string) func(*rawClient) {
			return func(c *rawClient) {
				c.call(wire.OpExists, &wire.PathWatchRequest{Path: path, Watch: true}, &wire.Stat{})
			}
		}
		list := func(path string) func(*rawClient) {
			return func(c *rawClient) {
				c.call(wire.OpGetChildren, &wire.PathWatchRequest{Path: path, Watch: true}, &wire.StringsResponse{})
			}
		}
		add := func(path string, mode int32) func(*rawClient) {
			return func(c *rawClient) {
				c.must(wire.OpAddWatch, &wire.AddWatchRequest{Path: path, Mode: mode}, &wire.ErrorResponse{})
			}
		}
		back := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		watchers := []struct {
			c      *rawClient
			counts bool
		}{{back, false}}
		for _, w := range []struct {
			watch  func(*rawClient)
			counts bool
		}{
			{get("/e/n"), true}, {look("/e/n"), true}, {add("/e/n", wire.WatchPersistent), true},
			{list("/e/n"), false}, {list("/e"), false}, {get("/e"), false}, {look("/e/other"), false},
			{add("/e", wire.WatchPersistentRecursive), false}, {add("/", wire.WatchPersistentRecursive), false},
			{func(*rawClient) {}, false},
		} {
			c := connect()
			w.watch(c)
			watchers = append(watchers, struct {
				c      *rawClient
				counts bool
			}{c, w.counts})
		}
		// One that leaves several watches, and then may read no more, as all but one.
		keyed := connect()
		keyed.must(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte("ann:secret")}, nil)
		// Whether any client is notified of the end before the report.
		heard, early := atomic.Int64{}, false
		a := &tallies{t: t, last: make(map[tallyKey]zkserver.Tally), at: make(map[tallyKey]time.Time)}
		a.stop = s.Tally("/e", func(one zkserver.Tally) {
			a.report(one)
			if one.BytesOut == 0 {
				synctest.Wait() // whatever is written already is read
				early = early || heard.Load() > 0
			}
		})
		for _, tt := range []struct {
			how    string
			delete func(owner *rawClient)
		}{
			{"delete", func(*rawClient) { main.send(wire.OpDelete, &wire.PathVersionRequest{Path: "/e/n", Version: -1}) }},
			{"multi", func(*rawClient) {
				main.send(wire.OpMulti, &wire.MultiRequest{Ops: []wire.MultiOp{op(wire.OpCheck, "/e", -1), op(wire.OpDelete, "/e/n", -1)}})
			}},
			{"close", func(owner *rawClient) { owner.send(wire.OpCloseSession, nil) }},
			{"expiry", func(owner *rawClient) { try(t, s.ExpireSession(id(owner))) }},
			{"acl", func(owner *rawClient) { owner.send(wire.OpCloseSession, nil) }},
		} {
			owner := connect()
			owner.create("/e/n", wire.FlagEphemeral)
			var want []int64
			for i, w := range watchers {
				if w.counts {
					get("/e/n")(w.c)
					look("/e/n")(w.c)
					if i%2 == 1 {
						list("/e/n")(w.c)
					}
					want = append(want, id(w.c))
				}
			}
			get("/e/n")(back)
			get("/e/n")(keyed)
			want = append(want, id(keyed))
			if tt.how == "acl" {
				want = want[len(want)-1:]
				owner.must(wire.OpSetACL, &wire.SetACLRequest{Path: "/e/n", Version: -1,
					ACL: []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "digest", ID: digestID("ann:secret")}}}}, &wire.Stat{})
			}
			slices.Sort(want)
			for _, c := range []*rawClient{main, owner, keyed, watchers[0].c, watchers[1].c} {
				c.nc.SetDeadline(time.Time{})
			}
			var reading sync.WaitGroup
			end := time.Now().Add(time.Second)
			for _, c := range append([]*rawClient{main, owner, keyed}, func() (cs []*rawClient) {
				for _, w := range watchers {
					cs = append(cs, w.c)
				}
				return cs
			}()...) {
				reading.Go(func() {
					for {
						c.nc.SetReadDeadline(end)
						if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
							return
						}
						heard.Add(1)
					}
				})
			}
			synctest.Wait()
			heard.Store(0)
			n := len(a.all())
			tt.delete(owner)
			reading.Wait()
			all := a.all()
			if len(all) != n+1 {
				t.Fatalf("%s: %d deletions are reported", tt.how, len(all)-n)
			}
			got := all[n]
			if got.Path != "/e/n" || !got.Settled || !slices.Equal(got.Notified, want) {
				t.Errorf("%s: %+v, want %x", tt.how, got, want)
			}
			frame := len(wire.AppendFrame(nil, &wire.ReplyHeader{}, &wire.WatcherEvent{Path: "/e/n"}))
			if got.Requests != 0 || got.BytesIn != 0 || got.BytesOut != int64(len(want)*frame) {
				t.Errorf("%s: %+v, want %d bytes", tt.how, got, len(want)*frame)
			}
			if early || heard.Load() == 0 {
				t.Errorf("%s: heard of before the report: %t, %d messages", tt.how, early, heard.Load())
			}
		}
		// Elsewhere, and after the end.
		n := a.count()
		main.create("/other/n", 0)
		get("/other/n")(keyed)
		main.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/other/n", Version: -1}, nil)
		main.create("/e/n", 0)
		get("/e/n")(keyed)
		a.stop()
		a.stop()
		main.must(wire.OpDelete, &wire.PathVersionRequest{Path: "/e/n", Version: -1}, nil)
		time.Sleep(time.Second)
		if a.count() != n {
			t.Errorf("%d reports of nothing", a.count()-n)
		}
	})
}

// TestTallyReports: reports are put together, none is lost, and the end is
// called when it is quiet.
func TestTallyReports(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		main := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		main.create("/e", 0)
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		a := tally(t, s, "/e")
		watched := func(path string) {
			main.create(path, 0)
			c.must(wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: true}, &wire.DataResponse{})
		}
		remove := func(path string) { main.must(wire.OpDelete, &wire.PathVersionRequest{Path: path, Version: -1}, nil) }
		list := &wire.PathWatchRequest{Path: "/e"}
		in := int64(len(wire.AppendFrame(nil, &wire.RequestHeader{}, list)))
		out := int64(len(wire.AppendFrame(nil, &wire.ReplyHeader{}, &wire.StringsResponse{})))
		event := int64(len(wire.AppendFrame(nil, &wire.ReplyHeader{}, &wire.WatcherEvent{Path: "/e/n"})))
		want := func(i, requests int, settled bool) {
			t.Helper()
			got := a.all()[i]
			if got.Requests != requests || got.BytesIn != int64(requests)*in || got.BytesOut != event+int64(requests)*out || got.Settled != settled {
				t.Errorf("deletion %d: %+v, want %d requests, settled %t", i, got, requests, settled)
			}
		}
		watched("/e/n")
		for range 5 {
			c.must(wire.OpGetChildren, list, &wire.StringsResponse{}) // before
		}
		remove("/e/n")
		for range 100 {
			c.must(wire.OpPing, nil, nil) // does not count
			c.call(wire.OpGetChildren, list, &wire.StringsResponse{})
			time.Sleep(time.Millisecond)
		}
		time.Sleep(21 * time.Millisecond)
		want(0, 100, false)
		if a.count() < 6 || a.count() > 8 {
			t.Errorf("%d reports of 100 requests in 100 ms", a.count())
		}
		c.must(wire.OpPing, nil, nil)
		time.Sleep(276 * time.Millisecond) // 297 since the last
		want(0, 100, false)
		c.call(wire.OpGetChildren, list, &wire.StringsResponse{})
		time.Sleep(299 * time.Millisecond)
		want(0, 101, false)
		time.Sleep(2 * time.Millisecond)
		want(0, 101, true)
		c.call(wire.OpGetChildren, list, &wire.StringsResponse{}) // too late
		time.Sleep(time.Second)
		want(0, 101, true)

		// What is told later counts from then on, and the session for the new one.
		watched("/e/n")
		s.SetPace(steps)
		remove("/e/n")
		c.send(wire.OpGetChildren, list)
		synctest.Wait()
		time.Sleep(10 * time.Second)
		if got := a.all()[1]; got.BytesOut != 0 || got.Requests != 0 || got.Settled {
			t.Errorf("before anybody is told: %+v", got)
		}
		s.Step()
		c.send(wire.OpGetChildren, list)
		synctest.Wait()
		time.Sleep(10 * time.Second)
		if got := a.all()[1]; got.BytesIn != in || got.BytesOut != event || got.Settled {
			t.Errorf("before the replies: %+v", got)
		}
		s.SetPace(zkserver.Pace{})
		replies(c, 3)
		time.Sleep(299 * time.Millisecond)
		want(1, 1, false)
		time.Sleep(2 * time.Millisecond)
		want(1, 1, true)

		watched("/e/n")
		remove("/e/n")
		c.must(wire.OpGetChildren, list, &wire.StringsResponse{})
		watched2 := func() {
			main.create("/e/n", 0)
			c.call(wire.OpGetChildren, list, &wire.StringsResponse{})
			c.must(wire.OpExists, &wire.PathWatchRequest{Path: "/e/n", Watch: true}, &wire.Stat{})
		}
		watched2()
		asked := a.all()[2].Requests
		remove("/e/n")
		time.Sleep(25 * time.Millisecond)
		if got := a.all()[2]; !got.Settled || got.Requests != 3 || asked > 3 {
			t.Errorf("after a later deletion: %+v", got)
		}
		c.call(wire.OpGetChildren, list, &wire.StringsResponse{})
		time.Sleep(25 * time.Millisecond)
		want(3, 1, false)
		// The end of the session is the end of it.
		c.must(wire.OpCloseSession, nil, nil)
		time.Sleep(25 * time.Millisecond)
		if got := a.all()[3]; !got.Settled || got.Requests != 2 || got.BytesOut != event+out+20 {
			t.Errorf("after the session: %+v", got)
		}

		// Nothing after a stop, not even what is due.
		c = pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		watched("/e/n")
		remove("/e/n")
		a.stop()
		n := a.count()
		c.call(wire.OpGetChildren, list, &wire.StringsResponse{})
		time.Sleep(time.Second)
		if a.count() != n {
			t.Errorf("%d reports after stop", a.count()-n)
		}
		b := tally(t, s, "/e")
		// Something else that is held may make a client ask for more.
		watched("/e/n")
		c.must(wire.OpGetChildren, &wire.PathWatchRequest{Path: "/e", Watch: true}, &wire.StringsResponse{})
		s.SetPace(steps)
		remove("/e/n")
		s.Step()
		replies(c, 1)
		time.Sleep(10 * time.Second)
		if all := b.all(); all[len(all)-1].Settled || len(held(t, s)) != 1 {
			t.Errorf("with an event held: %+v", all[len(all)-1])
		}
		s.SetPace(zkserver.Pace{})
		replies(c, 1)
		time.Sleep(301 * time.Millisecond)
		if all := b.all(); !all[len(all)-1].Settled {
			t.Errorf("with nothing held: %+v", all[len(all)-1])
		}

		watched("/e/n")
		remove("/e/n")
		n = b.count()
		begin := time.Now()
		s.Close()
		if d := time.Since(begin); d > 0 {
			t.Errorf("Close waited for %v", d)
		}
		if time.Sleep(time.Second); b.count() != n {
			t.Errorf("%d reports after the end", b.count()-n)
		}
	})
}

// elector is a candidate over go-zookeeper that waits behind the one before it
// or, in a herd, like everybody behind the first.
type elector struct {
	*zk.Conn
	herd bool
	dead atomic.Bool
	done chan struct{}
}

func volunteer(t *testing.T, s *zkserver.Server, herd bool) *elector {
	t.Helper()
	e := &elector{herd: herd, done: make(chan struct{})}
	c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:2"}, time.Minute, zk.WithLogger(quiet{}), zk.WithMaxConnBufferSize(16<<10),
		zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) {
			if e.dead.Load() {
				return nil, net.ErrClosed
			}
			return s.Dial()
		}))
	try(t, err)
	e.Conn = c
	waitState(t, events, zk.StateHasSession)
	// go-zookeeper sends setWatches even on its first connection if its loop gets to look
	// for watches only after ExistsW has left one.
	synctest.Wait()
	name, err := e.Create("/e/n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	try(t, err)
	go e.wait(strings.TrimPrefix(name, "/e/"))
	synctest.Wait()
	return e
}

func (e *elector) wait(name string) {
	defer close(e.done)
	for {
		all, _, err := e.Children("/e")
		if err != nil {
			return
		}
		slices.Sort(all)
		i := slices.Index(all, name)
		if i <= 0 {
			return // it leads, or is gone
		}
		before := all[i-1]
		if e.herd {
			before = all[0]
		}
		there, _, ch, err := e.ExistsW("/e/" + before)
		if err != nil {
			return
		}
		if there {
			if ev := <-ch; ev.Type != zk.EventNodeDeleted {
				return
			}
		}
	}
}

// end ends the session of somebody who has gone without a word.
func (e *elector) end(t *testing.T, s *zkserver.Server) {
	t.Helper()
	e.dead.Store(true)
	try(t, s.ExpireSession(e.SessionID()))
}

// TestTallyIsWhatTheServerCounted: with nobody there but candidates, the
// tallies of some handoffs are what has been added to the server's counters, at
// any pace. In a chain one is notified, in a herd all.
func TestTallyIsWhatTheServerCounted(t *testing.T) {
	for _, herd := range []bool{false, true} {
		for _, pace := range []zkserver.Pace{{}, delay(100 * time.Millisecond), delay(time.Second), steps} {
			t.Run(fmt.Sprintf("herd=%t/%+v", herd, pace), func(t *testing.T) {
				bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
					first := pipeRaw(t, s, wire.ConnectRequest{})
					first.create("/e", 0)
					first.must(wire.OpCloseSession, nil, nil)
					const size = 12
					var all []*elector
					for range size {
						all = append(all, volunteer(t, s, herd))
					}
					a := tally(t, s, "/e")
					s.SetPace(pace)
					quiet := func() {
						for {
							if time.Sleep(5 * time.Second); pace.Steps {
								if _, ok := s.Step(); ok {
									continue
								}
							} else if s.TakeBacklog(0).Waiting > 0 {
								continue
							}
							return
						}
					}
					before := s.Counters()
					all[0].end(t, s)
					quiet()
					if _, notified, deletions := a.sum(); deletions != 1 || herd && notified != size-1 || !herd && notified != 1 {
						t.Errorf("the first handoff notified %d, %d deletions", notified, deletions)
					}
					all[5].end(t, s) // not the leader
					quiet()
					all[1].end(t, s) // two at once, but what is sent is written
					synctest.Wait()
					all[2].end(t, s)
					quiet()
					all[3].end(t, s) // soon after each other
					time.Sleep(50 * time.Millisecond)
					all[4].end(t, s)
					quiet()
					after := s.Counters()
					sum, notified, deletions := a.sum()
					if deletions != 6 || !sum.Settled {
						t.Errorf("%d deletions, settled %t", deletions, sum.Settled)
					}
					if n := after.Notifications - before.Notifications; int(n) != notified {
						t.Errorf("%d notified, the server says %d", notified, n)
					}
					requests, pings := int64(0), after.Requests[wire.OpPing]-before.Requests[wire.OpPing]
					for op, n := range after.Requests {
						requests += n - before.Requests[op]
					}
					ping := int64(len(wire.AppendFrame(nil, &wire.RequestHeader{})))
					pong := int64(len(wire.AppendFrame(nil, &wire.ReplyHeader{})))
					if n := requests - pings; int64(sum.Requests) != n || n == 0 {
						t.Errorf("%d requests, the server says %d", sum.Requests, n)
					}
					if n := after.BytesIn - before.BytesIn - pings*ping; sum.BytesIn != n {
						t.Errorf("%d bytes in, the server says %d", sum.BytesIn, n)
					}
					if n := after.BytesOut - before.BytesOut - pings*pong; sum.BytesOut != n {
						t.Errorf("%d bytes out, the server says %d", sum.BytesOut, n)
					}
					s.SetPace(zkserver.Pace{})
					for _, e := range all {
						synctest.Wait() // it may hang if it closes while it sends
						e.Close()
						<-e.done
					}
				})
			})
		}
	}
}
