package observer_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
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
			w := &electiontest.Wires{Server: server}
			clock := &steppedClock{}
			reads := make(chan *model.Read, 100)
			o := observer.New(observer.Config{
				Conn: client.Config{Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: electiontest.LeaseTimeout, Dial: w.Dial},
				Path: "/e", Follow: observer.FollowReads, Beside: observer.Beside{Acks: []string{"/e-leader"}}, Now: clock.now,
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
			c := (&clienttest.Switchboard{Server: server}).Client(t)
			defer c.Close()
			<-reads // absent
			if _, err := c.Create("/e", nil, 0, clienttest.Open); err != nil {
				t.Fatal(err)
			}
			<-reads
			for range 5 {
				clock.step.Add(int64(step))
				begin := time.Now()
				if _, err := c.Create("/e/n_", nil, clienttest.Contender, clienttest.Open); err != nil {
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
		w := &electiontest.Wires{Server: server}
		var slow atomic.Bool
		reads := make(chan *model.Read, 100)
		o := observer.New(observer.Config{
			Conn: client.Config{Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: electiontest.LeaseTimeout, Dial: w.Dial},
			Path: "/e", Follow: observer.FollowReads,
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
		c := (&clienttest.Switchboard{Server: server}).Client(t)
		defer c.Close()
		<-reads
		if _, err := c.Create("/e", nil, 0, clienttest.Open); err != nil {
			t.Fatal(err)
		}
		<-reads
		slow.Store(true)
		if _, err := c.Create("/e/n_", nil, clienttest.Contender, clienttest.Open); err != nil {
			t.Fatal(err)
		}
		<-reads
		time.Sleep(2 * time.Minute) // the reader is done by then
		begin := time.Now()
		if _, err := c.Create("/e/n_", nil, clienttest.Contender, clienttest.Open); err != nil {
			t.Fatal(err)
		}
		<-reads
		if took := time.Since(begin); took > time.Second { // virtual
			t.Errorf("after a slow reader a change was seen after %v", took)
		}
	})
}

// TestObserverTakesLargerReplies: a list that does not fit ends the
// connection; the next has room for twice as much.
func TestObserverTakesLargerReplies(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		for range 100 {
			on.Make(on.Path+"/0123456789abcdef0123456789abcdef-n_", clienttest.Contender)
		}
		cfg := on.Config()
		cfg.MaxReply = 1 << 10
		reads := make(chan *model.Read, 100)
		o := observer.New(observer.Config{Conn: cfg, Path: on.Path, Put: func(_ context.Context, obs model.Observation) {
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
		case <-time.After(electiontest.WaitFor):
			t.Error("never read")
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run = %v", err)
		}
	})
}
