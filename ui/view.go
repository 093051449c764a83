package ui

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/viewport"

	"electop/model"
	"electop/model/doctor"
)

// view is one of the elections watched, and where the user was in it: each
// keeps its own selection, filter and scrolling.
type view struct {
	path   string
	latest *doctor.State // the newest
	paused *doctor.State // what is shown while paused, else nil

	rows     rows
	selected ref
	index    int // of the selected row in rows
	stood    int // where it was last in the queue
	top      int // first contender in view
	page     int // how many were in view
	scroll   [panels]int
	filter   string
	// Of the grid of a zoomed crowd: the rows it has, and the first column in
	// view.
	gridRows, gridLeft int
	doctor, servers    viewport.Model // the texts in front of the panels

	handoff     *model.Handoff // the newest, and when it came
	handoffCame time.Time

	// asked is when the user wanted the servers asked, until they have
	// answered; zero: nobody waits.
	asked time.Time
}

// newView returns a view on an election.
func newView(s *doctor.State) *view {
	v := &view{path: s.Path, latest: s, handoff: newest(s)}
	v.reselect()
	return v
}

// unknown is the state of an election of which nothing is known.
func unknown() *doctor.State { return doctor.NewJournal(model.Config{}).State() }

func newest(s *doctor.State) *model.Handoff {
	if n := len(s.Handoffs); n > 0 {
		return s.Handoffs[n-1]
	}
	return nil
}

// shown is the state on the screen.
func (v *view) shown() *doctor.State {
	if v.paused != nil {
		return v.paused
	}
	return v.latest
}

// takeHandoff notes that the newest handoff is another one than before.
func (v *view) takeHandoff(now time.Time) {
	h := newest(v.latest)
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

// reselect rebuilds the rows and finds the selected one again. If it is gone,
// whatever stands in its place is selected: in the queue, for one that lost its
// znode first and then went.
func (v *view) reselect() {
	homeless := v.index >= v.rows.queued()
	v.rows = newRows(v.shown(), v.filter)
	if i := v.rows.find(v.selected, v.index); i >= 0 {
		v.index = i
		v.selected = v.rows.at(i).ref() // a member may have another znode now
		if i < v.rows.queued() {
			v.stood = i
		}
		return
	}
	if homeless {
		v.selectRow(v.stood)
		return
	}
	v.selectRow(v.index)
}

// selectRow selects row i, or the nearest there is.
func (v *view) selectRow(i int) {
	v.index = max(0, min(i, v.rows.len()-1))
	if v.rows.len() == 0 {
		// Keep the identity: it may come back, as after a lost connection or
		// under another filter.
		return
	}
	v.selected = v.rows.at(v.index).ref()
	v.stood = v.index
}

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
		d.say(styleMuted, "live again: each election has its own past")
	}
	d.view, d.dirty = v, true
	if v.rows.state != v.shown() {
		v.reselect() // it changed while another one was on the screen
	}
	d.over = overlayState{}
	d.input.SetValue(*d.typed())
	if d.mode == modeInspect || d.mode == modeDialog || slices.Contains(d.behind, modeInspect) {
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
	d.say(styleMuted, "no other election is watched: e looks for some")
}
