package zkwatch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch"
	"electop/zkwatch/feed"
	"electop/zkwatch/wire"
)

// watched is an observer with its feed and the events it gave.
type watched struct {
	*zkwatch.Observer
	feed *feed.Feed

	mu     sync.Mutex
	events []model.Event
	more   chan struct{} // closed when there are more
}

func observe(t *testing.T, cfg zkwatch.Config, election model.Config) *watched {
	t.Helper()
	w := &watched{more: make(chan struct{})}
	w.feed = feed.New(feed.Config{Election: election, Events: w.take})
	cfg.BufferSize, cfg.MaxReply = 0, 0
	w.Observer = zkwatch.NewObserver(zkwatch.ObserverConfig{
		Conn: cfg, Path: election.Path, Ack: election.AckPath, Put: w.feed.PutSlowly, Now: feed.Now,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.feed.Run(ctx) })
	wg.Go(func() { w.Observer.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return w
}

func (w *watched) take(es []model.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, es...)
	close(w.more)
	w.more = make(chan struct{})
	return nil
}

func (w *watched) await(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitFor)
	defer cancel()
	s, err := w.feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("%s: not within %v; phase %s, link %+v, %d in the queue, %d ignored", what, waitFor, s.Phase, s.Link, len(s.Queue), len(s.Ignored))
	}
	return s
}

func (w *watched) all() []model.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

func queueOf(n int) func(*doctor.State) bool {
	return func(s *doctor.State) bool { return s.Phase == model.Live && len(s.Queue) == n }
}

var open = zk.WorldACL(zk.PermAll)

// must returns a function that creates a znode or ends the test.
func creator(t *testing.T, c *zk.Conn) func(path string, flags int32) string {
	return func(path string, flags int32) string {
		t.Helper()
		p, err := c.Create(path, []byte("d"), flags, open)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

const contender = zk.FlagEphemeral | zk.FlagSequence

func TestObserverFollowsAnElection(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		create := creator(t, c)
		w := observe(t, config(t, addr), model.Config{Path: path})
		w.await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
		create(path, 0)
		w.await(t, "empty", queueOf(0))
		first := create(path+"/n_", contender)
		w.await(t, "one", queueOf(1))
		second := create(path+"/n_", contender)
		create(path+"/config", 0)
		s := w.await(t, "two, one ignored", func(s *doctor.State) bool { return len(s.Queue) == 2 && len(s.Ignored) == 1 })
		if got := znode.Join(path, s.Leader().Name); got != first || string(s.Leader().Data.Bytes) != "d" {
			t.Errorf("leader %s with data %q, want %s", got, s.Leader().Data.Bytes, first)
		}
		if s.NextSequence != 3 || !s.NextSequenceKnown {
			t.Errorf("next sequence %d, want 3", s.NextSequence)
		}
		if err := c.Delete(first, -1); err != nil {
			t.Fatal(err)
		}
		s = w.await(t, "one left", queueOf(1))
		if got := znode.Join(path, s.Leader().Name); got != second {
			t.Errorf("leader %s, want %s", got, second)
		}

		// The parent goes and comes again.
		for _, p := range []string{second, path + "/config", path} {
			if err := c.Delete(p, -1); err != nil {
				t.Fatal(err)
			}
		}
		w.await(t, "absent again", func(s *doctor.State) bool { return s.Phase == model.NoParent && len(s.Queue) == 0 })
		create(path, 0)
		create(path+"/n_", contender)
		w.await(t, "one in the new one", queueOf(1))
		w.accounts(t, 4, 3, true)
	})
}

// accounts waits for the events of so many creates and deletes, since a state
// is there before its events are handed on, and holds them to the truth.
func (w *watched) accounts(t *testing.T, creates, deletes int, unknownAllowed bool) {
	t.Helper()
	deadline := time.After(waitFor)
	for waiting := true; waiting; {
		c, d := 0, 0
		w.mu.Lock()
		for _, e := range w.events {
			switch b := e.Body.(type) {
			case model.Joined:
				c++
			case model.Left:
				d++
			case model.Missed:
				c, d = c+b.Creates, d+b.Deletes
			}
		}
		more := w.more
		w.mu.Unlock()
		if c >= creates && d >= deletes {
			break
		}
		select {
		case <-more:
		case <-deadline:
			waiting = false
		}
	}
	account(t, w.all(), creates, deletes, unknownAllowed)
}

// account holds events to the truth: so many creates and deletes happened
// since the first state.
func account(t *testing.T, events []model.Event, creates, deletes int, unknownAllowed bool) {
	t.Helper()
	var c, d int
	var head *dialect.Candidate
	for i, e := range events {
		if e.N != uint64(i+1) {
			t.Errorf("event %d has number %d", i, e.N)
		}
		switch b := e.Body.(type) {
		case doctor.Snapshot:
			if i == 0 {
				head = b.State.Leader()
			}
		case model.Joined:
			c++
		case model.Left:
			d++
		case model.Missed:
			if !b.Known && !unknownAllowed {
				t.Errorf("event %d: an unknown number of changes", e.N)
			}
			c += b.Creates
			d += b.Deletes
		case model.Handoff:
			if !sameCandidate(b.From, head) {
				t.Errorf("event %d: handoff from %v, the one before went to %v", e.N, b.From, head)
			}
			head = b.To
		}
	}
	if c != creates || d != deletes {
		t.Errorf("seen and missed: %d creates and %d deletes; happened: %d and %d", c, d, creates, deletes)
	}
}

func sameCandidate(a, b *dialect.Candidate) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ID() == b.ID()
}

func TestObserverCostsTwoWatches(t *testing.T) {
	server, addr := zkserver.Start(t, zkserver.Options{})
	path := electionPath(t)
	c := raw(t, addr)
	create := creator(t, c)
	create(path, 0)
	for range 10 {
		create(path+"/n_", contender)
	}
	before := server.Counters()
	w := observe(t, config(t, addr), model.Config{Path: path, AckPath: path + "-leader"})
	w.await(t, "ten", queueOf(10))
	watches, err := zkServerWatches(addr)
	if err != nil {
		t.Fatal(err)
	}
	if watches > 2 {
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
		case wire.OpPing:
		default:
			if got > 0 {
				t.Errorf("an observer sent %d requests of %v", got, op)
			}
		}
	}
}

func TestObserverOnForbiddenGround(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		if err := c.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		owner := zk.DigestACL(zk.PermAll, "u", "p")
		create := creator(t, c)

		// A child whose data may not be read is still a contender.
		create(path, 0)
		if _, err := c.Create(path+"/n_", []byte("secret"), contender, owner); err != nil {
			t.Fatal(err)
		}
		w := observe(t, config(t, addr), model.Config{Path: path})
		s := w.await(t, "one", queueOf(1))
		if l := s.Leader(); !l.Data.Denied || len(l.Data.Bytes) > 0 || l.Session == 0 {
			t.Errorf("leader with forbidden data: %+v", l)
		}

		// A list that may not be read is said to be forbidden, and comes alive.
		closed := path + "c"
		if _, err := c.Create(closed, nil, 0, owner); err != nil {
			t.Fatal(err)
		}
		w = observe(t, config(t, addr), model.Config{Path: closed})
		w.await(t, "forbidden", func(s *doctor.State) bool { return s.Phase == model.Forbidden })
		if _, err := c.SetACL(closed, open, -1); err != nil {
			t.Fatal(err)
		}
		w.await(t, "readable", queueOf(0))
	})
}

func TestObserverOutlivesTheServer(t *testing.T) {
	t.Run("apache", func(t *testing.T) {
		server := zktest.NewApache(t)
		path := electionPath(t)
		c := raw(t, server.Addr)
		create := creator(t, c)
		create(path, 0)
		create(path+"/n_", contender)
		w := observe(t, config(t, server.Addr), model.Config{Path: path})
		w.await(t, "one", queueOf(1))
		server.Kill(t)
		w.await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link != model.Connected })
		server.Start(t)
		w.await(t, "connected again", func(s *doctor.State) bool { return s.Link.Link == model.Connected })
		// go-zookeeper is back too, with its session, or with another.
		for {
			if _, err := c.Create(path+"/n_", nil, contender, open); err == nil {
				break
			}
		}
		w.await(t, "alive", func(s *doctor.State) bool {
			return len(s.Queue) > 0 && s.Queue[len(s.Queue)-1].Sequence >= 1
		})
		deadline := time.After(waitFor)
		for {
			snapshots := 0
			w.mu.Lock()
			for _, e := range w.events {
				if _, ok := e.Body.(doctor.Snapshot); ok {
					snapshots++
				}
			}
			more := w.more
			w.mu.Unlock()
			if snapshots >= 2 {
				break
			}
			select {
			case <-more:
				continue
			case <-deadline:
				t.Errorf("%d state events, want another after the gap", snapshots)
			}
			break
		}
	})
	t.Run("embedded, restarted empty", func(t *testing.T) {
		// The observer is ahead of the new server, which does not know it.
		dial := newSwitchboard(t)
		path := electionPath(t)
		cfg := config(t, "127.0.0.1:1")
		cfg.Dial = dial.dial
		creator(t, dial.client(t))(path, 0)
		w := observe(t, cfg, model.Config{Path: path})
		w.await(t, "empty", queueOf(0))
		dial.replace(t)
		w.await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent })
	})
}

func TestObserverAccountsForAStorm(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		seed := uint64(time.Now().UnixNano())
		random := rand.New(rand.NewPCG(seed, 0))
		path := electionPath(t)
		c := raw(t, addr)
		create := creator(t, c)
		create(path, 0)
		w := observe(t, config(t, addr), model.Config{Path: path})
		w.await(t, "empty", queueOf(0))
		var standing []string
		creates, deletes := 0, 0
		for range 600 {
			if len(standing) == 0 || random.IntN(2) == 0 {
				standing = append(standing, create(path+"/n_", contender))
				creates++
				continue
			}
			i := random.IntN(len(standing))
			if err := c.Delete(standing[i], -1); err != nil {
				t.Fatal(err)
			}
			standing = slices.Delete(standing, i, i+1)
			deletes++
		}
		w.await(t, fmt.Sprintf("the end of the storm, seed %d", seed), func(s *doctor.State) bool {
			next, ok := s.Parent.Creates()
			return ok && int(next) == creates && len(s.Queue) == len(standing)
		})
		w.accounts(t, creates, deletes, false)
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
}

func TestObserverOfManyCandidates(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 children")
	}
	_, addr := zkserver.Start(t, zkserver.Options{})
	path := electionPath(t)
	c := raw(t, addr)
	creator(t, c)(path, 0)
	const many = 20000
	for made := 0; made < many; {
		ops := make([]any, 0, 500)
		for range 500 {
			ops = append(ops, &zk.CreateRequest{Path: path + "/" + fmt.Sprintf("%032x-n_", made), Acl: open, Flags: contender})
		}
		if _, err := c.Multi(ops...); err != nil {
			t.Fatal(err)
		}
		made += len(ops)
	}
	w := observe(t, config(t, addr), model.Config{Path: path})
	w.await(t, "all of them", queueOf(many))
}

func TestObserverMovesToAnotherMember(t *testing.T) {
	ensemble := zktest.NewEnsemble(t, 3)
	path := electionPath(t)
	cfg := config(t, ensemble.ConnectString())
	cfg.SessionTimeout = 6 * time.Second
	for range 3 {
		s := stand(t, zkwatch.CandidateConfig{Conn: cfg, Path: path, Create: true, Ack: path + "-leader"})
		s.await(t, 0, "in the queue", func(m model.Member) bool {
			return m.Belief == model.Leading || m.Belief == model.Waiting
		})
	}
	w := observe(t, cfg, model.Config{Path: path, AckPath: path + "-leader"})
	s := w.await(t, "all three", queueOf(3))
	for _, member := range ensemble.Members {
		if member.Addr == s.Link.Server {
			member.Kill(t)
		}
	}
	after := w.await(t, "connected to another", func(now *doctor.State) bool {
		return now.Link.Link == model.Connected && now.Link.Server != s.Link.Server
	})
	if after.Link.Session != s.Link.Session {
		t.Errorf("session %x, want %x as before", after.Link.Session, s.Link.Session)
	}
	// The election goes on, and is seen to.
	late := stand(t, zkwatch.CandidateConfig{Conn: cfg, Path: path})
	late.await(t, 0, "in the queue", func(m model.Member) bool { return m.Belief == model.Waiting })
	w.await(t, "the new one", func(s *doctor.State) bool {
		return len(s.Queue) > 0 && s.Queue[len(s.Queue)-1].Name == late.now().Znode
	})
	var missed []model.EventBody
	for _, e := range w.all() {
		if m, ok := e.Body.(model.Missed); ok {
			missed = append(missed, m)
		}
	}
	if len(missed) > 0 {
		t.Errorf("missed %+v, though the session went on and nothing happened in the gap", missed)
	}
}
