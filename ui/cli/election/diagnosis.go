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

// Diagnosis configures how long the doctor observes an election.
type Diagnosis struct {
	For   time.Duration
	Reach cluster.Reach
	// Longer is called before each extension of the observation; nil forbids extensions.
	Longer func(by time.Duration, p doctor.Pending)
}

const (
	extensionsMax = 50 * time.Second // of all extensions together, because a user waits for the result
	lastPause     = 2 * time.Second  // longest time from the last request to the end; no extension is shorter
)

// Diagnose observes e for d.For and possible extensions; observed is their sum. If w has a poller,
// the poller must not run, because Diagnose requests the servers' reports.
func (w *Elections) Diagnose(ctx context.Context, e *Election, d Diagnosis) (s *doctor.State, observed time.Duration, err error) {
	if _, err = w.FirstRead(ctx, e, d.Reach); err != nil {
		return nil, 0, err
	}
	end := time.Now().Add(d.For)
	if w.poller != nil {
		w.Poll(ctx, admin.Want{Watches: true, Sessions: true})
		if err = process.Sleep(ctx, min(time.Until(end), max(d.For/2, time.Until(end)-lastPause))); err != nil {
			return nil, 0, err
		}
	}
	observed = d.For
	for left := extensionsMax; ; {
		extended := left < extensionsMax
		if s, err = w.conclude(ctx, e.Feed, end, extended); err != nil {
			return nil, 0, err
		}
		p, by := worthwhile(s, left, w.poller != nil && !extended)
		if by == 0 || d.Longer == nil {
			return s, observed, nil
		}
		d.Longer(by, p)
		end, left, observed = end.Add(by), left-by, observed+by
		if err = process.Sleep(ctx, time.Until(end)-lastPause); err != nil {
			return nil, 0, err
		}
	}
}

func (w *Elections) conclude(ctx context.Context, f *feed.Feed, end time.Time, watches bool) (*doctor.State, error) {
	if w.poller != nil {
		w.Poll(ctx, admin.Want{Watches: watches || hasUnverifiedWatch(f.State()), Sessions: true})
	}
	if err := process.Sleep(ctx, time.Until(end)); err != nil {
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

// worthwhile returns the suspicion with the longest extension within limit. by is 0 if there is none.
func worthwhile(s *doctor.State, limit time.Duration, canPoll bool) (suspicion doctor.Pending, by time.Duration) {
	for _, p := range s.Pending {
		if !p.Decides() || p.Left == 0 && !canPoll {
			continue
		}
		need := max(p.Left, lastPause).Truncate(time.Second) + time.Second
		if need > by && need <= limit {
			suspicion, by = p, need
		}
	}
	return suspicion, by
}

func hasUnverifiedWatch(s *doctor.State) bool {
	for i := range s.Queue.Len() {
		if _, waits := s.Recipe.Watches(s.Queue, i); waits && s.Edge(i).State != doctor.Verified {
			return true
		}
	}
	return false
}
