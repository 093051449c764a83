package observer_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// run runs an observer until the test ends.
func run(t *testing.T, cfg observer.Config) *observer.Observer {
	o := observer.New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { o.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return o
}

// seesJoins has candidates join in virtual time and reports how long an observer by reads
// takes to see each. before is called before each, and read after each read.
func seesJoins(t *testing.T, now func() time.Time, joins int, before func(), read func(joined int)) (took []time.Duration) {
	server, c := clienttest.Embedded(t)
	create := clienttest.Creator(t, c)
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
	<-reads // absent
	create("/e", 0)
	<-reads
	for range joins {
		before()
		begin := time.Now()
		create("/e/n_", clienttest.Contender)
		<-reads
		took = append(took, time.Since(begin))
	}
	return took
}

// TestObserverSeesThroughASteppedClock: what the observer waits for goes by the monotonic
// clock, not by a wall clock that somebody sets.
func TestObserverSeesThroughASteppedClock(t *testing.T) {
	for _, step := range []time.Duration{-time.Hour, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var by atomic.Int64
			now := func() time.Time { return time.Now().Add(time.Duration(by.Load())).UTC().Round(0) }
			for _, took := range seesJoins(t, now, 5, func() { by.Add(int64(step)) }, func(int) {}) {
				if took > time.Second { // virtual
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
		slow := true
		took := seesJoins(t, nil, 2, func() { time.Sleep(2 * time.Minute) }, func(joined int) {
			if joined > 0 && slow {
				slow = false
				time.Sleep(time.Minute)
			}
		})
		if took[1] > time.Second { // virtual
			t.Errorf("after a slow reader a change was seen after %v", took[1])
		}
	})
}

// TestCutOff: while the network is away for longer than the session lives, the picture is
// said to be stale. What happened meanwhile is counted as missed, or said to be unknown if
// the parent was deleted and created again.
func TestCutOff(t *testing.T) {
	for _, byReads := range []bool{false, true} {
		for _, recreated := range []bool{false, true} {
			t.Run(fmt.Sprintf("by reads %t, recreated %t", byReads, recreated), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server, c := clienttest.Embedded(t)
					create := clienttest.Creator(t, c)
					create("/e", 0)
					line := new(fault.Line)
					w := electiontest.Observe(t, electiontest.Conn(server, line), model.Config{Path: "/e"}, func(cfg *observer.Config) { cfg.ByReads = byReads })
					w.Await(t, "empty", electiontest.QueueOf(0))
					first := create("/e/n_", clienttest.Contender)
					before := w.Await(t, "one", electiontest.QueueOf(1))
					line.Partition()
					w.Await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link == model.Disconnected })
					if recreated {
						for _, path := range []string{first, "/e"} {
							zktest.Must(0, c.Delete(path, -1))
						}
						create("/e", 0)
					} else {
						zktest.Must(0, c.Delete(create("/e/n_", clienttest.Contender), -1))
					}
					for range 2 {
						create("/e/n_", clienttest.Contender)
					}
					time.Sleep(electiontest.LeaseTimeout) // its session expires
					if s := w.Feed.State(); s.Link.Link == model.Connected || s.DownSince.IsZero() || s.Queue.Len() != 1 {
						t.Errorf("cut off: link %+v, down since %v, %d stand", s.Link, s.DownSince, s.Queue.Len())
					}
					line.Heal()
					stand, creates := 3, 4
					if recreated {
						stand, creates = 2, 3
					}
					s := w.Await(t, "what is there now", electiontest.QueueOf(stand))
					if s.Link.Session == before.Link.Session || s.Link.Session == 0 || s.Link.Err != "" || !s.DownSince.IsZero() || s.Reconnects != 1 {
						t.Errorf("back: link %+v, down since %v, %d reconnects", s.Link, s.DownSince, s.Reconnects)
					}
					if !slices.ContainsFunc(w.Events.All(), func(e model.Event) bool { c, ok := e.Body.(model.LinkChanged); return ok && c.Link == model.Expired }) {
						t.Error("nothing said that the session expired")
					}
					accounts(t, w, creates, 1, recreated)
				})
			})
		}
	}
}
