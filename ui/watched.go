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

type watched struct {
	*view                     // the view on the screen
	views   []*view           // all views, in the order of the source
	search  *elections.Search // the last search, nil before the first
	opening string            // path of the election to show as soon as that election is watched
	heldAt  time.Time         // when the views were last paused or continued
}

func (w *watched) at(path string) int {
	if path == "" {
		return -1
	}
	return slices.IndexFunc(w.views, func(v *view) bool { return v.path == path })
}

// store updates, adds and removes views. If the view on the screen is not among them, instead is the next to show.
func (w *watched) store(states []*doctor.State) (instead *view, changed bool) {
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

func (w *watched) hold(on bool, now time.Time) {
	w.heldAt = now
	for _, v := range w.views {
		if v.paused = nil; on {
			v.paused = v.latest
		}
	}
}

func (w *watched) endVerify(now time.Time) (st term.Style, text string) {
	for _, v := range w.views {
		if v.verifying.IsZero() {
			continue
		}
		answered := detail.AnswersWatches(v.latest.Table, v.verifying)
		if !answered && now.Sub(v.verifying) < verifyTimeout {
			continue
		}
		v.verifying = time.Time{}
		switch {
		case v != w.view:
		case answered:
			st, text = detail.WatchSummary(v.latest)
		default:
			st, text = term.Trouble, "the servers did not report who watches what"
		}
	}
	return st, text
}

type view struct {
	path   string
	latest *doctor.State
	paused *doctor.State // shown instead of latest in a pause or in time travel, otherwise nil

	candidates candidates.Panel
	filtered   string // filter at the last Reselect
	handoffs   leadership.Handoffs
	messages   messages.Panel
	details    mainscreen.Details

	verifying time.Time // when action.Verify began; zero: no answer is pending
}

func (v *view) shown() *doctor.State {
	if v.paused != nil {
		return v.paused
	}
	return v.latest
}

func (v *view) reselect() {
	if p := &v.candidates; p.Rows.State != v.shown() || v.filtered != p.Filter || p.Selected != p.Row().Ref() {
		v.filtered = p.Filter
		p.Reselect(v.shown())
	}
}

// row returns the candidate's row, even if the filter hides that row.
func (v *view) row(id model.Ref) model.Row {
	all := candidates.List{State: v.shown(), NoZnode: v.shown().WithoutZnode()}
	return all.At(all.Find(id, v.candidates.Index))
}

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

func (d *dashboard) setViews(states []*doctor.State) {
	instead, changed := d.store(states)
	if !changed {
		return
	}
	d.dirty = true
	if instead != nil {
		d.show(instead)
	}
	d.showOpened(d.opening)
}

func (d *dashboard) show(v *view) {
	if d.past.journey.On && v != d.view {
		d.past.end() // the numbers of moments are valid in one election only
		d.modes.SetBase(d.past.mode())
		d.report(term.Muted, "live again: each election has its own past")
	}
	d.view = v
	d.dirty = true
	d.typed.Set(*d.filter())
	if d.modes.Now() == input.ModeDialog {
		d.question = nil // the question was about the former election
		d.modes.CloseAll()
	}
}

func (d *dashboard) chooseElection() tea.Cmd {
	d.modes.Open(input.ModeElections)
	d.elections.Selected = d.path
	if d.search != nil {
		return nil
	}
	a, why := d.action(action.Discover, "")
	if why != "" {
		return nil // the list shows why
	}
	return d.begin(a, model.Row{})
}

// reportListing reports that the list of elections was opened or closed. Only an open list needs repeated searches.
func (d *dashboard) reportListing() tea.Cmd {
	on := d.modes.Has(input.ModeElections)
	if on == d.listing || d.search == nil || d.o.Actions == nil {
		return nil
	}
	d.listing = on
	return d.doer.cmd(action.Action{Kind: action.Listing, Election: d.path, Arg: action.Toggle(!on)}, "", model.Ref{})
}

func (d *dashboard) openElection() tea.Cmd {
	r := d.elections.Row()
	if r == nil {
		d.refuse("open", "no election is selected. j and k select one")
		return nil
	}
	d.opening = r.Path
	if d.showOpened(r.Path) {
		return nil
	}
	a := action.Action{Kind: action.Open, Election: d.path, Target: r.Path}
	name := znode.Safe(r.Path, 0)
	if why := d.situation().Refuses(a); why != "" {
		d.opening = ""
		d.refuse("open "+name, why)
		return nil
	}
	d.report(term.Muted, "opening "+name)
	return d.doer.cmd(a, name, model.Ref{})
}

func (d *dashboard) showOpened(path string) bool {
	i := d.at(path)
	if i < 0 || d.opening != path {
		return false
	}
	d.opening = ""
	d.show(d.views[i])
	d.modes.CloseAll()
	return true
}
