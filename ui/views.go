package ui

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/candidates"
	"electop/ui/handoffs"
	"electop/ui/mainscreen"
	"electop/ui/messages"
	"electop/ui/rows"
	"electop/ui/wording"
)

// view is one of the elections watched, and where the user was in it: each
// keeps its own selection, filter and scrolling.
type view struct {
	path   string
	latest *doctor.State // the newest
	paused *doctor.State // what is shown while paused, else nil

	candidates candidates.Panel
	handoffs   handoffs.Panel
	messages   messages.Panel
	texts      mainscreen.Texts

	handoff     *model.Handoff // the newest, and when it came
	handoffCame time.Time

	// asked is when the user wanted the servers asked, until they have
	// answered; zero: nobody waits.
	asked time.Time
}

// newView returns a view on an election.
func newView(s *doctor.State) *view {
	v := &view{path: s.Path, latest: s, handoff: wording.Newest(s)}
	v.reselect()
	return v
}

// unknown is the state of an election of which nothing is known.
func unknown() *doctor.State { return doctor.NewJournal(model.Config{}).State() }

// shown is the state on the screen.
func (v *view) shown() *doctor.State {
	if v.paused != nil {
		return v.paused
	}
	return v.latest
}

// reselect takes the rows of the state on the screen.
func (v *view) reselect() { v.candidates.Reselect(v.shown()) }

// hold holds the picture at the newest state, or lets it go.
func (v *view) hold(on bool, now time.Time) {
	if on {
		v.paused = v.latest
		return
	}
	v.paused = nil
	v.takeHandoff(now)
}

// take takes a newer state.
func (v *view) take(s *doctor.State, now time.Time) {
	v.latest = s
	if v.paused == nil {
		v.takeHandoff(now)
	}
}

// takeHandoff notes when the newest handoff came, if it is another one than
// before.
func (v *view) takeHandoff(now time.Time) {
	h := wording.Newest(v.latest)
	if h == nil {
		v.handoff = nil
		return
	}
	// The takeover of one that is known may be put in later.
	if v.handoff == nil || !h.At.Equal(v.handoff.At) || h.To != v.handoff.To && h.Fence != v.handoff.Fence {
		v.handoffCame = now
	}
	v.handoff = h
}

// row returns the row with that identity, an empty one if it is gone. The
// filter does not hide it.
func (v *view) row(id rows.Ref) rows.Row {
	all := rows.List{State: v.shown(), NoZnode: v.shown().WithoutZnode()}
	return all.At(all.Find(id, v.candidates.Index))
}

// waiting is how many events the paused picture does not show yet.
func (v *view) waiting() int {
	if v.paused == nil {
		return 0
	}
	count := func(s *doctor.State) int {
		t := s.Totals
		return t.Joined + t.Left + t.Handoffs + t.MissedCreates + t.MissedDeletes + t.Unknown + s.Reconnects
	}
	return max(0, count(v.latest)-count(v.paused))
}

// views are the elections watched, in the source's order.
type views []*view

// at returns the index of the view on the election at path, -1 if it is not
// watched.
func (all views) at(path string) int {
	if path == "" {
		return -1
	}
	return slices.IndexFunc(all, func(v *view) bool { return v.path == path })
}

// take returns the views on the elections with these states: those that are
// known keep theirs. A new one is paused where the others are.
func (all views) take(states []*doctor.State, paused bool, now time.Time) (next views, changed bool) {
	for _, s := range states {
		if s == nil {
			continue
		}
		i := all.at(s.Path)
		if i < 0 {
			v := newView(s)
			if paused {
				v.paused = s
			}
			next, changed = append(next, v), true
			continue
		}
		v := all[i]
		next = append(next, v)
		if v.latest != s {
			v.take(s, now)
			changed = true
		}
	}
	if len(next) == 0 {
		return all, false
	}
	return next, changed || len(next) != len(all)
}
