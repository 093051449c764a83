package election

import (
	"context"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/cli/cluster"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
)

// Exam says how the doctor looks at an election for a while.
type Exam struct {
	For   time.Duration // to observe
	Reach cluster.Reach // a server
	// Longer is called before the observation is extended for a suspicion that
	// [doctor.Pending.Decides]. nil: it is never extended.
	Longer func(by time.Duration, p doctor.Pending)
}

const (
	// longestExtension bounds what an exam observes beyond For: the answer takes less than a
	// minute.
	longestExtension = 50 * time.Second
	// examCalm is the time between two requests to the servers, and between the last
	// one and the end.
	examCalm = 2 * time.Second
)

// Examine observes an election and asks the servers: for everything at the
// beginning, and later once more: for sessions, to find silent ones, and for watches if
// one was not found. It returns for how long it observed. The elections must be
// running, without the poller.
func (w *Elections) Examine(ctx context.Context, e *Election, x Exam) (s *doctor.State, observed time.Duration, err error) {
	if _, err = w.FirstRead(ctx, e, x.Reach); err != nil {
		return nil, 0, err
	}
	end := time.Now().Add(x.For)
	if w.poller != nil {
		w.Ask(ctx, admin.Want{Watches: true, Sessions: true})
		if err = process.Rest(ctx, min(time.Until(end), max(x.For/2, time.Until(end)-examCalm))); err != nil {
			return nil, 0, err
		}
	}
	observed = x.For
	for left := longestExtension; ; {
		extended := left < longestExtension
		if s, err = w.conclude(ctx, e.Feed, end, extended); err != nil {
			return nil, 0, err
		}
		p, by := worthwhile(s, left, w.poller != nil && !extended)
		if by == 0 || x.Longer == nil {
			return s, observed, nil
		}
		x.Longer(by, p)
		end, left, observed = end.Add(by), left-by, observed+by
		if err = process.Rest(ctx, time.Until(end)-examCalm); err != nil {
			return nil, 0, err
		}
	}
}

// conclude asks the servers a last time, if necessary for watches, and returns the state
// at end or later, when everything that is due by then is in it.
func (w *Elections) conclude(ctx context.Context, f *feed.Feed, end time.Time, watches bool) (*doctor.State, error) {
	if w.poller != nil {
		w.Ask(ctx, admin.Want{Watches: watches || unverified(f.State()), Sessions: true})
	}
	if err := process.Rest(ctx, time.Until(end)); err != nil {
		return nil, err
	}
	at := feed.Now()
	f.Put(&model.Advance{At: at})
	s, err := f.Await(ctx, func(s *doctor.State) bool { return !s.At.Before(at) })
	if err != nil {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// worthwhile returns the suspicion that decides and needs the longest time, up
// to limit, and that time. It is 0 without one. ask: another answer of the servers may
// decide it too.
func worthwhile(s *doctor.State, limit time.Duration, ask bool) (longest doctor.Pending, by time.Duration) {
	for _, p := range s.Pending {
		if !p.Decides() || p.Left == 0 && !ask {
			continue
		}
		need := max(p.Left, examCalm).Truncate(time.Second) + time.Second
		if need > by && need <= limit {
			longest, by = p, need
		}
	}
	return longest, by
}

// unverified reports whether no server has reported the watch of a waiting contender.
func unverified(s *doctor.State) bool {
	for i := range s.Queue.Len() {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits && s.Edge(i).State != doctor.Verified {
			return true
		}
	}
	return false
}
