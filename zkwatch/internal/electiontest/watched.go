package electiontest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/observer"
)

// Watched is an observer with its feed and the events it gave.
type Watched struct {
	*observer.Observer
	Feed *feed.Feed

	mu     sync.Mutex
	events []model.Event
	more   chan struct{} // closed when there are more
}

// NewWatched returns the feed of an election, which does not run yet, for an
// observer to come.
func NewWatched(election model.Config) *Watched {
	w := &Watched{more: make(chan struct{})}
	w.Feed = feed.New(feed.Config{Election: election, Events: w.take})
	return w
}

// ByReads makes an observer read for each notification.
func ByReads(cfg *observer.Config) { cfg.ByReads = true }

// BothWays runs a test with observers that follow by a persistent watch, and with ones
// that read for each notification.
func BothWays(t *testing.T, test func(t *testing.T, way func(*observer.Config))) {
	t.Run("by a watch", func(t *testing.T) {
		t.Parallel()
		test(t, func(*observer.Config) {})
	})
	t.Run("by reads", func(t *testing.T) {
		t.Parallel()
		test(t, ByReads)
	})
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

func (w *Watched) take(es []model.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, es...)
	close(w.more)
	w.more = make(chan struct{})
	return nil
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

// AwaitEvents waits until the events up to now hold.
func (w *Watched) AwaitEvents(t *testing.T, what string, holds func([]model.Event) bool) {
	t.Helper()
	deadline := time.After(WaitFor)
	for {
		w.mu.Lock()
		all, more := slices.Clone(w.events), w.more
		w.mu.Unlock()
		if holds(all) {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%s: not within %v; %d events", what, WaitFor, len(all))
		}
	}
}

// All are the events up to now.
func (w *Watched) All() []model.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.events)
}

// QueueOf holds for a live state with so many candidates.
func QueueOf(n int) func(*doctor.State) bool {
	return func(s *doctor.State) bool { return s.Phase == model.Live && s.Queue.Len() == n }
}

// Accounts waits for the events of so many creates and deletes, since a state
// is there before its events are handed on, and holds them to the truth.
func (w *Watched) Accounts(t *testing.T, creates, deletes int, unknownAllowed bool) {
	t.Helper()
	deadline := time.After(WaitFor)
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
	account(t, w.All(), creates, deletes, unknownAllowed)
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
