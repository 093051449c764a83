package feed_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/history"
	"electop/zkwatch/feed"
)

func TestFeedKeepsThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := feed.New(feed.Config{Election: election, Keep: true})
		if _, ok := f.Seek(1, history.MoveTo); ok {
			t.Error("a moment before there was any")
		}
		end := running(f)
		s := newStory()
		f.Put(s.connected())
		for range 10 {
			f.Put(s.pass(time.Second).change(1))
		}
		synctest.Wait()
		last, ok := f.Seek(math.MaxUint64, history.MoveTo)
		if !ok || last.N != 10 || !last.Last || last.State.Queue.Len() != 10 {
			t.Fatalf("the last moment is %d, of %d", last.N, last.State.Queue.Len())
		}
		f.Put(s.pass(time.Second).change(1))
		synctest.Wait()
		back, ok := f.Seek(last.N, history.MoveBack)
		if !ok || back.N != 9 || back.State.Queue.Len() != 9 || !back.At.Equal(s.at.Add(-2*time.Second)) {
			t.Errorf("before it %d, of %d at %v", back.N, back.State.Queue.Len(), back.At)
		}
		if f.State().Queue.Len() != 11 {
			t.Error("the present is not the present any more")
		}
		if first, last := f.Span(); !last.Equal(s.at) || last.Sub(first) != 10*time.Second {
			t.Errorf("from %v to %v", first, last)
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	f := feed.New(feed.Config{Election: election})
	f.Put(newStory().change(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Error(err)
	}
	if _, ok := f.Seek(1, history.MoveTo); ok {
		t.Error("a feed that keeps nothing has a moment")
	}
	if first, last := f.Span(); !first.IsZero() || !last.IsZero() {
		t.Errorf("from %v to %v", first, last)
	}
}

// Whoever goes through the past, from several sides, meets what was live, and
// the present goes on.
func TestSeekWhileThePresentGoesOn(t *testing.T) {
	const changes = 800
	var mu sync.Mutex
	states := map[int]time.Time{}                      // by how many stand
	clock := func() time.Time { return newStory().at } // it stands: nothing is due
	f := feed.New(feed.Config{Election: election, Keep: true, Now: clock, Applied: func(s *doctor.State, _ []model.Event) {
		mu.Lock()
		defer mu.Unlock()
		if n := s.Queue.Len(); states[n].IsZero() {
			states[n] = s.At
		}
	}})
	end := running(f)
	type met struct {
		stand int
		at    time.Time
	}
	var walks [2][]met
	var wg sync.WaitGroup
	for i := range walks {
		wg.Go(func() {
			for n := uint64(0); n < changes; {
				at, ok := f.Seek(n, history.MoveOn)
				if !ok || at.N == n {
					runtime.Gosched() // it has come to the present
					continue
				}
				if at.N != n+1 || len(at.Events) != 1 {
					t.Errorf("after moment %d comes %d, with %d events", n, at.N, len(at.Events))
					return
				}
				walks[i] = append(walks[i], met{at.State.Queue.Len(), at.At})
				n = at.N
			}
		})
	}
	s := newStory()
	for range changes {
		f.Put(s.pass(time.Millisecond).change(1))
	}
	wg.Wait()
	if err := end(); err != nil {
		t.Error(err)
	}
	for _, walk := range walks {
		for i, m := range walk {
			if m.stand != i+1 || !m.at.Equal(states[i+1]) {
				t.Fatalf("moment %d: %d stand at %v; live it was at %v", i+1, m.stand, m.at, states[i+1])
			}
		}
	}
}

// Applied is told of each observation, in order, before the screen is.
func TestApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		var events []model.Event
		var f *feed.Feed
		f = feed.New(feed.Config{Election: election, Applied: func(s *doctor.State, es []model.Event) {
			select {
			case <-f.Dirty():
				t.Error("the screen was told before")
			default:
			}
			if f.State() != s {
				t.Error("the state is not that after the observation")
			}
			at = append(at, s.At)
			events = append(events, es...)
		}})
		end := running(f)
		s := newStory()
		for i := range 5 {
			f.Put(s.pass(time.Second).change(i % 2))
			synctest.Wait()
			if len(at) != i+1 || !at[i].Equal(s.at) {
				t.Errorf("after %d observations it was told of %v", i+1, at)
			}
			<-f.Dirty()
		}
		if len(events) != 4 { // the state, two that joined, and that the first of them leads
			t.Errorf("%d events", len(events))
		}
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}
