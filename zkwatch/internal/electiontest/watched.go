package electiontest

import (
	"context"
	"sync"
	"testing"

	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Watched is an observer with its feed and the events it gave.
type Watched struct {
	*observer.Observer
	Feed   *feed.Feed
	Events Log[model.Event]
}

// NewWatched returns the feed of an election, which does not run yet, for an
// observer to come.
func NewWatched(election model.Config) *Watched {
	w := &Watched{}
	w.Feed = feed.New(feed.Config{Election: election, Events: func(es []model.Event) error { w.Events.Add(es...); return nil }})
	return w
}

// Observe observes an election until the test ends.
func Observe(t *testing.T, cfg client.Config, election model.Config, options ...func(*observer.Config)) *Watched {
	t.Helper()
	w := NewWatched(election)
	cfg.BufferSize, cfg.MaxReply = 0, 0
	ocfg := observer.Config{
		Conn: cfg, Path: election.Path, Beside: observer.Beside{Acks: w.Feed.State().Followed()}, Put: w.Feed.PutSlowly, Now: feed.Now,
	}
	for _, option := range options {
		option(&ocfg)
	}
	w.Observer = observer.New(ocfg)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.Feed.Run(ctx) })
	wg.Go(func() { w.Observer.Run(ctx) })
	wg.Go(func() { w.Feed.Settle(ctx, w.Observer.Settle) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return w
}

// Await returns the first state that holds.
func (w *Watched) Await(t *testing.T, what string, holds func(*doctor.State) bool) *doctor.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), WaitFor)
	defer cancel()
	s, err := w.Feed.Await(ctx, holds)
	if err != nil {
		t.Fatalf("%s: not within %v; phase %s, link %+v, %d in the queue, %d ignored", what, WaitFor, s.Phase, s.Link, s.Queue.Len(), len(s.Ignored))
	}
	return s
}

// QueueOf holds for a live state with so many candidates.
func QueueOf(n int) func(*doctor.State) bool {
	return func(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == n }
}
