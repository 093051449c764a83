package observer_test

import (
	"testing"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// byReads makes an observer read for each notification.
func byReads(cfg *observer.Config) { cfg.ByReads = true }

// bothWays runs a test with observers that follow by a persistent watch, and with ones
// that read for each notification.
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

// accounts waits for the events of so many creates and deletes, since a state is there
// before its events are handed on, and checks that they are true: so many creates and
// deletes happened since the first state.
func accounts(t *testing.T, w *electiontest.Watched, creates, deletes int, unknownAllowed bool) {
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
		t.Errorf("seen and missed: %d creates and %d deletes; happened: %d and %d", c, d, creates, deletes)
	}
	var head dialect.ID
	id := func(c *dialect.Candidate) dialect.ID {
		if c == nil {
			return dialect.ID{}
		}
		return c.ID()
	}
	for i, e := range w.Events.All() {
		if e.N != uint64(i+1) {
			t.Errorf("event %d has number %d", i, e.N)
		}
		switch b := e.Body.(type) {
		case doctor.Snapshot:
			if i == 0 {
				head = id(b.State.Leader())
			}
		case model.Missed:
			if !b.Known && !unknownAllowed {
				t.Errorf("event %d: an unknown number of changes", e.N)
			}
		case model.Handoff:
			if id(b.From) != head {
				t.Errorf("event %d: handoff from %v, the one before went to %v", e.N, b.From, head)
			}
			head = id(b.To)
		}
	}
}
