// Package search finds the elections below a znode and says who leads each.
package search

import (
	"context"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/plain"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/feed"
)

// progressEvery is how often progress is reported.
const progressEvery = 200 * time.Millisecond

// Search is a walk over znodes for elections. Each that is found is applied
// to a journal, which says who leads and what the doctor finds at once.
type Search struct {
	// Changed is called in Run's goroutine when there is more to show.
	Changed func()

	cfg   discover.Config
	found []plain.Found
	at    discover.Progress
	last  time.Time // of Changed
}

// New returns a search that is not running yet.
func New(o Options) *Search {
	s := &Search{Changed: func() {}}
	s.cfg = discover.Config{
		Root: o.Root, Depth: o.depth, Nodes: o.nodes, PerSecond: o.rate, Now: feed.Now,
		Found: func(f discover.Found) {
			s.found = append(s.found, foundState(f))
			s.changed(true)
		},
		Progress: func(p discover.Progress) {
			s.at = p
			s.changed(false)
		},
	}
	return s
}

// changed calls Changed, unless that was a moment ago.
func (s *Search) changed(now bool) {
	if t := s.cfg.Now(); now || t.Sub(s.last) >= progressEvery {
		s.last = t
		s.Changed()
	}
}

// Progress is how many znodes were visited and how many elections found so far.
func (s *Search) Progress() (znodes, elections int) { return s.at.Visited, len(s.found) }

// Run walks. What was found before an error stays found.
func (s *Search) Run(ctx context.Context, conn *client.Conn) error {
	at, err := discover.Walk(ctx, conn, s.cfg)
	s.at = at
	return err
}

// foundState is an election as one read shows it.
func foundState(f discover.Found) plain.Found {
	j := doctor.NewJournal(model.Config{Path: f.Path})
	j.Apply(&model.Connection{At: f.Read.At, Link: model.Connected})
	j.Apply(f.Read)
	s := j.State()
	waiting := plain.Waiting(s)
	if f.Partial {
		waiting = max(waiting, f.Contenders-s.Recipe.Holders(s.Queue))
	}
	return plain.Found{State: s, Waiting: waiting}
}
