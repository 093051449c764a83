package cli

import (
	"context"
	"fmt"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui"
	"electop/ui/plain"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/feed"
)

// The bounds of a search that nobody set others for. They are not to be felt
// on a busy ensemble.
const (
	walkDepth = 8
	walkNodes = 10_000
	walkRate  = 200 // requests a second
)

// progressEvery is how often somebody who looks on hears how far it got.
const progressEvery = 200 * time.Millisecond

// search is a walk over znodes for elections. Each that is found is applied
// to a journal, which says who leads and what the doctor sees at once.
type search struct {
	cfg     discover.Config
	found   []plain.Found
	at      discover.Progress
	changed func() // called in run's goroutine
	last    time.Time
}

func newSearch(cfg discover.Config) *search {
	s := &search{cfg: cfg, changed: func() {}}
	s.cfg.Now = feed.Now
	s.cfg.Found = func(f discover.Found) {
		s.found = append(s.found, foundState(f))
		s.tell(true)
	}
	s.cfg.Progress = func(p discover.Progress) {
		s.at = p
		s.tell(false)
	}
	return s
}

func (s *search) tell(now bool) {
	if t := s.cfg.Now(); now || t.Sub(s.last) >= progressEvery {
		s.last = t
		s.changed()
	}
}

// run walks. What was found before an error stays found.
func (s *search) run(ctx context.Context, conn *client.Conn) error {
	at, err := discover.Walk(ctx, conn, s.cfg)
	s.at = at
	return err
}

// skips says what the walk did not look into.
func skips(at discover.Progress) []plain.Skip {
	var out []plain.Skip
	for _, s := range at.Skips {
		why := ""
		switch s.Why {
		case discover.TooLarge:
			why = fmt.Sprintf("its list of children does not fit in a reply of %d bytes; electop status %s reads it with more room", s.Limit, s.Path)
		case discover.Alike:
			why = "children without children, as those before them"
		case discover.BadName:
			why = "no client may ask for a znode of this name"
		}
		out = append(out, plain.Skip{Path: s.Path, Znodes: s.Znodes, Why: why})
	}
	return out
}

// foundState is an election as one look shows it.
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

// shown is the search as the dashboard shows it.
func (s *search) shown(running bool, err error) ui.Walk {
	w := ui.Walk{Root: s.cfg.Root, Visited: s.at.Visited, Denied: s.at.Denied, Skipped: s.at.Skipped, Running: running, Stopped: s.at.Stopped}
	if err != nil {
		w.Err = znode.Safe(err.Error(), 0)
	}
	for _, found := range s.found {
		st := found.State
		f := ui.FoundElection{Path: st.Path, Waiting: found.Waiting, Findings: len(st.Findings), Worst: doctor.Worst(st.Findings)}
		if p := plain.System(st); p != nil {
			f.System = *p
		}
		if l := st.Leader(); l != nil {
			f.Leader = plain.Who(l)
		}
		f.Reign, f.ReignKnown = plain.Reign(st)
		w.Found = append(w.Found, f)
	}
	return w
}
