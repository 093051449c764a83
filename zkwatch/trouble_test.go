package zkwatch_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch"
)

// steppedClock is a wall clock that somebody sets.
type steppedClock struct{ step atomic.Int64 }

func (c *steppedClock) now() time.Time {
	return time.Now().Add(time.Duration(c.step.Load())).UTC().Round(0)
}

// TestObserverSeesThroughASteppedClock: what the observer waits for goes by
// the monotonic clock.
func TestObserverSeesThroughASteppedClock(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			server := zkserver.New(zkserver.Options{})
			defer server.Close()
			w := &wires{server: server}
			clock := &steppedClock{}
			reads := make(chan *model.Read, 100)
			o := zkwatch.NewObserver(zkwatch.ObserverConfig{
				Conn: zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: leaseTimeout, Dial: w.dial},
				Path: "/e", Ack: "/e-leader", Now: clock.now,
				Put: func(_ context.Context, obs model.Observation) {
					if r, ok := obs.(*model.Read); ok {
						reads <- r
					}
				},
			})
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() { o.Run(ctx) })
			defer wg.Wait()
			defer cancel()
			c := (&switchboard{server: server}).client(t)
			defer c.Close()
			<-reads // absent
			if _, err := c.Create("/e", nil, 0, open); err != nil {
				t.Fatal(err)
			}
			<-reads
			for range 5 {
				clock.step.Add(int64(step))
				begin := time.Now()
				if _, err := c.Create("/e/n_", nil, contender, open); err != nil {
					t.Fatal(err)
				}
				<-reads
				if took := time.Since(begin); took > time.Second { // virtual
					t.Errorf("clock set by %v: a change was seen after %v", step, took)
				}
			}
		})
	}
}

// TestSlowReaderDoesNotSlowTheObserverLater: the time that a reader of
// observations takes is not taken for the server's.
func TestSlowReaderDoesNotSlowTheObserverLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		w := &wires{server: server}
		var slow atomic.Bool
		reads := make(chan *model.Read, 100)
		o := zkwatch.NewObserver(zkwatch.ObserverConfig{
			Conn: zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: leaseTimeout, Dial: w.dial},
			Path: "/e",
			Put: func(_ context.Context, obs model.Observation) {
				if r, ok := obs.(*model.Read); ok {
					reads <- r
					if slow.Swap(false) {
						time.Sleep(time.Minute)
					}
				}
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { o.Run(ctx) })
		defer wg.Wait()
		defer cancel()
		c := (&switchboard{server: server}).client(t)
		defer c.Close()
		<-reads
		if _, err := c.Create("/e", nil, 0, open); err != nil {
			t.Fatal(err)
		}
		<-reads
		slow.Store(true)
		if _, err := c.Create("/e/n_", nil, contender, open); err != nil {
			t.Fatal(err)
		}
		<-reads
		time.Sleep(2 * time.Minute) // the reader is done by then
		begin := time.Now()
		if _, err := c.Create("/e/n_", nil, contender, open); err != nil {
			t.Fatal(err)
		}
		<-reads
		if took := time.Since(begin); took > time.Second { // virtual
			t.Errorf("after a slow reader a change was seen after %v", took)
		}
	})
}

// TestResigningLeaderStopsFirst: its procedure's context is over before its
// znode is deleted, so before anybody else can lead.
func TestResigningLeaderStopsFirst(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		var leading atomic.Int32
		lead := func(ctx context.Context, _ int64) error {
			if n := leading.Add(1); n != 1 {
				t.Errorf("%d lead", n)
			}
			go func() {
				<-ctx.Done()
				leading.Add(-1)
			}()
			return nil
		}
		a := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Create: true, Lead: func(ctx context.Context, fence int64) error {
			if n := leading.Add(1); n != 1 {
				t.Errorf("%d lead", n)
			}
			<-ctx.Done() // a procedure that is still at it
			leading.Add(-1)
			return ctx.Err()
		}})
		a.await(t, 0, "elected", func(m model.Member) bool { return m.Step == model.StepLead })
		b := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Lead: lead})
		b.believes(t, model.Waiting)
		a.Resign()
		b.believes(t, model.Leading)
		_, i := a.await(t, 0, "resigned", func(m model.Member) bool { return m.Belief == model.Resigned })
		a.await(t, i, "deleting its znode only then", func(m model.Member) bool { return m.Ending == model.Resigning })
	})
}

// TestImpossibleAcknowledgementIsSaid: a candidate that can never acknowledge
// does not volunteer for ever, taking the lead from everybody in turn.
func TestImpossibleAcknowledgementIsSaid(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		s := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Create: true, Ack: path + "/no/such"})
		select {
		case err := <-s.done:
			if err == nil {
				t.Error("Run returned nil")
			}
		case <-time.After(waitFor):
			t.Fatal("still standing")
		}
	})
}

// TestParentUnderForbiddenGround: creating what exists may be forbidden.
func TestParentUnderForbiddenGround(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		team := electionPath(t)
		c := raw(t, addr)
		if err := c.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		create := creator(t, c)
		create(team, 0)
		create(team+"/ours", 0)
		if _, err := c.SetACL(team, append(zk.DigestACL(zk.PermAll, "u", "p"), zk.WorldACL(zk.PermRead)...), -1); err != nil {
			t.Fatal(err)
		}
		s := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: team + "/ours/election", Create: true})
		s.believes(t, model.Leading)
	})
}

// TestObserverTakesLargerReplies: a list that does not fit ends the
// connection; the next has room for twice as much.
func TestObserverTakesLargerReplies(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		create := creator(t, c)
		create(path, 0)
		for range 100 {
			create(path+"/0123456789abcdef0123456789abcdef-n_", contender)
		}
		cfg := config(t, addr)
		cfg.MaxReply = 1 << 10
		reads := make(chan *model.Read, 100)
		o := zkwatch.NewObserver(zkwatch.ObserverConfig{Conn: cfg, Path: path, Put: func(_ context.Context, obs model.Observation) {
			if r, ok := obs.(*model.Read); ok {
				reads <- r
			}
		}})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- o.Run(ctx) }()
		select {
		case r := <-reads:
			if len(r.New) != 100 {
				t.Errorf("%d children, want 100", len(r.New))
			}
		case <-time.After(waitFor):
			t.Error("never read")
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v", err)
		}
	})
}

// TestLeadIsNotCalledAfterTheLease: a process that slept between asking and
// the answer finds the answer waiting, and its session perhaps gone.
func TestLeadIsNotCalledAfterTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		w := &wires{server: server}
		var late atomic.Int32
		var self atomic.Pointer[zkwatch.Candidate]
		cfg := zkwatch.CandidateConfig{
			Conn: zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: leaseTimeout, Dial: w.dial, BufferSize: 16 << 10, MaxReply: 64 << 10},
			Path: "/election", Create: true, Ack: "/election-leader",
			Lead: func(context.Context, int64) error {
				if st := self.Load().Status(); !time.Now().Before(st.ExpiresFrom) {
					late.Add(1)
				}
				return nil
			},
		}
		var frozen atomic.Bool
		cfg.Report = func(_ time.Time, m model.Member) {
			// It knows that it is lowest, and stops before it asks for its fence.
			if m.Step == model.StepLowest && frozen.CompareAndSwap(false, true) {
				self.Load().Freeze()
				go func() {
					time.Sleep(2 * leaseTimeout)
					self.Load().Thaw()
				}()
			}
		}
		c := zkwatch.NewCandidate(cfg)
		self.Store(c)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { c.Run(ctx) })
		time.Sleep(10 * leaseTimeout)
		cancel()
		wg.Wait()
		if n := late.Load(); n > 0 {
			t.Errorf("the leader procedure was called %d times after the lease", n)
		}
		if !frozen.Load() {
			t.Error("it was never frozen: the test shows nothing")
		}
	})
}
