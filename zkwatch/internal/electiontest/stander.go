// Package electiontest has what tests of elections share: a candidate whose
// reports a test waits for ([Stander]), and an observer with its feed ([Watched]).
package electiontest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"electop/model"
	"electop/zkwatch/candidate"
)

// WaitFor is how long a condition may take on a busy machine.
const WaitFor = 20 * time.Second

// A Log keeps what goroutines report, in order, for a test that waits for it.
type Log[T any] struct {
	mu   sync.Mutex
	all  []T
	more chan struct{} // closed when there are more; nil: nobody waits
}

// Add appends reports.
func (l *Log[T]) Add(reports ...T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, reports...)
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
}

// All returns the reports up to now.
func (l *Log[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// AwaitAll waits until the reports up to now hold.
func (l *Log[T]) AwaitAll(t testing.TB, what string, holds func([]T) bool) {
	t.Helper()
	for deadline := time.After(WaitFor); ; {
		l.mu.Lock()
		all := slices.Clone(l.all)
		if l.more == nil {
			l.more = make(chan struct{})
		}
		more := l.more
		l.mu.Unlock()
		if holds(all) {
			return
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%s: not within %v; %d reports, the last %+v", what, WaitFor, len(all), all[max(0, len(all)-1):])
		}
	}
}

// Await returns the first report, from the from-th on, that holds, and its index.
func (l *Log[T]) Await(t testing.TB, from int, what string, holds func(T) bool) (report T, index int) {
	t.Helper()
	l.AwaitAll(t, what, func(all []T) bool {
		for index = from; index < len(all); index++ {
			if report = all[index]; holds(report) {
				return true
			}
		}
		return false
	})
	return report, index
}

// Stander is a running candidate and all that it reported.
type Stander struct {
	*candidate.Candidate
	Log[model.Member]
	Cancel context.CancelFunc
	Done   chan error
}

// Stand runs a candidate until the test ends.
func Stand(t *testing.T, cfg candidate.Config) *Stander {
	t.Helper()
	s := NewStander(cfg)
	s.Start(t)
	return s
}

// NewStander returns a candidate that does not run yet.
func NewStander(cfg candidate.Config) *Stander {
	s := &Stander{Done: make(chan error, 1)}
	cfg.Report = func(_ time.Time, m model.Member) { s.Add(m) }
	s.Candidate = candidate.New(cfg)
	return s
}

// Start runs the candidate until the test ends.
func (s *Stander) Start(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s.Cancel = cancel
	var running sync.WaitGroup
	running.Go(func() { s.Done <- s.Candidate.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		s.Thaw()
		running.Wait()
	})
}

// Now is the last report.
func (s *Stander) Now() model.Member {
	if all := s.All(); len(all) > 0 {
		return all[len(all)-1]
	}
	return model.Member{}
}

// Believes returns the first report with that belief.
func (s *Stander) Believes(t *testing.T, b model.Belief) model.Member {
	t.Helper()
	m, _ := s.Await(t, 0, "belief "+string(b), func(m model.Member) bool { return m.Belief == b })
	return m
}
