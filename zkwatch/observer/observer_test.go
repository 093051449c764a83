package observer_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

func TestObserverFollowsAnElection(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
			w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path}, way)
			w.Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
			on.Make(on.Path, 0)
			w.Await(t, "empty", electiontest.QueueOf(0))
			first := on.Make(on.Path+"/n_", electiontest.Contender)
			w.Await(t, "one", electiontest.QueueOf(1))
			second := on.Make(on.Path+"/n_", electiontest.Contender)
			on.Make(on.Path+"/config", 0)
			s := w.Await(t, "two, one ignored", func(s *doctor.State) bool { return s.Queue.Len() == 2 && len(s.Ignored) == 1 })
			if got := znode.Join(on.Path, s.Leader().Name); got != first || string(s.Leader().Data.Bytes) != "d" {
				t.Errorf("got leader %s with data %q, want %s with data \"d\"", got, s.Leader().Data.Bytes, first)
			}
			if s.NextSequence != 3 || !s.NextSequenceKnown {
				t.Errorf("got next sequence %d, known %t; want 3, true", s.NextSequence, s.NextSequenceKnown)
			}
			on.Remove(first)
			s = w.Await(t, "one left", electiontest.QueueOf(1))
			if got := znode.Join(on.Path, s.Leader().Name); got != second {
				t.Errorf("got leader %s, want %s", got, second)
			}

			on.Remove(second, on.Path+"/config", on.Path)
			w.Await(t, "absent again", func(s *doctor.State) bool { return s.Phase == model.NoParent && s.Queue.Len() == 0 })
			on.Make(on.Path, 0)
			on.Make(on.Path+"/n_", electiontest.Contender)
			w.Await(t, "one candidate in the new parent", electiontest.QueueOf(1))
			checkTotals(t, w, 4, 3, true)
		})
	})
}

func TestObserverSetsAtMostTwoWatches(t *testing.T) {
	server, addr := zkserver.Start(t, zkserver.Options{})
	path := electiontest.ElectionPath(t)
	c := zktest.Client(t, addr)
	create := electiontest.Creator(t, c)
	create(path, 0)
	for range 10 {
		create(path+"/n_", electiontest.Contender)
	}
	before := server.Counters()
	w := electiontest.Observe(t, electiontest.Config(t, addr), model.Config{Path: path, AckPath: path + "-leader"})
	w.Await(t, "ten", electiontest.QueueOf(10))
	if watches := electiontest.Watches(t, server); watches > 2 {
		t.Errorf("got %d watches of an observer, want at most 2", watches)
	}
	after := server.Counters()
	for op, n := range after.Requests {
		most := map[wire.Op]int64{
			wire.OpExists:       2,
			wire.OpGetChildren2: 1,
			wire.OpGetData:      11, // each child and the acknowledgement
			wire.OpAddWatch:     1,
		}[op]
		if got := n - before.Requests[op]; got > most && op != wire.OpPing {
			t.Errorf("got %d requests of %v for the first read of 10 children, want at most %d", got, op, most)
		}
	}
}

func TestObserverWithoutPermissions(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
			if err := on.AddAuth("digest", []byte("u:p")); err != nil {
				t.Fatal(err)
			}
			owner := zk.DigestACL(zk.PermAll, "u", "p")

			on.Make(on.Path, 0)
			if _, err := on.Create(on.Path+"/n_", []byte("secret"), electiontest.Contender, owner); err != nil {
				t.Fatal(err)
			}
			w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path}, way)
			s := w.Await(t, "one", electiontest.QueueOf(1))
			if l := s.Leader(); !l.Data.Denied || len(l.Data.Bytes) > 0 || l.Session == 0 {
				t.Errorf("got leader %+v, want a session and forbidden data", l)
			}

			closed := on.Path + "c"
			if _, err := on.Create(closed, nil, 0, owner); err != nil {
				t.Fatal(err)
			}
			w = electiontest.Observe(t, on.Config(), model.Config{Path: closed}, way)
			w.Await(t, "forbidden", func(s *doctor.State) bool { return s.Phase == model.Forbidden })
			if _, err := on.SetACL(closed, electiontest.Open, -1); err != nil {
				t.Fatal(err)
			}
			w.Await(t, "readable", electiontest.QueueOf(0))
		})
	})
}

func TestServerRestarts(t *testing.T) {
	t.Parallel()
	t.Run("apache", func(t *testing.T) {
		server := zktest.NewApache(t)
		path := electiontest.ElectionPath(t)
		c := zktest.Client(t, server.Addr)
		create := electiontest.Creator(t, c)
		create(path, 0)
		create(path+"/n_", electiontest.Contender)
		watches := []*electiontest.Watched{
			electiontest.Observe(t, electiontest.Config(t, server.Addr), model.Config{Path: path}),
			electiontest.Observe(t, electiontest.Config(t, server.Addr), model.Config{Path: path}, byReads),
		}
		await := func(what string, holds func(*doctor.State) bool) {
			for _, w := range watches {
				w.Await(t, what, holds)
			}
		}
		await("one", electiontest.QueueOf(1))
		watches[0].Await(t, "by a watch", byWatch)
		server.Kill(t)
		await("disconnected", func(s *doctor.State) bool { return s.Link.Link != model.Connected })
		server.Start(t)
		await("connected again", func(s *doctor.State) bool { return s.Link.Link == model.Connected })
		for { // until c is connected again, with its old or a new session
			if _, err := c.Create(path+"/n_", nil, electiontest.Contender, electiontest.Open); err == nil {
				break
			}
		}
		await("the new candidate", func(s *doctor.State) bool {
			return s.Queue.Len() > 0 && s.Queue.At(s.Queue.Len()-1).Sequence >= 1
		})
		for _, w := range watches {
			w.Events.AwaitAll(t, "a second snapshot, after the gap", func(all []model.Event) bool {
				snapshots := 0
				for _, e := range all {
					if _, ok := e.Body.(doctor.Snapshot); ok {
						snapshots++
					}
				}
				return snapshots >= 2
			})
		}
	})
	bothWays(t, func(t *testing.T, way func(*observer.Config)) { // a new, empty server replaces the old server
		// The observer's last zxid is larger than the new server's.
		old, c := electiontest.Embedded(t)
		fresh, _ := electiontest.Embedded(t)
		var server atomic.Pointer[zkserver.Server]
		server.Store(old)
		path := electiontest.ElectionPath(t)
		electiontest.Creator(t, c)(path, 0)
		cfg := electiontest.Conn(old, nil)
		cfg.SessionTimeout = 2 * time.Second
		cfg.Dial = func(context.Context, string, string) (net.Conn, error) { return server.Load().Dial() }
		w := electiontest.Observe(t, cfg, model.Config{Path: path}, way)
		w.Await(t, "empty", electiontest.QueueOf(0))
		server.Store(fresh)
		old.Close()
		w.Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
	})
}

func TestSeenPlusMissedIsEveryChange(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
			random := rand.New(rand.NewPCG(zktest.Seed(t), 0))
			on.Make(on.Path, 0)
			w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path}, way)
			w.Await(t, "empty", electiontest.QueueOf(0))
			var queue []string
			creates, deletes := 0, 0
			for range 600 {
				if len(queue) == 0 || random.IntN(2) == 0 {
					queue = append(queue, on.Make(on.Path+"/n_", electiontest.Contender))
					creates++
					continue
				}
				i := random.IntN(len(queue))
				on.Remove(queue[i])
				queue = slices.Delete(queue, i, i+1)
				deletes++
			}
			w.Await(t, "the last change", func(s *doctor.State) bool {
				next, ok := s.Parent.Creates()
				return ok && int(next) == creates && s.Queue.Len() == len(queue)
			})
			checkTotals(t, w, creates, deletes, false)
		})
	})
}

func TestObserverOfManyCandidates(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	path := electiontest.ElectionPath(t)
	c := zktest.Client(t, addr)
	electiontest.Creator(t, c)(path, 0)
	const many = 20000
	for made := 0; made < many; {
		ops := make([]any, 0, 500)
		for range 500 {
			ops = append(ops, &zk.CreateRequest{Path: path + "/" + fmt.Sprintf("%032x-n_", made), Acl: electiontest.Open, Flags: electiontest.Contender})
		}
		if _, err := c.Multi(ops...); err != nil {
			t.Fatal(err)
		}
		made += len(ops)
	}
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		w := electiontest.Observe(t, electiontest.Config(t, addr), model.Config{Path: path}, way)
		w.Await(t, "all of them", electiontest.QueueOf(many))
		late := zktest.Client(t, addr)
		joined, err := late.Create(path+"/n_", nil, electiontest.Contender, electiontest.Open)
		if err != nil {
			t.Fatal(err)
		}
		w.Await(t, "one more", func(s *doctor.State) bool {
			return slices.ContainsFunc(s.Queue.Slice(), func(c *dialect.Candidate) bool { return znode.Join(path, c.Name) == joined })
		})
	})
}

func TestObserverMovesToAnotherServer(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	ensemble := zktest.NewEnsemble(t, 3)
	path := electiontest.ElectionPath(t)
	cfg := electiontest.Config(t, ensemble.ConnectString())
	cfg.SessionTimeout = 6 * time.Second
	for range 3 {
		s := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		s.Await(t, 0, "in the queue", func(m model.Member) bool {
			return m.Belief == model.Leading || m.Belief == model.Waiting
		})
	}
	w := electiontest.Observe(t, cfg, model.Config{Path: path, AckPath: path + "-leader"})
	s := w.Await(t, "all three", electiontest.QueueOf(3))
	for _, server := range ensemble.Members {
		if server.Addr == s.Link.Server {
			server.Kill(t)
		}
	}
	after := w.Await(t, "connected to another server", func(now *doctor.State) bool {
		return now.Link.Link == model.Connected && now.Link.Server != s.Link.Server
	})
	if after.Link.Session != s.Link.Session {
		t.Errorf("got session %x, want the same session %x", after.Link.Session, s.Link.Session)
	}
	late := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: path})
	late.Await(t, 0, "in the queue", func(m model.Member) bool { return m.Belief == model.Waiting })
	w.Await(t, "the new candidate", func(s *doctor.State) bool {
		return s.Queue.Len() > 0 && s.Queue.At(s.Queue.Len()-1).Name == late.Now().Znode
	})
	var missed []model.EventBody
	for _, e := range w.Events.All() {
		if m, ok := e.Body.(model.Missed); ok {
			missed = append(missed, m)
		}
	}
	if len(missed) > 0 {
		t.Errorf("got missed changes %+v, want none: the session continued and nothing changed in the gap", missed)
	}
}

func TestContradictoryReplies(t *testing.T) {
	const noNode = -101
	stat := func(prefix int, owner uint64) []byte {
		body := make([]byte, prefix+68)
		binary.BigEndian.PutUint64(body[prefix+44:], owner)
		return body
	}
	for name, answer := range map[string]func(op wire.Op) (code int32, body []byte){
		"no children of a znode that exists": func(op wire.Op) (int32, []byte) {
			if op == wire.OpGetChildren2 {
				return noNode, nil
			}
			return 0, stat(0, 0)
		},
		"no data of a znode that exists": func(op wire.Op) (int32, []byte) {
			if op == wire.OpGetData {
				return noNode, nil
			}
			return 0, stat(0, 1)
		},
		"an ephemeral owner only in the reply with the children": func(op wire.Op) (int32, []byte) {
			switch op {
			case wire.OpGetChildren2:
				return 0, stat(4, 1)
			case wire.OpGetData:
				return 0, stat(4, 0)
			}
			return 0, stat(0, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				const most = 60 * 50 * 4 // four requests every 20 ms
				n := 0
				p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
					switch f.Opcode {
					case wire.OpGetChildren2, wire.OpGetData, wire.OpExists:
						if n++; n == most {
							t.Errorf("got %d requests in a minute, want fewer", n)
							cancel()
						}
						code, body := answer(f.Opcode)
						reply(xid, code, body)
						return true
					}
					return false
				}}
				observer.New(observer.Config{
					Conn: client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, Dial: p.Dial},
					Path: "/e", ByReads: true, Put: func(context.Context, model.Observation) {},
				}).Run(ctx)
				p.Served.Wait()
			})
		})
	}
}

func run(t *testing.T, cfg observer.Config) *observer.Observer {
	o := observer.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { o.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return o
}

func timeJoins(t *testing.T, now func() time.Time, joins int, before func(), read func(joined int)) (took []time.Duration) {
	server, c := electiontest.Embedded(t)
	create := electiontest.Creator(t, c)
	reads := make(chan *model.Read, 100)
	run(t, observer.Config{
		Conn: electiontest.Conn(server, nil), Path: "/e", ByReads: true, Beside: observer.Beside{Acks: []string{"/e-leader"}}, Now: now,
		Put: func(_ context.Context, obs model.Observation) {
			if r, ok := obs.(*model.Read); ok {
				reads <- r
				read(len(r.New))
			}
		},
	})
	<-reads
	create("/e", 0)
	<-reads
	for range joins {
		before()
		begin := time.Now()
		create("/e/n_", electiontest.Contender)
		<-reads
		took = append(took, time.Since(begin))
	}
	return took
}

func TestSteppedClock(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var offset atomic.Int64
			now := func() time.Time { return time.Now().Add(time.Duration(offset.Load())).UTC().Round(0) }
			for _, took := range timeJoins(t, now, 5, func() { offset.Add(int64(step)) }, func(int) {}) {
				if took > time.Second {
					t.Errorf("clock step %v: got a change after %v, want at most 1s", step, took)
				}
			}
		})
	}
}

func TestSlowPutDoesNotDelayLaterReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := true
		took := timeJoins(t, nil, 2, func() { time.Sleep(2 * time.Minute) }, func(joined int) {
			if joined > 0 && slow {
				slow = false
				time.Sleep(time.Minute)
			}
		})
		if took[1] > time.Second {
			t.Errorf("got the next change after %v, want at most 1s", took[1])
		}
	})
}

func TestPartition(t *testing.T) {
	for _, byReads := range []bool{false, true} {
		for _, recreated := range []bool{false, true} {
			t.Run(fmt.Sprintf("by reads %t, recreated %t", byReads, recreated), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server, c := electiontest.Embedded(t)
					create := electiontest.Creator(t, c)
					create("/e", 0)
					line := new(fault.Line)
					w := electiontest.Observe(t, electiontest.Conn(server, line), model.Config{Path: "/e"}, func(cfg *observer.Config) { cfg.ByReads = byReads })
					w.Await(t, "empty", electiontest.QueueOf(0))
					first := create("/e/n_", electiontest.Contender)
					before := w.Await(t, "one", electiontest.QueueOf(1))
					line.Partition()
					w.Await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link == model.Disconnected })
					if recreated {
						electiontest.Remove(t, c, first, "/e")
						create("/e", 0)
					} else {
						electiontest.Remove(t, c, create("/e/n_", electiontest.Contender))
					}
					for range 2 {
						create("/e/n_", electiontest.Contender)
					}
					time.Sleep(electiontest.LeaseTimeout) // the session expires
					if s := w.Feed.State(); s.Link.Link == model.Connected || s.DownSince.IsZero() || s.Queue.Len() != 1 {
						t.Errorf("in the partition: got link %+v, down since %v, %d candidates; want no connection, a time, 1", s.Link, s.DownSince, s.Queue.Len())
					}
					line.Heal()
					candidates, creates := 3, 4
					if recreated {
						candidates, creates = 2, 3
					}
					s := w.Await(t, "connected again, with all candidates", func(s *doctor.State) bool {
						return electiontest.QueueOf(candidates)(s) && s.Link.Link == model.Connected
					})
					if s.Link.Session == before.Link.Session || s.Link.Session == 0 || s.Link.Err != "" || !s.DownSince.IsZero() || s.Reconnects != 1 {
						t.Errorf("healed: got link %+v, down since %v, %d reconnects; want a new session, no error, no time, 1", s.Link, s.DownSince, s.Reconnects)
					}
					if !slices.ContainsFunc(w.Events.All(), func(e model.Event) bool { c, ok := e.Body.(model.LinkChanged); return ok && c.Link == model.Expired }) {
						t.Error("got no event for the expired session")
					}
					checkTotals(t, w, creates, 1, recreated)
				})
			})
		}
	}
}

func (c *churn) observe(t *testing.T) (w *electiontest.Watched, links *electiontest.Log[*model.Connection]) {
	t.Helper()
	cfg := electiontest.Config(t, c.e.ConnectString())
	cfg.DialTimeout = time.Second
	links = &electiontest.Log[*model.Connection]{}
	w = electiontest.Observe(t, cfg, model.Config{Path: c.path}, func(cfg *observer.Config) {
		put := cfg.Put
		cfg.Put = func(ctx context.Context, o model.Observation) {
			if c, ok := o.(*model.Connection); ok {
				links.Add(c)
			}
			put(ctx, o)
		}
	})
	c.byReads = electiontest.Observe(t, cfg, model.Config{Path: c.path}, byReads)
	return w, links
}

// churn creates persistent children, because change closes its session.
type churn struct {
	t                *testing.T
	e                *zktest.Ensemble
	path             string
	creates, deletes int
	byReads          *electiontest.Watched
}

func (c *churn) change(n int) {
	c.t.Helper()
	cfg := electiontest.Config(c.t, c.e.ConnectString())
	cfg.SessionTimeout = electiontest.WaitFor // an expired session would fail the test
	conn := electiontest.Connect(c.t, cfg)
	defer conn.Close()
	electiontest.WaitState(c.t, conn, client.Connected)
	for i := range n {
		p, err := conn.Create(c.t.Context(), c.path+"/n_", nil, zk.FlagSequence, electiontest.Open)
		if err != nil {
			c.t.Fatal(err)
		}
		c.creates++
		if i%2 == 1 {
			if err := conn.Delete(c.t.Context(), p, -1); err != nil {
				c.t.Fatal(err)
			}
			c.deletes++
		}
	}
}

func (c *churn) awaitChanges(w *electiontest.Watched) *doctor.State {
	c.t.Helper()
	if w != c.byReads {
		c.awaitChanges(c.byReads)
	}
	return w.Await(c.t, fmt.Sprint(c.creates-c.deletes, " children"), func(s *doctor.State) bool {
		return s.Phase == model.Live && s.Link.Link == model.Connected && len(s.Ignored) == c.creates-c.deletes
	})
}

func (c *churn) checkTotals(w *electiontest.Watched) {
	c.t.Helper()
	checkTotals(c.t, w, c.creates, c.deletes, false)
	checkTotals(c.t, c.byReads, c.creates, c.deletes, false)
}

func TestEnsembleFailures(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	e := zktest.NewEnsemble(t, 3)
	setup := func(t *testing.T) *churn {
		path := electiontest.ElectionPath(t)
		electiontest.Creator(t, zktest.Client(t, e.Leader(t).Addr))(path, 0)
		return &churn{t: t, e: e, path: path}
	}

	t.Run("without quorum", func(t *testing.T) {
		c := setup(t)
		w, links := c.observe(t)
		c.awaitChanges(w)
		c.change(4)
		c.awaitChanges(w)
		before := len(links.All())
		killed := []*zktest.Server{e.Leader(t)}
		for _, s := range e.Members {
			if s != killed[0] && len(killed) < 2 {
				killed = append(killed, s)
			}
		}
		for _, s := range killed {
			s.Kill(t)
		}
		s := w.Await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link != model.Connected && s.Link.Err != "" })
		if s.DownSince.IsZero() || len(s.Ignored) != 2 {
			t.Errorf("while disconnected: got down since %v, %d children; want a time, 2", s.DownSince, len(s.Ignored))
		}
		links.AwaitAll(t, "each server tried", func(all []*model.Connection) bool {
			tried := make(map[string]bool)
			for _, c := range all[before:] {
				if c.Link != model.Connected && c.Err != "" {
					tried[c.Server] = true
				}
			}
			return len(tried) == 3
		})
		if s := w.Feed.State(); s.Link.Link == model.Connected || s.Link.Err == "" || s.Link.Server == "" {
			t.Errorf("without a quorum: got link %+v, want a server and an error", s.Link)
		}
		for _, s := range killed {
			s.Start(t)
		}
		e.Leader(t)
		c.change(4)
		if s := c.awaitChanges(w); s.Link.Err != "" || !s.DownSince.IsZero() || s.Reconnects == 0 {
			t.Errorf("with a quorum again: got link %+v, down since %v, %d reconnects; want no error, no time, at least 1", s.Link, s.DownSince, s.Reconnects)
		}
		c.checkTotals(w)
	})

	t.Run("rolling restart", func(t *testing.T) {
		c := setup(t)
		w, _ := c.observe(t)
		c.awaitChanges(w)
		for _, s := range e.Members {
			s.Stop(t)
			e.Leader(t)
			c.change(2)
			s.Start(t)
		}
		e.Leader(t)
		c.change(2)
		if s := c.awaitChanges(w); s.Reconnects == 0 {
			t.Error("got 0 reconnects after a restart of all servers, want at least 1")
		}
		c.checkTotals(w)
	})
}

func byReads(cfg *observer.Config) { cfg.ByReads = true }

func bothWays(t *testing.T, test func(t *testing.T, way func(*observer.Config))) {
	t.Run("by a watch", func(t *testing.T) {
		t.Parallel()
		test(t, func(*observer.Config) {})
	})
	t.Run("by reads", func(t *testing.T) {
		t.Parallel()
		test(t, byReads)
	})
}

func checkTotals(t *testing.T, w *electiontest.Watched, creates, deletes int, unknownAllowed bool) {
	t.Helper()
	var c, d int
	w.Events.AwaitAll(t, "the events of all creates and deletes", func(events []model.Event) bool {
		c, d = 0, 0
		for _, e := range events {
			switch b := e.Body.(type) {
			case model.Joined:
				c++
			case model.Left:
				d++
			case model.Missed:
				c, d = c+b.Creates, d+b.Deletes
			}
		}
		return c >= creates && d >= deletes
	})
	if c != creates || d != deletes {
		t.Errorf("got %d creates and %d deletes, seen or missed, want %d and %d", c, d, creates, deletes)
	}
	var leader dialect.ID
	id := func(c *dialect.Candidate) dialect.ID {
		if c == nil {
			return dialect.ID{}
		}
		return c.ID()
	}
	for i, e := range w.Events.All() {
		if e.N != uint64(i+1) {
			t.Errorf("got event number %d, want %d", e.N, i+1)
		}
		switch b := e.Body.(type) {
		case doctor.Snapshot:
			if i == 0 {
				leader = id(b.State.Leader())
			}
		case model.Missed:
			if !b.Known && !unknownAllowed {
				t.Errorf("event %d: got an unknown number of changes", e.N)
			}
		case model.Handoff:
			if id(b.From) != leader {
				t.Errorf("event %d: got a handoff from %v, want from %v, the previous leader", e.N, b.From, leader)
			}
			leader = id(b.To)
		}
	}
}
