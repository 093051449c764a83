package candidate_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/electiontest"
)

// scheduling is for how long two candidates may seem to lead at once: what one
// of them does comes to the witness a little late on a busy machine.
const scheduling = 20 * time.Millisecond

// A witness sees when each of several candidates leads, by this process's
// monotonic clock. A candidate leads while it says so, and its leader procedure
// works until that one's context is done.
type witness struct {
	start time.Time

	mu      sync.Mutex
	moments []moment
	last    map[string]model.Member
	said    map[string]time.Time // the last report
	notes   []note
	changed chan struct{} // closed and replaced with each report
}

// A moment is a change of whether somebody leads or works, or is frozen.
type moment struct {
	at   time.Time
	name string
	what deed
	by   int // +1 begins, -1 ends
}

type deed int

const (
	leading deed = iota
	working
	frozen
)

func (d deed) String() string { return [...]string{"leading", "working", "frozen"}[d] }

// A note says what happened otherwise, for who reads of a failure.
type note struct {
	at   time.Time
	text string
}

func (w *witness) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, note{time.Now(), text})
}

func newWitness() *witness {
	return &witness{start: time.Now(), last: make(map[string]model.Member), said: make(map[string]time.Time), changed: make(chan struct{})}
}

// attend has the witness see a candidate, which needs a name of its own.
func (w *witness) attend(name string, cfg *candidate.Config) {
	cfg.Data = []byte(name)
	cfg.Report = func(_ time.Time, m model.Member) { w.report(name, m) }
	cfg.Lead = func(ctx context.Context, _ int64) error {
		w.note(name, working, +1)
		context.AfterFunc(ctx, func() { w.note(name, working, -1) })
		return nil
	}
}

func (w *witness) report(name string, m model.Member) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, is := w.last[name].Belief == model.Leading, m.Belief == model.Leading
	w.last[name], w.said[name] = m, time.Now()
	switch {
	case is && !was:
		w.moments = append(w.moments, moment{time.Now(), name, leading, +1})
	case was && !is:
		w.moments = append(w.moments, moment{time.Now(), name, leading, -1})
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *witness) note(name string, what deed, by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moments = append(w.moments, moment{time.Now(), name, what, by})
}

func (w *witness) now(name string) model.Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last[name]
}

// reported is when a candidate said something last.
func (w *witness) reported(name string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said[name]
}

// reigns counts how often somebody began to lead.
func (w *witness) reigns() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.moments {
		if m.what == leading && m.by > 0 {
			n++
		}
	}
	return n
}

// leaders are those who say that they lead.
func (w *witness) leaders() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, m := range w.last {
		if m.Belief == model.Leading {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// await waits for something, which a report may have made true.
func (w *witness) await(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.After(limit), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		changed := w.changed
		w.mu.Unlock()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: not within %v\n%s", what, limit, w)
		}
	}
}

// believes waits until a candidate believes something.
func (w *witness) believes(t *testing.T, name string, b model.Belief) {
	t.Helper()
	w.await(t, electiontest.WaitFor, fmt.Sprint(name, " is ", b), func() bool { return w.now(name).Belief == b })
}

func (w *witness) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for name, m := range w.last {
		fmt.Fprintf(&b, "%s is %s (step %v) in session %#x with %s, watches %s: %s\n", name, m.Belief, m.Step, m.Session, m.Znode, m.Watches, m.Reason)
	}
	return b.String()
}
