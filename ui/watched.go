package ui

import (
	"slices"
	"time"

	"electop/model/doctor"
	"electop/ui/detail"
	"electop/ui/elections"
	"electop/ui/term"
)

// watched are the elections that are watched, and the last search for others. One of
// them is on the screen.
type watched struct {
	*view
	views views
	walk  *elections.Walk // nil: nobody searched
	// opening is the path of an election to be shown once it is watched.
	opening string
	heldAt  time.Time // when the pictures were last held, or let go
}

// take takes the present states, and reports whether any is new. Where the view that is
// on the screen is gone, instead is its neighbour, to be shown.
func (w *watched) take(states []*doctor.State, now time.Time) (instead *view, changed bool) {
	at := max(0, slices.Index(w.views, w.view))
	next, changed := w.views.take(states, w.view != nil && w.paused != nil, now)
	if !changed {
		return nil, false
	}
	w.views = next
	if !slices.Contains(next, w.view) {
		return next[min(at, len(next)-1)], true
	}
	if w.candidates.Rows.State != w.shown() {
		w.reselect()
	}
	return nil, true
}

// turnTo brings a view to the screen.
func (w *watched) turnTo(v *view) {
	w.view = v
	if v.candidates.Rows.State != v.shown() {
		v.reselect() // it changed while another one was on the screen
	}
}

// hold holds the pictures of all elections, or lets them go.
func (w *watched) hold(on bool, now time.Time) {
	w.heldAt = now
	for _, v := range w.views {
		v.hold(on, now)
	}
	w.reselect()
}

// unasked ends the wait for the servers' answers for the election at path.
func (w *watched) unasked(path string) {
	if i := w.views.at(path); i >= 0 {
		w.views[i].asked = time.Time{}
	}
}

// heard ends the wait for the servers' answers where they came, or never will, and returns
// what is to be said of them for the election on the screen, "" for nothing.
func (w *watched) heard(now time.Time) (st term.Style, text string) {
	for _, v := range w.views {
		if v.asked.IsZero() {
			continue
		}
		came := detail.Heard(v.latest.Table, v.asked)
		if !came && now.Sub(v.asked) < verifyWait {
			continue
		}
		v.asked = time.Time{}
		switch {
		case v != w.view:
		case came:
			st, text = detail.Verdict(v.latest)
		default:
			st, text = term.Trouble, "the servers did not tell who watches what"
		}
	}
	return st, text
}

// listed are the watched ones as the screen of elections lists them.
func (w *watched) listed() []elections.Watched {
	var out []elections.Watched
	for _, v := range w.views {
		out = append(out, elections.Watched{Path: v.path, State: v.shown(), Front: v == w.view})
	}
	return out
}
