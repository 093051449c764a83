package ui

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/viewport"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/candidates"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/wording"
)

// view is one of the elections watched, and where the user was in it: each
// keeps its own selection, filter and scrolling.
type view struct {
	path   string
	latest *doctor.State // the newest
	paused *doctor.State // what is shown while paused, else nil

	*candidates.List
	scroll          [panels]int
	doctor, servers viewport.Model // the texts in front of the panels

	handoff     *model.Handoff // the newest, and when it came
	handoffCame time.Time

	// asked is when the user wanted the servers asked, until they have
	// answered; zero: nobody waits.
	asked time.Time
}

// newView returns a view on an election.
func newView(s *doctor.State) *view {
	v := &view{path: s.Path, latest: s, handoff: wording.Newest(s), List: new(candidates.List)}
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

// takeHandoff notes that the newest handoff is another one than before.
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

// reselect takes the rows of the state on the screen.
func (v *view) reselect() { v.List.Reselect(v.shown()) }

// setViews takes the states of the elections watched. Those that are known
// keep their view; where the present one is gone, a neighbour is shown.
func (d *dashboard) setViews(states []*doctor.State) {
	if len(states) == 0 {
		return
	}
	at := max(0, slices.Index(d.views, d.view))
	views := make([]*view, 0, len(states))
	for _, s := range states {
		if s == nil {
			continue
		}
		i := slices.IndexFunc(d.views, func(v *view) bool { return v.path == s.Path })
		if i < 0 {
			v := newView(s)
			if d.view != nil && d.paused != nil {
				v.paused = s
			}
			views, d.dirty = append(views, v), true
			continue
		}
		v := d.views[i]
		views = append(views, v)
		if v.latest == s {
			continue
		}
		v.latest, d.dirty = s, true
		if v.paused == nil {
			v.takeHandoff(d.o.Now())
			if v == d.view {
				v.reselect()
			}
		}
	}
	if len(views) == 0 {
		return
	}
	if len(views) != len(d.views) {
		d.dirty = true
	}
	d.views = views
	if !slices.Contains(views, d.view) {
		d.show(views[min(at, len(views)-1)])
	}
	if i := d.viewOf(d.opening); i >= 0 {
		d.opening = ""
		d.show(views[i])
		d.home()
	}
}

// viewOf returns the index of the view on the election at path, -1 if it is
// not watched.
func (d *dashboard) viewOf(path string) int {
	if path == "" {
		return -1
	}
	return slices.IndexFunc(d.views, func(v *view) bool { return v.path == path })
}

// show brings a view to the screen.
func (d *dashboard) show(v *view) {
	if d.past.on && v != d.view {
		d.present() // the numbers of moments are one election's
		d.say(term.Muted, "live again: each election has its own past")
	}
	d.view, d.dirty = v, true
	if v.Rows.State != v.shown() {
		v.reselect() // it changed while another one was on the screen
	}
	d.over = overlayState{}
	d.input.SetValue(*d.typed())
	if d.mode == input.ModeInspect || d.mode == input.ModeDialog || slices.Contains(d.behind, input.ModeInspect) {
		d.question = nil // it was about the other election
		d.home()
	}
}

// turn shows the next election watched, or the one before.
func (d *dashboard) turn(by int) {
	if n := len(d.views); n > 1 {
		d.show(d.views[(slices.Index(d.views, d.view)+by+n)%n])
		return
	}
	d.say(term.Muted, "no other election is watched: e searches for some")
}
