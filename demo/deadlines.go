package demo

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"electop/demo/zkserver"
	"electop/model"
)

const (
	// deadlinesEvery is how often the sessions are looked at: a screen shows no more.
	deadlinesEvery = 250 * time.Millisecond
	// deadlineSteps is how much of a timeout a deadline moves until it is passed on, if
	// it goes on moving: a leader renews its lease many times a second, and its fuse
	// stays full.
	deadlineSteps = 8
)

// watchDeadlines passes on when the candidates' sessions expire, where that changed by
// enough to be seen.
func (s *Stage) watchDeadlines(ctx context.Context) {
	ticker := time.NewTicker(deadlinesEvery)
	defer ticker.Stop()
	told := make(map[uint64]toldDeadline)
	for {
		if o := s.deadlines(told); len(o.Sessions) > 0 {
			s.cfg.Put(o)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// toldDeadline is what was passed on of a session, and its deadline as seen last.
type toldDeadline struct {
	model.Due
	seen time.Time
}

// deadlines returns the deadlines to be told, and notes them.
func (s *Stage) deadlines(told map[uint64]toldDeadline) *model.Deadlines {
	timeouts := make(map[uint64]time.Duration)
	var ids []int64
	for _, m := range s.known() {
		if m.Session != 0 && m.Timeout > 0 {
			timeouts[m.Session] = m.Timeout
			ids = append(ids, int64(m.Session))
		}
	}
	slices.Sort(ids)
	for id := range told {
		if timeouts[id] == 0 {
			delete(told, id)
		}
	}
	all := s.cfg.Server.Deadlines(ids)
	o := &model.Deadlines{At: s.cfg.Now()}
	// Those that waited longest come first, if there are too many.
	slices.SortStableFunc(all, func(a, b zkserver.Deadline) int {
		return cmp.Or(told[uint64(a.Session)].At.Compare(told[uint64(b.Session)].At), cmp.Compare(a.Session, b.Session))
	})
	for _, d := range all {
		now := model.Due{Deadline: model.Deadline{Session: uint64(d.Session), Expires: utc(d.At), Held: d.Held}, At: utc(o.At)}
		old := told[now.Session]
		if by := old.off(now); len(o.Sessions) < model.DeadlinesMax && (by >= timeouts[now.Session]/deadlineSteps || by > 0 && old.seen.Equal(now.Expires)) {
			old.Due = now
			o.Sessions = append(o.Sessions, now.Deadline)
		}
		old.seen = now.Expires
		told[now.Session] = old
	}
	return o
}

// off is by how much a deadline differs from what was reported.
func (x *toldDeadline) off(now model.Due) time.Duration {
	if x.Session == 0 || x.Held != now.Held {
		return math.MaxInt64
	}
	believed := x.Expires
	if x.Held {
		believed = believed.Add(now.At.Sub(x.At))
	}
	return now.Expires.Sub(believed).Abs()
}
