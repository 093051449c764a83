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

type tallies struct {
	t    *testing.T
	stop func()

	mu      sync.Mutex
	last    map[tallyKey]zkserver.Tally
	at      map[tallyKey]time.Time
	reports int
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
	a.reports++
	k := tallyKey{now.Zxid, now.Path}
	was, again := a.last[k]
	switch {
	case !again:
		if now.Requests != 0 || now.BytesIn != 0 || now.BytesOut != 0 || now.Settled != (len(now.Notified) == 0) || !now.At.Equal(time.Now()) {
			a.t.Errorf("first report: got %+v, want zero numbers, the time %v, settled only if no session is notified", now, time.Now())
		}
	case was.Settled:
		a.t.Errorf("got report %+v after the deletion was settled", now)
	case !slices.Equal(was.Notified, now.Notified) || !was.At.Equal(now.At):
		a.t.Errorf("report %+v follows %+v: want the same sessions and time", now, was)
	case now.Requests < was.Requests || now.BytesIn < was.BytesIn || now.BytesOut < was.BytesOut:
		a.t.Errorf("report %+v follows %+v: want no smaller number", now, was)
	case !now.Settled && now.Requests == was.Requests && now.BytesIn == was.BytesIn && now.BytesOut == was.BytesOut:
		a.t.Errorf("report %+v repeats the previous report", now)
	}
	if d := time.Since(a.at[k]); again && d < 20*time.Millisecond {
		a.t.Errorf("%s is reported again after %v, want at least 20ms", now.Path, d)
	}
	a.last[k], a.at[k] = now, time.Now()
}

func (a *tallies) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reports
}

func (a *tallies) all() []zkserver.Tally {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.SortedFunc(maps.Values(a.last), func(x, y zkserver.Tally) int {
		return cmp.Or(cmp.Compare(x.Zxid, y.Zxid), strings.Compare(x.Path, y.Path))
	})
}

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

type setWatch func(*rawClient)

func read(op wire.Op, path string, rsp wire.Record) setWatch {
	return func(c *rawClient) { c.call(op, &wire.PathWatchRequest{Path: path, Watch: true}, rsp) }
}

func getData(path string) setWatch   { return read(wire.OpGetData, path, &wire.DataResponse{}) }
func getExists(path string) setWatch { return read(wire.OpExists, path, &wire.Stat{}) }
func getChildren(path string) setWatch {
	return read(wire.OpGetChildren, path, &wire.StringsResponse{})
}

func addWatch(path string, mode int32) setWatch {
	return func(c *rawClient) {
		c.must(wire.OpAddWatch, &wire.AddWatchRequest{Path: path, Mode: mode}, &wire.ErrorResponse{})
	}
}

func deleteNode(c *rawClient, path string) {
	c.t.Helper()
	c.must(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: path, Version: -1}, nil)
}

// tallyWatchers sets no watch with getData and getChildren of /e/n, because /e/n does not exist yet.
func tallyWatchers(t *testing.T, s *zkserver.Server) (counting, others []*rawClient) {
	for _, w := range []setWatch{getData("/e/n"), getExists("/e/n"), addWatch("/e/n", wire.WatchPersistent)} {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		w(c)
		counting = append(counting, c)
	}
	for _, w := range []setWatch{
		getChildren("/e/n"), getChildren("/e"), getData("/e"), getExists("/e/other"),
		addWatch("/e", wire.WatchPersistentRecursive), addWatch("/", wire.WatchPersistentRecursive), func(*rawClient) {},
	} {
		c := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		w(c)
		others = append(others, c)
	}
	return counting, others
}

func readAll(received *atomic.Int64, clients ...*rawClient) (reading *sync.WaitGroup) {
	reading = new(sync.WaitGroup)
	end := time.Now().Add(time.Second)
	for _, c := range clients {
		reading.Go(func() {
			for {
				c.nc.SetReadDeadline(end)
				if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
					return
				}
				received.Add(1)
			}
		})
	}
	return reading
}

func TestTallyNotified(t *testing.T) {
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		main, authenticated := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000}), pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		main.create("/e", 0)
		authenticated.must(wire.OpAuth, &wire.AuthRequest{Scheme: "digest", Auth: []byte("ann:secret")}, nil)
		counting, others := tallyWatchers(t, s)
		observer := observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		received, early := atomic.Int64{}, false
		a := &tallies{t: t, last: make(map[tallyKey]zkserver.Tally), at: make(map[tallyKey]time.Time)}
		defer s.Tally("/e", func(one zkserver.Tally) {
			a.report(one)
			if one.BytesOut == 0 {
				synctest.Wait() // until all messages are read
				early = early || received.Load() > 0
			}
		})()
		for n, tt := range []struct {
			how    string
			delete func(owner *rawClient)
		}{
			{"delete", func(*rawClient) {
				main.send(wire.OpDelete, &wire.MultiOp{Op: wire.OpDelete, Path: "/e/n", Version: -1})
			}},
			{"multi", func(*rawClient) {
				main.send(wire.OpMulti, &wire.MultiRequest{Ops: []wire.MultiOp{op(wire.OpCheck, "/e", -1), op(wire.OpDelete, "/e/n", -1)}})
			}},
			{"close", func(owner *rawClient) { owner.send(wire.OpCloseSession, nil) }},
			{"expiry", func(owner *rawClient) { try(t, s.ExpireSession(id(owner))) }},
			{"acl", func(owner *rawClient) { owner.send(wire.OpCloseSession, nil) }},
		} {
			owner := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
			owner.create("/e/n", wire.FlagEphemeral)
			want := []int64{id(authenticated)}
			for i, c := range counting { // a session with several watches is notified once
				getData("/e/n")(c)
				getExists("/e/n")(c)
				if i%2 == 0 {
					getChildren("/e/n")(c)
				}
				if tt.how != "acl" {
					want = append(want, id(c))
				}
			}
			getData("/e/n")(observer)
			getData("/e/n")(authenticated)
			getChildren("/e/n")(others[0])
			if tt.how == "acl" {
				owner.must(wire.OpSetACL, &wire.SetACLRequest{Path: "/e/n", Version: -1,
					ACL: []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "digest", ID: digestID("ann:secret")}}}}, &wire.Stat{})
			}
			slices.Sort(want)
			reading := readAll(&received, slices.Concat([]*rawClient{main, authenticated, observer, owner}, counting, others)...)
			synctest.Wait()
			received.Store(0)
			tt.delete(owner)
			reading.Wait()
			all := a.all()
			if len(all) != n+1 {
				t.Fatalf("%s: got reports of %d deletions, want 1", tt.how, len(all)-n)
			}
			bytes := len(want) * len(wire.AppendFrame(nil, &wire.ReplyHeader{}, &wire.WatcherEvent{Path: "/e/n"}))
			if got := all[n]; got.Path != "/e/n" || !got.Settled || !slices.Equal(got.Notified, want) ||
				got.Requests != 0 || got.BytesIn != 0 || got.BytesOut != int64(bytes) {
				t.Errorf("%s: got %+v, want %x notified, %d bytes out, no requests, settled", tt.how, got, want, bytes)
			}
			if early || received.Load() == 0 {
				t.Errorf("%s: got a message before the report: %t, want false; got %d messages, want some", tt.how, early, received.Load())
			}
		}
	})
}

// tallyTest counts the requests of c. Tallies do not count requests of main, which connects with DialObserver.
type tallyTest struct {
	*tallies
	s       *zkserver.Server
	main, c *rawClient
}

func inTally(t *testing.T, f func(x *tallyTest)) {
	t.Helper()
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		x := &tallyTest{s: s, main: observerRaw(t, s, wire.ConnectRequest{Timeout: 60_000}), c: pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})}
		x.main.create("/e", 0)
		x.tallies = tally(t, s, "/e")
		f(x)
	})
}

func (x *tallyTest) createWatched() {
	x.t.Helper()
	x.main.create("/e/n", 0)
	x.c.must(wire.OpGetData, &wire.PathWatchRequest{Path: "/e/n", Watch: true}, &wire.DataResponse{})
}

func (x *tallyTest) delete() { deleteNode(x.main, "/e/n") }

var listRequest = &wire.PathWatchRequest{Path: "/e"}

func (x *tallyTest) list() { x.c.call(wire.OpGetChildren, listRequest, &wire.StringsResponse{}) }

func (x *tallyTest) want(i, requests, answered int, settled bool) {
	x.t.Helper()
	in := len(wire.AppendFrame(nil, &wire.RequestHeader{}, listRequest))
	out := len(wire.AppendFrame(nil, &wire.ReplyHeader{}, &wire.StringsResponse{}))
	event := len(wire.AppendFrame(nil, &wire.ReplyHeader{}, &wire.WatcherEvent{Path: "/e/n"}))
	got := x.all()[i]
	if got.Requests != requests || got.BytesIn != int64(requests*in) || got.BytesOut != int64(event+answered*out) || got.Settled != settled {
		x.t.Errorf("deletion %d: got %+v, want %d requests, %d answered, settled %t", i, got, requests, answered, settled)
	}
}

func (x *tallyTest) wantNoReport(f func()) {
	x.t.Helper()
	n := x.count()
	f()
	if time.Sleep(time.Second); x.count() != n {
		x.t.Errorf("got %d reports, want none", x.count()-n)
	}
}

func TestTallyIsSettled(t *testing.T) {
	inTally(t, func(x *tallyTest) {
		x.createWatched()
		for range 5 {
			x.list()
		}
		x.delete()
		for range 100 {
			x.c.must(wire.OpPing, nil, nil) // tallies do not count pings
			x.list()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(21 * time.Millisecond)
		x.want(0, 100, 100, false)
		if x.count() < 6 || x.count() > 8 {
			t.Errorf("got %d reports of 100 requests in 100 ms, want 6 to 8", x.count())
		}
		x.c.must(wire.OpPing, nil, nil)
		time.Sleep(276 * time.Millisecond)
		x.want(0, 100, 100, false)
		x.list()
		time.Sleep(299 * time.Millisecond)
		x.want(0, 101, 101, false)
		time.Sleep(2 * time.Millisecond)
		x.want(0, 101, 101, true)
		x.wantNoReport(x.list)
	})
}

func TestTallyIsNotSettledWhileAMessageIsHeld(t *testing.T) {
	inTally(t, func(x *tallyTest) {
		x.createWatched()
		x.s.SetPace(steps)
		x.delete()
		x.c.send(wire.OpGetChildren, listRequest)
		synctest.Wait()
		time.Sleep(10 * time.Second)
		if got := x.all()[0]; got.BytesOut != 0 || got.Requests != 0 || got.Settled {
			t.Errorf("before the notification: got %+v, want zero and not settled", got)
		}
		x.s.Step()
		x.c.send(wire.OpGetChildren, listRequest)
		synctest.Wait()
		time.Sleep(10 * time.Second)
		x.want(0, 1, 0, false)
		x.s.SetPace(zkserver.Pace{})
		replies(x.c, 3)
		time.Sleep(299 * time.Millisecond)
		x.want(0, 1, 1, false)
		time.Sleep(2 * time.Millisecond)
		x.want(0, 1, 1, true)

		x.createWatched()
		getChildren("/e")(x.c)
		x.s.SetPace(steps)
		x.delete()
		x.s.Step()
		replies(x.c, 1)
		time.Sleep(10 * time.Second)
		if got, h := x.all()[1], held(t, x.s); got.Settled || len(h) != 1 {
			t.Errorf("with a held event: got %+v, held messages %+v; want not settled, one held message", got, h)
		}
		x.s.SetPace(zkserver.Pace{})
		replies(x.c, 1)
		time.Sleep(301 * time.Millisecond)
		x.want(1, 0, 0, true)
	})
}

func TestTallyCountsForTheLatestDeletion(t *testing.T) {
	inTally(t, func(x *tallyTest) {
		x.createWatched()
		x.delete()
		x.list()
		x.list()
		x.createWatched()
		requests := x.all()[0].Requests
		x.delete()
		time.Sleep(25 * time.Millisecond)
		if got := x.all()[0]; !got.Settled || got.Requests != 3 || requests > 3 {
			t.Errorf("first deletion: got %+v, %d requests earlier; want settled, 3 requests, at most 3 earlier", got, requests)
		}
		x.list()
		time.Sleep(25 * time.Millisecond)
		x.want(1, 1, 1, false)
		before := x.all()[1]
		x.c.must(wire.OpCloseSession, nil, nil)
		time.Sleep(25 * time.Millisecond)
		if got := x.all()[1]; !got.Settled || got.Requests != 2 || got.BytesOut != before.BytesOut+20 {
			t.Errorf("after the session ended: got %+v, want settled with one more request than %+v", got, before)
		}
	})
}

func TestTallyIsNotReported(t *testing.T) {
	inTally(t, func(x *tallyTest) {
		x.wantNoReport(func() {
			x.main.create("/other", 0)
			x.main.create("/other/n", 0)
			getData("/other/n")(x.c)
			deleteNode(x.main, "/other/n")
		})
		x.createWatched()
		x.delete()
		x.stop()
		x.wantNoReport(x.list) // stop also ends reports of earlier deletions
		x.createWatched()
		x.stop()
		x.wantNoReport(x.delete)

		x.tallies = tally(t, x.s, "/e")
		x.createWatched()
		x.delete()
		begin := time.Now()
		x.wantNoReport(func() { x.s.Close() })
		if d := time.Since(begin); d > time.Second {
			t.Errorf("Close took %v, want 0s", d-time.Second)
		}
	})
}

// An electionClient is a candidate that watches its predecessor or, in a herd, the first candidate.
type electionClient struct {
	*zk.Conn
	herd bool
	dead atomic.Bool
	done chan struct{}
}

func join(t *testing.T, s *zkserver.Server, herd bool) *electionClient {
	t.Helper()
	e := &electionClient{herd: herd, done: make(chan struct{})}
	c, events, err := zk.Connect([]string{"127.0.0.1:1", "127.0.0.1:2"}, time.Minute, zk.WithLogger(noLog{}), zk.WithMaxConnBufferSize(16<<10),
		zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) {
			if e.dead.Load() {
				return nil, net.ErrClosed
			}
			return s.Dial()
		}))
	try(t, err)
	e.Conn = c
	waitState(t, events, zk.StateHasSession)
	// Without this wait, go-zookeeper may repeat e's first watch in a setWatches request.
	synctest.Wait()
	name, err := e.Create("/e/n_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	try(t, err)
	go e.wait(strings.TrimPrefix(name, "/e/"))
	synctest.Wait()
	return e
}

func (e *electionClient) wait(name string) {
	defer close(e.done)
	for {
		all, _, err := e.Children("/e")
		if err != nil {
			return
		}
		slices.Sort(all)
		i := slices.Index(all, name)
		if i <= 0 {
			return // it leads, or has no znode
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

func (e *electionClient) end(t *testing.T, s *zkserver.Server) {
	t.Helper()
	e.dead.Store(true)
	try(t, s.ExpireSession(e.SessionID()))
}

func TestTallyEqualsCounters(t *testing.T) {
	for _, herd := range []bool{false, true} {
		for _, pace := range []zkserver.Pace{{}, delay(100 * time.Millisecond), delay(time.Second), steps} {
			t.Run(fmt.Sprintf("herd=%t/%+v", herd, pace), func(t *testing.T) {
				bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
					first := pipeRaw(t, s, wire.ConnectRequest{})
					first.create("/e", 0)
					first.must(wire.OpCloseSession, nil, nil)
					const size = 12
					var all []*electionClient
					for range size {
						all = append(all, join(t, s, herd))
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
						t.Errorf("first handoff: got %d notified, %d deletions; want 1 notified, in a herd %d, and 1 deletion", notified, deletions, size-1)
					}
					all[5].end(t, s) // not the leader
					quiet()
					all[1].end(t, s) // two deletions at the same virtual time
					synctest.Wait()
					all[2].end(t, s)
					quiet()
					all[3].end(t, s)
					time.Sleep(50 * time.Millisecond)
					all[4].end(t, s)
					quiet()
					after := s.Counters()
					sum, notified, deletions := a.sum()
					if deletions != 6 || !sum.Settled {
						t.Errorf("tallies: got %d deletions, settled %t; want 6, settled", deletions, sum.Settled)
					}
					if n := after.Notifications - before.Notifications; int(n) != notified {
						t.Errorf("notifications in the tallies: got %d, want %d as in the counters", notified, n)
					}
					requests, pings := int64(0), after.Requests[wire.OpPing]-before.Requests[wire.OpPing]
					for op, n := range after.Requests {
						requests += n - before.Requests[op]
					}
					ping := int64(len(wire.AppendFrame(nil, &wire.RequestHeader{})))
					pong := int64(len(wire.AppendFrame(nil, &wire.ReplyHeader{})))
					if n := requests - pings; int64(sum.Requests) != n || n == 0 {
						t.Errorf("requests in the tallies: got %d, want %d as in the counters, not 0", sum.Requests, n)
					}
					if n := after.BytesIn - before.BytesIn - pings*ping; sum.BytesIn != n {
						t.Errorf("bytes in: got %d in the tallies, want %d as in the counters", sum.BytesIn, n)
					}
					if n := after.BytesOut - before.BytesOut - pings*pong; sum.BytesOut != n {
						t.Errorf("bytes out: got %d in the tallies, want %d as in the counters", sum.BytesOut, n)
					}
					s.SetPace(zkserver.Pace{})
					for _, e := range all {
						synctest.Wait() // Close may hang while the client sends
						e.Close()
						<-e.done
					}
				})
			})
		}
	}
}
