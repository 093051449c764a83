// Package electiontest has what tests of elections share: a candidate whose
// reports a test waits for ([Stander]), an observer with its feed ([Watched]), and
// elections in virtual time ([Virtual]).
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

// Stander is a running candidate and all that it reported.
type Stander struct {
	*candidate.Candidate
	Cancel context.CancelFunc
	Done   chan error

	mu      sync.Mutex
	reports []model.Member
	changed chan struct{}
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
	s := &Stander{changed: make(chan struct{}), Done: make(chan error, 1)}
	cfg.Report = func(_ time.Time, m model.Member) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reports = append(s.reports, m)
		close(s.changed)
		s.changed = make(chan struct{})
	}
	s.Candidate = candidate.New(cfg)
	return s
}

// Start runs the candidate until the test ends.
func (s *Stander) Start(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s.Cancel = cancel
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Done <- s.Candidate.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		s.Thaw()
		<-ended
	})
}

// Reports are those up to now.
func (s *Stander) Reports() []model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reports)
}

// First is the first report.
func (s *Stander) First() model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reports[0]
}

// Await returns the first report, from the from-th on, that holds.
func (s *Stander) Await(t *testing.T, from int, what string, holds func(model.Member) bool) (model.Member, int) {
	t.Helper()
	deadline := time.After(WaitFor)
	for {
		s.mu.Lock()
		for i := from; i < len(s.reports); i++ {
			if holds(s.reports[i]) {
				m := s.reports[i]
				s.mu.Unlock()
				return m, i
			}
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s: not within %v; last report %+v", what, WaitFor, s.Now())
		}
	}
}

// Now is the last report.
func (s *Stander) Now() model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reports) == 0 {
		return model.Member{}
	}
	return s.reports[len(s.reports)-1]
}

// Believes returns the first report with that belief.
func (s *Stander) Believes(t *testing.T, b model.Belief) model.Member {
	t.Helper()
	m, _ := s.Await(t, 0, "belief "+string(b), func(m model.Member) bool { return m.Belief == b })
	return m
}

// Beliefs are the beliefs that were reported from the from-th report on, each
// once in a row.
func (s *Stander) Beliefs(from int) []model.Belief {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []model.Belief
	for _, m := range s.reports[from:] {
		out = append(out, m.Belief)
	}
	return slices.Compact(out)
}

// Reported is how many reports there are.
func (s *Stander) Reported() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.reports)
}

// When returns how long after now the first report from the from-th on comes
// that holds.
func (s *Stander) When(t *testing.T, from int, what string, holds func(model.Member) bool) <-chan time.Duration {
	start, took := time.Now(), make(chan time.Duration, 1)
	go func() {
		s.Await(t, from, what, holds)
		took <- time.Since(start)
	}()
	return took
}

func Believing(b model.Belief) func(model.Member) bool {
	return func(m model.Member) bool { return m.Belief == b }
}

// Ping waits until the candidate's ping has just been answered.
func Ping(t *testing.T, s *Stander) {
	t.Helper()
	for end := s.Status().ExpiresFrom; s.Status().ExpiresFrom.Equal(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

func Leads(m model.Member) bool { return m.Belief == model.Leading || m.Belief == model.Elected }
