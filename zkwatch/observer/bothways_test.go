package observer_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

type report struct {
	Handoffs []handoff
	Totals   model.Totals
	Lanes    []lane
}

type handoff struct {
	From, To string
	Cause    model.Cause
	At       time.Time
}

type lane struct {
	Name      string
	Cause     model.Cause
	End       time.Time
	Stretches []model.Stretch
}

func reportOf(s *doctor.State) (r report) {
	named := func(c *dialect.Candidate) string {
		if c == nil {
			return "nobody"
		}
		return c.Name
	}
	for _, h := range s.Handoffs {
		r.Handoffs = append(r.Handoffs, handoff{named(h.From), named(h.To), h.Cause, h.At})
	}
	r.Totals = s.Totals
	for _, l := range s.Lanes(1000).All {
		z := l.Znodes[0]
		r.Lanes = append(r.Lanes, lane{z.Name, z.Cause, z.End, l.Stretches})
	}
	return r
}

func (r report) withoutTimes() report {
	r.Totals.Led, r.Totals.Vacant = 0, 0
	for i := range r.Handoffs {
		r.Handoffs[i].At = time.Time{}
	}
	for i := range r.Lanes {
		l := &r.Lanes[i]
		l.End, l.Stretches = time.Time{}, slices.Clone(l.Stretches)
		for k := range l.Stretches {
			l.Stretches[k].From = time.Time{}
		}
	}
	return r
}

type history struct {
	*rand.Rand
	connect  func() *zk.Conn
	create   func(c *zk.Conn) string
	sessions []*zk.Conn
	owned    map[*zk.Conn][]string
}

func (h *history) step(t *testing.T) {
	i := h.IntN(4)
	if len(h.sessions) <= i {
		h.sessions = append(h.sessions, h.connect())
		i = len(h.sessions) - 1
	}
	c := h.sessions[i]
	switch own := h.owned[c]; {
	case len(own) == 0 || h.IntN(2) == 0:
		h.owned[c] = append(own, h.create(c))
	case h.IntN(3) == 0:
		c.Close()
		delete(h.owned, c)
		h.sessions = slices.Delete(h.sessions, i, i+1)
	default:
		k := h.IntN(len(own))
		electiontest.Remove(t, c, own[k])
		h.owned[c] = slices.Delete(own, k, k+1)
	}
}

func (h *history) end() {
	for _, c := range h.sessions {
		c.Close()
	}
}

func newHistory(t *testing.T, seed uint64, path string, connect func() *zk.Conn) *history {
	return &history{
		Rand: rand.New(rand.NewPCG(seed, 0)), connect: connect, owned: make(map[*zk.Conn][]string),
		create: func(c *zk.Conn) string { return electiontest.Creator(t, c)(path+"/n_", electiontest.Contender) },
	}
}

func compare(t *testing.T, reads, watch report) {
	t.Helper()
	if diff := cmp.Diff(reads, watch); diff != "" {
		t.Fatalf("got different reports by reads (-) and by a watch (+):\n%s", diff)
	}
}

func observeBothWays(t *testing.T, delay time.Duration, f func(t *testing.T, server *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched)) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		electiontest.Creator(t, c)("/e", 0)
		var linkDelay atomic.Int64
		linkDelay.Store(int64(delay))
		cfg := electiontest.Conn(server, nil)
		cfg.SessionTimeout = time.Minute
		if delay > 0 {
			electiontest.WrapConns(&cfg, func(c net.Conn) net.Conn { return newDistantConn(c, &linkDelay, 0) })
		}
		watch := electiontest.Observe(t, cfg, model.Config{Path: "/e"})
		reads := electiontest.Observe(t, cfg, model.Config{Path: "/e"}, byReads)
		watch.Await(t, "by a watch", byWatch)
		reads.Await(t, "empty", electiontest.QueueOf(0))
		f(t, server, func() *zk.Conn { return electiontest.EmbeddedClient(t, server) }, watch, reads)
		c.Close()
	})
}

func TestWatchAndReadsReportTheSameHistory(t *testing.T) {
	first := zktest.Seed(t)
	for _, delay := range []time.Duration{0, 150 * time.Millisecond} {
		for seed := first; seed < first+10; seed++ {
			t.Run(fmt.Sprint(delay, "/", seed), func(t *testing.T) {
				observeBothWays(t, delay, func(t *testing.T, _ *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched) {
					h := newHistory(t, seed, "/e", connect)
					for range 60 {
						time.Sleep(time.Duration(2000+h.IntN(3000)) * time.Millisecond)
						h.step(t)
					}
					time.Sleep(2 * time.Second)
					for _, w := range []*electiontest.Watched{watch, reads} { // extend the totals to now
						w.Feed.Put(&model.Advance{At: feed.Now()})
					}
					synctest.Wait()
					a, b := reportOf(reads.Feed.State()), reportOf(watch.Feed.State())
					if delay > 0 {
						a, b = a.withoutTimes(), b.withoutTimes()
					}
					h.end()
					compare(t, a, b)
				})
			})
		}
	}
}

func handoffs(s *doctor.State) string {
	var all []string
	for _, h := range reportOf(s).Handoffs {
		all = append(all, fmt.Sprintf("%s>%s %s", strings.TrimPrefix(h.From, "n_000000000"), strings.TrimPrefix(h.To, "n_000000000"), h.Cause))
	}
	return strings.Join(all, ", ")
}

func TestHandoffsAfterSessionEndAndDeletions(t *testing.T) {
	const candidates = 6
	for _, delay := range []time.Duration{0, 150 * time.Millisecond} {
		for _, end := range []string{"expires", "closes", "deletes"} {
			t.Run(fmt.Sprint(end, "/", delay), func(t *testing.T) {
				observeBothWays(t, delay, func(t *testing.T, server *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched) {
					a, b := connect(), connect()
					var names []string
					for range candidates {
						names = append(names, electiontest.Creator(t, a)("/e/n_", electiontest.Contender))
					}
					electiontest.Creator(t, b)("/e/n_", electiontest.Contender)
					electiontest.Creator(t, a)("/e/n_", electiontest.Contender)
					time.Sleep(2 * time.Second)
					want := fmt.Sprintf("nobody>0 unknown, 0>%d unknown", candidates)
					switch end {
					case "expires":
						if err := server.ExpireSession(a.SessionID()); err != nil {
							t.Fatal(err)
						}
					case "closes":
						a.Close()
					case "deletes":
						want = "nobody>0 unknown"
						for i, name := range names {
							electiontest.Remove(t, a, name)
							want += fmt.Sprintf(", %d>%d deleted", i, i+1)
						}
					}
					time.Sleep(2 * time.Second)
					if got := handoffs(watch.Feed.State()); got != want {
						t.Errorf("by a watch: got handoffs %s\nwant %s", got, want)
					}
					if got := handoffs(reads.Feed.State()); end != "deletes" && got != want {
						t.Errorf("by reads: got handoffs %s\nwant %s", got, want)
					}
					a.Close()
					b.Close()
				})
			})
		}
	}
}

func TestHandoffsFasterThanARoundTrip(t *testing.T) {
	const every = 100 * time.Millisecond
	observeBothWays(t, 150*time.Millisecond, func(t *testing.T, _ *zkserver.Server, connect func() *zk.Conn, watch, reads *electiontest.Watched) {
		c := connect()
		create := electiontest.Creator(t, c)
		var names []string
		for range 3 {
			names = append(names, create("/e/n_", electiontest.Contender))
		}
		time.Sleep(2 * time.Second)
		all := []*electiontest.Watched{watch, reads}
		var vacant []time.Duration // each observer's time before the first candidate
		for _, w := range all {
			vacant = append(vacant, w.Feed.State().Totals.Vacant)
		}
		for range 100 {
			names = append(names, create("/e/n_", electiontest.Contender))
			electiontest.Remove(t, c, names[0])
			names = names[1:]
			time.Sleep(every)
		}
		time.Sleep(2 * time.Second)
		for i, w := range all {
			s := w.Feed.State()
			for _, h := range s.Handoffs {
				if h.To == nil {
					t.Errorf("got a handoff from %s to nobody, want to the next candidate", h.From.Name)
				}
			}
			if got := s.Totals.Vacant; got != vacant[i] {
				t.Errorf("got %v without a leader, want %v, the time before the first candidate", got, vacant[i])
			}
			if z := s.Leader(); z == nil || znode.Join("/e", z.Name) != names[0] {
				t.Errorf("got leader %v, want %s", z, names[0])
			}
		}
		if got := watch.Feed.State().Totals.Handoffs; got != 101 {
			t.Errorf("by a watch: got %d handoffs, want 101", got)
		}
		c.Close()
	})
}

func byWatch(s *doctor.State) bool { return s.Follow != nil && s.Follow.By == model.ByWatch }

func TestWatchMissesNothingOfABurst(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path})
		w.Await(t, "by a watch", byWatch)
		const n = 100
		var ops []any
		for i := range n {
			name := fmt.Sprintf("%s/n_%010d", on.Path, i)
			ops = append(ops, &zk.CreateRequest{Path: name, Acl: electiontest.Open, Flags: zk.FlagEphemeral})
			if i%3 == 0 {
				ops = append(ops, &zk.DeleteRequest{Path: name, Version: -1})
			}
		}
		if _, err := on.Multi(ops...); err != nil {
			t.Fatal(err)
		}
		w.Await(t, "the burst", electiontest.QueueOf(n-n/3-1))
		checkTotals(t, w, n, n/3+1, false)
		for _, e := range w.Events.All() {
			if b, ok := e.Body.(model.Missed); ok {
				t.Errorf("got missed changes %+v, want none", b)
			}
		}
		w.Await(t, "the next sequence", func(s *doctor.State) bool { return s.NextSequence == n })
	})
}

func TestObserverReadsIfAddWatchIsUnsupported(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		on.Make(on.Path+"/n_", electiontest.Contender)
		var requests atomic.Int32
		cfg := on.Config()
		electiontest.OnRequest(&cfg, wire.OpAddWatch, func(c net.Conn, frame []byte) bool {
			requests.Add(1)
			frame = slices.Clone(frame)
			binary.BigEndian.PutUint32(frame[8:], 999) // an unsupported operation, like addWatch before 3.6
			c.Write(frame)
			return true
		})
		w := electiontest.Observe(t, cfg, model.Config{Path: on.Path})
		w.Await(t, "by reads", func(s *doctor.State) bool {
			return s.Follow != nil && s.Follow.By == model.ByReads && s.Follow.Why == model.FollowUnsupported
		})
		for n := range 3 {
			w.Await(t, "the queue", electiontest.QueueOf(n+1))
			on.Make(on.Path+"/n_", electiontest.Contender)
		}
		if n := requests.Load(); n != 1 {
			t.Errorf("got %d requests for a persistent watch, want 1", n)
		}
	})
}

func TestObserverReadsIfAChildIsUnreadable(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if err := on.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		owner := zk.DigestACL(zk.PermAll, "u", "p")
		on.Make(on.Path, 0)
		on.Make(on.Path+"/n_", electiontest.Contender)
		w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path})
		w.Await(t, "by a watch", byWatch)
		hidden, err := on.Create(on.Path+"/n_", nil, electiontest.Contender, owner)
		if err != nil {
			t.Fatal(err)
		}
		on.Make(on.Path+"/n_", electiontest.Contender) // readable: its event makes the observer check the parent
		w.Await(t, "by reads", func(s *doctor.State) bool {
			return s.Queue.Len() == 3 && s.Follow.By == model.ByReads && s.Follow.Why == model.FollowHidden
		})
		on.Remove(hidden)
		w.Await(t, "two", electiontest.QueueOf(2))
		checkTotals(t, w, 2, 1, false)
	})
}

func TestObserverReadsIfTheWatchMissesEvents(t *testing.T) {
	const maxDelay = 17 * time.Second
	synctest.Test(t, func(t *testing.T) {
		server, raw := electiontest.Embedded(t)
		create := electiontest.Creator(t, raw)
		remove := func(path string) { electiontest.Remove(t, raw, path) }
		create("/e", 0)
		leader := create("/e/n_", electiontest.Contender)
		var lossy atomic.Bool
		cfg := electiontest.Conn(server, nil)
		electiontest.WrapConns(&cfg, func(c net.Conn) net.Conn {
			return electiontest.Dropping(c, func(frame []byte) bool {
				if !lossy.Load() || len(frame) < 24 || int32(binary.BigEndian.Uint32(frame[4:])) != wire.XidWatch {
					return false
				}
				kind := zk.EventType(binary.BigEndian.Uint32(frame[20:]))
				return kind == zk.EventNodeCreated || kind == zk.EventNodeDeleted
			})
		})
		w := electiontest.Observe(t, cfg, model.Config{Path: "/e"})
		w.Await(t, "by a watch", byWatch)
		sees := func(what string, within time.Duration, holds func(*doctor.State) bool) *doctor.State {
			t.Helper()
			began := time.Now()
			s := w.Await(t, what, holds)
			if took := time.Since(began); took > within {
				t.Errorf("got %s after %v, want at most %v", what, took, within)
			}
			return s
		}
		for range 2 {
			lossy.Store(true)
			leads := func(s *doctor.State) bool { return s.Leader() != nil && "/e/"+s.Leader().Name == leader }
			for range 2 {
				before := w.Feed.State().Totals
				remove(leader)
				remove(create("/e/n_", electiontest.Contender))
				leader = create("/e/n_", electiontest.Contender)
				s := sees("the next leader", maxDelay, leads)
				if n := s.Totals; n.MissedCreates != before.MissedCreates+1 || n.MissedDeletes != before.MissedDeletes+1 {
					t.Errorf("got totals %+v after %+v, want one more missed create and delete", n, before)
				}
			}
			sees("by reads", time.Second, func(s *doctor.State) bool { return s.Follow.By == model.ByReads && s.Follow.Why == model.FollowMissed })
			for range 5 {
				remove(leader)
				leader = create("/e/n_", electiontest.Contender)
				sees("the next leader", time.Second, leads)
			}
			lossy.Store(false)
			time.Sleep(11 * time.Minute)
			remove(create("/e/n_", electiontest.Contender))
			sees("by a watch again", time.Second, byWatch)
		}
		remove(leader)
		remove("/e")
		sees("no parent", time.Second, func(s *doctor.State) bool { return s.Phase == model.NoParent })
		lossy.Store(true)
		create("/e", 0)
		sees("the parent", maxDelay, electiontest.QueueOf(0))
	})
}

func TestWatchIsSetAgainAfterManyDataChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, raw := electiontest.Embedded(t)
		create := electiontest.Creator(t, raw)
		create("/e", 0)
		create("/e/config", 0)
		w := electiontest.Observe(t, electiontest.Conn(server, nil), model.Config{Path: "/e"})
		w.Await(t, "by a watch", byWatch)
		for range 2 {
			for range 5 { // all within the time in which the observer counts events
				writes := slices.Repeat([]any{&zk.SetDataRequest{Path: "/e/config", Data: []byte("x"), Version: -1}}, 1000)
				zktest.Must(raw.Multi(writes...))
			}
			w.Await(t, "by reads", func(s *doctor.State) bool { return s.Follow.Why == model.FollowFlooded })
			time.Sleep(9 * time.Minute)
			create("/e/n_", electiontest.Contender)
			synctest.Wait()
			if s := w.Await(t, "a candidate", func(s *doctor.State) bool { return s.Queue.Len() > 0 }); byWatch(s) {
				t.Error("got a persistent watch 9 minutes after many changes of data, want reads")
			}
			time.Sleep(2 * time.Minute)
			create("/e/n_", electiontest.Contender)
			w.Await(t, "by a watch again", byWatch)
		}
		w.Await(t, "all four", electiontest.QueueOf(4))
		checkTotals(t, w, 4, 0, false)
	})
}

func ledBy(data string) func(*doctor.State) bool {
	return func(s *doctor.State) bool {
		return s.Phase == model.Live && s.Queue.Len() == 1 && string(s.Queue.At(0).Data.Bytes) == data
	}
}

func vacant(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == 0 }

func TestSingleEphemeralElection(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.MakeData(on.Path, "", 0)
		on.MakeData(on.Path+"/brokers", "", 0)
		on.MakeData(on.Path+"/controller_epoch", "0", 0)
		kafka, other := on.Path+"/controller", on.Path+"/somebody"
		known := electiontest.Observe(t, on.Config(), model.Config{Path: kafka})
		unknown := electiontest.Observe(t, on.Config(), model.Config{Path: other})

		known.Await(t, "vacant", vacant)
		unknown.Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		one := `{"version":1,"brokerid":1,"timestamp":"1700000000000"}`
		for path, w := range map[string]*electiontest.Watched{kafka: known, other: unknown} {
			on.MakeData(path, one, zk.FlagEphemeral)
			w.Await(t, path+" led", ledBy(one))
			if _, err := on.Set(path, []byte("2"), -1); err != nil {
				t.Fatal(err)
			}
			w.Await(t, path+" rewritten", ledBy("2"))
			for i := range 3 {
				on.Remove(path)
				w.Await(t, path+" vacant", vacant)
				data := fmt.Sprintf(`{"version":1,"brokerid":%d}`, 10+i)
				on.MakeData(path, data, zk.FlagEphemeral)
				w.Await(t, path+" led again", ledBy(data))
			}
		}
		if s := known.Feed.State(); s.Dialect == nil || s.Dialect.ID != "kafka" {
			t.Errorf("got dialect %+v, want kafka", s.Dialect)
		}
		for _, e := range append(known.Events.All(), unknown.Events.All()...) {
			if m, ok := e.Body.(model.Missed); ok {
				t.Errorf("got missed changes %+v, want none", m)
			}
		}

		on.Remove(other)
		unknown.Await(t, "vacant", vacant)
		on.MakeData(other, "", 0)
		on.MakeData(other+"/n_", "x", electiontest.Contender)
		unknown.Await(t, "a queue", func(s *doctor.State) bool {
			if s.Queue.Len() != 1 {
				return false
			}
			_, numbered := znode.Sequence(s.Queue.At(0).Name)
			return numbered
		})
	})
}

func TestReadOnce(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		on.Make(on.Path+"/controller", zk.FlagEphemeral)
		on.Make(on.Path+"/master", zk.FlagEphemeral)
		on.Make(on.Path+"/leader", 0)
		on.Make(on.Path+"/leader/n_", electiontest.Contender)
		conn := electiontest.Connected(t, on.Config())
		for path, want := range map[string]struct {
			single   bool
			presence model.Presence
			children int
		}{
			on.Path + "/controller":               {true, model.Present, 1},
			on.Path + "/master":                   {true, model.Present, 1},
			on.Path + "/leader":                   {false, model.Present, 1},
			on.Path + "/none":                     {false, model.Absent, 0},
			on.Path + "/ActiveStandbyElectorLock": {true, model.Present, 0},
		} {
			r, err := observer.ReadOnce(t.Context(), conn, path, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			if r.Single != want.single || r.Presence != want.presence || len(r.New) != want.children {
				t.Errorf("%s: got read %+v, want %+v", path, r, want)
			}
		}
	})
}

func TestSingleElectionKeepsOneWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		var mu sync.Mutex
		var last *model.Read
		run(t, observer.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/ActiveStandbyElectorLock",
			Put: func(_ context.Context, obs model.Observation) {
				if r, ok := obs.(*model.Read); ok {
					mu.Lock()
					last = r
					mu.Unlock()
				}
			},
		})
		check := func(children int, what string) {
			t.Helper()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if last == nil || !last.Single || len(last.New) != children {
				t.Errorf("%s: got last read %+v, want Single with %d znodes", what, last, children)
			}
			if n := electiontest.Watches(t, server); n != 1 {
				t.Errorf("%s: got %d watches, want 1", what, n)
			}
		}
		check(0, "absent")
		for round := range 3 {
			electiontest.Restart(server, electiontest.LeaseTimeout/3)
			check(0, fmt.Sprint("absent after a lost connection ", round))
			if _, err := c.Create("/ActiveStandbyElectorLock", nil, zk.FlagEphemeral, electiontest.Open); err != nil {
				t.Fatal(err)
			}
			check(1, fmt.Sprint("present ", round))
			electiontest.Restart(server, electiontest.LeaseTimeout/3)
			check(1, fmt.Sprint("present after a lost connection ", round))
			electiontest.Remove(t, c, "/ActiveStandbyElectorLock")
			check(0, fmt.Sprint("absent again ", round))
		}
		before := server.Counters()
		time.Sleep(time.Hour)
		for op, n := range server.Counters().Requests {
			if op != wire.OpPing && n != before.Requests[op] {
				t.Errorf("got %d requests of %v in an idle hour, want 0", n-before.Requests[op], op)
			}
		}
	})
}
