package observer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/clienttest"
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
			first := on.Make(on.Path+"/n_", clienttest.Contender)
			w.Await(t, "one", electiontest.QueueOf(1))
			second := on.Make(on.Path+"/n_", clienttest.Contender)
			on.Make(on.Path+"/config", 0)
			s := w.Await(t, "two, one ignored", func(s *doctor.State) bool { return s.Queue.Len() == 2 && len(s.Ignored) == 1 })
			if got := znode.Join(on.Path, s.Leader().Name); got != first || string(s.Leader().Data.Bytes) != "d" {
				t.Errorf("leader %s with data %q, want %s", got, s.Leader().Data.Bytes, first)
			}
			if s.NextSequence != 3 || !s.NextSequenceKnown {
				t.Errorf("next sequence %d, want 3", s.NextSequence)
			}
			on.Remove(first)
			s = w.Await(t, "one left", electiontest.QueueOf(1))
			if got := znode.Join(on.Path, s.Leader().Name); got != second {
				t.Errorf("leader %s, want %s", got, second)
			}

			// The parent goes and comes again.
			on.Remove(second, on.Path+"/config", on.Path)
			w.Await(t, "absent again", func(s *doctor.State) bool { return s.Phase == model.NoParent && s.Queue.Len() == 0 })
			on.Make(on.Path, 0)
			on.Make(on.Path+"/n_", clienttest.Contender)
			w.Await(t, "one in the new one", electiontest.QueueOf(1))
			accounts(t, w, 4, 3, true)
		})
	})
}

func TestObserverCostsTwoWatches(t *testing.T) {
	server, addr := zkserver.Start(t, zkserver.Options{})
	path := clienttest.ElectionPath(t)
	c := zktest.Client(t, addr)
	create := clienttest.Creator(t, c)
	create(path, 0)
	for range 10 {
		create(path+"/n_", clienttest.Contender)
	}
	before := server.Counters()
	w := electiontest.Observe(t, clienttest.Config(t, addr), model.Config{Path: path, AckPath: path + "-leader"})
	w.Await(t, "ten", electiontest.QueueOf(10))
	if watches := clienttest.Watches(t, server); watches > 2 {
		t.Errorf("an observer set %d watches, 2 are promised", watches)
	}
	after := server.Counters()
	for op, n := range after.Requests {
		switch got := n - before.Requests[op]; op {
		case wire.OpExists: // what the path is, and the acknowledgement's watch
			if got > 2 {
				t.Errorf("%d requests of %v for the first look", got, op)
			}
		case wire.OpGetChildren2:
			if got > 1 {
				t.Errorf("%d requests of %v for the first look", got, op)
			}
		case wire.OpGetData: // each child and the acknowledgement
			if got > 11 {
				t.Errorf("%d requests of %v for the first look at 10 children", got, op)
			}
		case wire.OpAddWatch:
			if got > 1 {
				t.Errorf("%d requests of %v for the first look", got, op)
			}
		case wire.OpPing:
		default:
			if got > 0 {
				t.Errorf("an observer sent %d requests of %v", got, op)
			}
		}
	}
}

func TestObserverOnForbiddenGround(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
			if err := on.AddAuth("digest", []byte("u:p")); err != nil {
				t.Fatal(err)
			}
			owner := zk.DigestACL(zk.PermAll, "u", "p")

			// A child whose data may not be read is still a contender.
			on.Make(on.Path, 0)
			if _, err := on.Create(on.Path+"/n_", []byte("secret"), clienttest.Contender, owner); err != nil {
				t.Fatal(err)
			}
			w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path}, way)
			s := w.Await(t, "one", electiontest.QueueOf(1))
			if l := s.Leader(); !l.Data.Denied || len(l.Data.Bytes) > 0 || l.Session == 0 {
				t.Errorf("leader with forbidden data: %+v", l)
			}

			// A list that may not be read is said to be forbidden, and comes alive.
			closed := on.Path + "c"
			if _, err := on.Create(closed, nil, 0, owner); err != nil {
				t.Fatal(err)
			}
			w = electiontest.Observe(t, on.Config(), model.Config{Path: closed}, way)
			w.Await(t, "forbidden", func(s *doctor.State) bool { return s.Phase == model.Forbidden })
			if _, err := on.SetACL(closed, clienttest.Open, -1); err != nil {
				t.Fatal(err)
			}
			w.Await(t, "readable", electiontest.QueueOf(0))
		})
	})
}

func TestObserverOutlivesTheServer(t *testing.T) {
	t.Parallel()
	t.Run("apache", func(t *testing.T) {
		server := zktest.NewApache(t)
		path := clienttest.ElectionPath(t)
		c := zktest.Client(t, server.Addr)
		create := clienttest.Creator(t, c)
		create(path, 0)
		create(path+"/n_", clienttest.Contender)
		watches := []*electiontest.Watched{
			electiontest.Observe(t, clienttest.Config(t, server.Addr), model.Config{Path: path}),
			electiontest.Observe(t, clienttest.Config(t, server.Addr), model.Config{Path: path}, byReads),
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
		// go-zookeeper is back too, with its session, or with another.
		for {
			if _, err := c.Create(path+"/n_", nil, clienttest.Contender, clienttest.Open); err == nil {
				break
			}
		}
		await("alive", func(s *doctor.State) bool {
			return s.Queue.Len() > 0 && s.Queue.At(s.Queue.Len()-1).Sequence >= 1
		})
		for _, w := range watches {
			w.Events.AwaitAll(t, "another state event after the gap", func(all []model.Event) bool {
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
	bothWays(t, func(t *testing.T, way func(*observer.Config)) { // embedded, restarted empty
		// The observer is ahead of the new server, which does not know it.
		old, c := clienttest.Embedded(t)
		fresh, _ := clienttest.Embedded(t)
		var server atomic.Pointer[zkserver.Server]
		server.Store(old)
		path := clienttest.ElectionPath(t)
		clienttest.Creator(t, c)(path, 0)
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

func TestObserverAccountsForAStorm(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
			seed := uint64(time.Now().UnixNano())
			random := rand.New(rand.NewPCG(seed, 0))
			on.Make(on.Path, 0)
			w := electiontest.Observe(t, on.Config(), model.Config{Path: on.Path}, way)
			w.Await(t, "empty", electiontest.QueueOf(0))
			var standing []string
			creates, deletes := 0, 0
			for range 600 {
				if len(standing) == 0 || random.IntN(2) == 0 {
					standing = append(standing, on.Make(on.Path+"/n_", clienttest.Contender))
					creates++
					continue
				}
				i := random.IntN(len(standing))
				on.Remove(standing[i])
				standing = slices.Delete(standing, i, i+1)
				deletes++
			}
			w.Await(t, fmt.Sprintf("the end of the storm, seed %d", seed), func(s *doctor.State) bool {
				next, ok := s.Parent.Creates()
				return ok && int(next) == creates && s.Queue.Len() == len(standing)
			})
			accounts(t, w, creates, deletes, false)
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	})
}

func TestObserverOfManyCandidates(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("20,000 children")
	}
	_, addr := zkserver.Start(t, zkserver.Options{})
	path := clienttest.ElectionPath(t)
	c := zktest.Client(t, addr)
	clienttest.Creator(t, c)(path, 0)
	const many = 20000
	for made := 0; made < many; {
		ops := make([]any, 0, 500)
		for range 500 {
			ops = append(ops, &zk.CreateRequest{Path: path + "/" + fmt.Sprintf("%032x-n_", made), Acl: clienttest.Open, Flags: clienttest.Contender})
		}
		if _, err := c.Multi(ops...); err != nil {
			t.Fatal(err)
		}
		made += len(ops)
	}
	bothWays(t, func(t *testing.T, way func(*observer.Config)) {
		w := electiontest.Observe(t, clienttest.Config(t, addr), model.Config{Path: path}, way)
		w.Await(t, "all of them", electiontest.QueueOf(many))
		late := zktest.Client(t, addr)
		joined, err := late.Create(path+"/n_", nil, clienttest.Contender, clienttest.Open)
		if err != nil {
			t.Fatal(err)
		}
		w.Await(t, "one more", func(s *doctor.State) bool {
			return slices.ContainsFunc(s.Queue.Slice(), func(c *dialect.Candidate) bool { return znode.Join(path, c.Name) == joined })
		})
	})
}

func TestObserverMovesToAnotherMember(t *testing.T) {
	t.Parallel()
	ensemble := zktest.NewEnsemble(t, 3)
	path := clienttest.ElectionPath(t)
	cfg := clienttest.Config(t, ensemble.ConnectString())
	cfg.SessionTimeout = 6 * time.Second
	for range 3 {
		s := electiontest.Stand(t, candidate.Config{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		s.Await(t, 0, "in the queue", func(m model.Member) bool {
			return m.Belief == model.Leading || m.Belief == model.Waiting
		})
	}
	w := electiontest.Observe(t, cfg, model.Config{Path: path, AckPath: path + "-leader"})
	s := w.Await(t, "all three", electiontest.QueueOf(3))
	for _, member := range ensemble.Members {
		if member.Addr == s.Link.Server {
			member.Kill(t)
		}
	}
	after := w.Await(t, "connected to another", func(now *doctor.State) bool {
		return now.Link.Link == model.Connected && now.Link.Server != s.Link.Server
	})
	if after.Link.Session != s.Link.Session {
		t.Errorf("session %x, want %x as before", after.Link.Session, s.Link.Session)
	}
	// The election goes on, and is seen to.
	late := electiontest.Stand(t, candidate.Config{Conn: cfg, Path: path})
	late.Await(t, 0, "in the queue", func(m model.Member) bool { return m.Belief == model.Waiting })
	w.Await(t, "the new one", func(s *doctor.State) bool {
		return s.Queue.Len() > 0 && s.Queue.At(s.Queue.Len()-1).Name == late.Now().Znode
	})
	var missed []model.EventBody
	for _, e := range w.Events.All() {
		if m, ok := e.Body.(model.Missed); ok {
			missed = append(missed, m)
		}
	}
	if len(missed) > 0 {
		t.Errorf("missed %+v, though the session went on and nothing happened in the gap", missed)
	}
}
