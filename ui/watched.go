package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/candidates"
	"electop/ui/detail"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/leadership"
	"electop/ui/mainscreen"
	"electop/ui/messages"
	"electop/ui/term"
)

// watched are the elections that are watched, and the last search for others. One of
// them is on the screen.
type watched struct {
	*view
	views []*view           // in the order of the source
	walk  *elections.Search // nil: nobody searched
	// opening is the path of an election to be shown once it is watched.
	opening string
	heldAt  time.Time // when the pictures were last held, or let go
}

// at returns the index of the view on the election at path, -1 if it is not watched.
func (w *watched) at(path string) int {
	if path == "" {
		return -1
	}
	return slices.IndexFunc(w.views, func(v *view) bool { return v.path == path })
}

// take takes the present states, and reports whether any is new. The elections that are known
// keep their views; a new one is paused where the others are. Where the view that is on the
// screen is gone, instead is its neighbour, to be shown.
func (w *watched) take(states []*doctor.State) (instead *view, changed bool) {
	var next []*view
	for _, s := range states {
		if s == nil {
			continue
		}
		i := w.at(s.Path)
		if i < 0 {
			v := &view{path: s.Path, latest: s}
			if w.view != nil && w.paused != nil {
				v.paused = s
			}
			next, changed = append(next, v), true
			continue
		}
		v := w.views[i]
		next = append(next, v)
		if v.latest != s {
			v.latest, changed = s, true
		}
	}
	if len(next) == 0 || !changed && len(next) == len(w.views) {
		return nil, false
	}
	at := max(0, slices.Index(w.views, w.view))
	w.views = next
	if !slices.Contains(next, w.view) {
		return next[min(at, len(next)-1)], true
	}
	return nil, true
}

// hold holds the pictures of all elections, or lets them go.
func (w *watched) hold(on bool, now time.Time) {
	w.heldAt = now
	for _, v := range w.views {
		if v.paused = nil; on {
			v.paused = v.latest
		}
	}
}

// unasked ends the wait for the servers' answers for the election at path.
func (w *watched) unasked(path string) {
	if i := w.at(path); i >= 0 {
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
		came := detail.AskedForWatches(v.latest.Table, v.asked)
		if !came && now.Sub(v.asked) < verifyWait {
			continue
		}
		v.asked = time.Time{}
		switch {
		case v != w.view:
		case came:
			st, text = detail.WatchSummary(v.latest)
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

// view is one of the elections watched, and where the user was in it: each
// keeps its own selection, filter and scrolling.
type view struct {
	path   string
	latest *doctor.State // the newest
	paused *doctor.State // what is shown while paused, else nil

	candidates candidates.Panel
	filtered   string // the filter of their rows
	handoffs   leadership.Handoffs
	messages   messages.Panel
	texts      mainscreen.Texts

	// asked is when the user wanted the servers asked, until they have
	// answered; zero: nobody waits.
	asked time.Time
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

// reselect takes the rows of the state on the screen, if it, the filter or what is selected
// is another one.
func (v *view) reselect() {
	if p := &v.candidates; p.Rows.State != v.shown() || v.filtered != p.Filter || p.Selected != p.Row().Ref() {
		v.filtered = p.Filter
		p.Reselect(v.shown())
	}
}

// row returns the row with that identity, an empty one if it is gone. The
// filter does not hide it.
func (v *view) row(id model.Ref) model.Row {
	all := candidates.List{State: v.shown(), NoZnode: v.shown().WithoutZnode()}
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

// setViews takes the states of the elections watched. Where the present one is
// gone, a neighbour is shown.
func (d *dashboard) setViews(states []*doctor.State) {
	instead, changed := d.take(states)
	if !changed {
		return
	}
	d.dirty = true
	if instead != nil {
		d.show(instead)
	}
	d.opened(d.opening)
}

// show brings a view to the screen.
func (d *dashboard) show(v *view) {
	if d.past.journey.On && v != d.view {
		d.past.present() // the numbers of moments are one election's
		d.modes.SetBase(d.past.ground())
		d.say(term.Muted, "live again: each election has its own past")
	}
	d.view = v
	d.dirty = true
	d.typed.Set(*d.filter())
	if d.modes.Now() == input.ModeDialog {
		d.question = nil // it was about the other election
		d.modes.CloseAll()
	}
}

// choose opens the screen of elections, and has them searched for the first time.
func (d *dashboard) choose() tea.Cmd {
	d.modes.Open(input.ModeElections)
	d.elections.Selected = d.path
	if d.walk != nil {
		return nil
	}
	a, why := d.action(action.Discover, "")
	if why != "" {
		return nil // the screen says so itself
	}
	return d.begin(a, model.Row{})
}

// tellListing tells that the list of elections came on the screen or left it: only while it
// is there, it is searched again.
func (d *dashboard) tellListing() tea.Cmd {
	on := d.modes.Has(input.ModeElections)
	if on == d.listing || d.walk == nil || d.o.Actions == nil {
		return nil
	}
	d.listing = on
	return d.doer.cmd(action.Action{Kind: action.Listing, Election: d.path, Arg: action.Toggle(!on)}, "", model.Ref{})
}

// open shows the selected election, and has it watched if it is not yet.
func (d *dashboard) open() tea.Cmd {
	r := d.elections.Row()
	if r == nil {
		d.refuse("open", "no election is selected. j and k select one")
		return nil
	}
	d.opening = r.Path
	if d.opened(r.Path) {
		return nil
	}
	a := action.Action{Kind: action.Open, Election: d.path, Target: r.Path}
	name := znode.Safe(r.Path, 0)
	if why := d.situation().Refuses(a); why != "" {
		d.opening = ""
		d.refuse("open "+name, why)
		return nil
	}
	d.say(term.Muted, "opening "+name)
	return d.doer.cmd(a, name, model.Ref{})
}

// opened shows the election that the user wanted to open, if it is watched by
// now, and reports whether it is.
func (d *dashboard) opened(path string) bool {
	i := d.at(path)
	if i < 0 || d.opening != path {
		return false
	}
	d.opening = ""
	d.show(d.views[i])
	d.modes.CloseAll()
	return true
}
