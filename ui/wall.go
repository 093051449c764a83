package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
)

// wall is the screen of elections: those watched, and those that a search
// found. The selection is a path, as everywhere an identity.
type wall struct {
	filter   string
	selected string
	rows     []wallRow
	index    int // of the selected row
	top      int // first line in view
	page     int // how many were in view

	of    *Walk // that found is of
	found []FoundElection
}

// wallRow is an election on that screen: one that is watched, with its number
// among them, or one that was found.
type wallRow struct {
	path   string
	view   *view
	number int
	found  *FoundElection
}

// wallRows brings the rows of the screen up to date and finds the selected one
// again.
func (d *dashboard) wallRows() {
	w := &d.wall
	if w.of != d.walk {
		w.of, w.found = d.walk, nil
		if d.walk != nil {
			w.found = slices.Clone(d.walk.Found)
			slices.SortStableFunc(w.found, func(a, b FoundElection) int { return cmp.Compare(a.Path, b.Path) })
		}
	}
	want := strings.ToLower(w.filter)
	passes := func(texts ...string) bool {
		if want == "" {
			return true
		}
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), want) })
	}
	w.rows = w.rows[:0]
	watched := make(map[string]bool, len(d.views))
	for i, v := range d.views {
		watched[v.path] = true
		if s := v.shown(); passes(v.path, system(s), label(s.Leader())) {
			w.rows = append(w.rows, wallRow{path: v.path, view: v, number: i + 1})
		}
	}
	for i := range w.found {
		if e := &w.found[i]; !watched[e.Path] && passes(e.Path, e.System, e.Leader) {
			w.rows = append(w.rows, wallRow{path: e.Path, found: e})
		}
	}
	if i := slices.IndexFunc(w.rows, func(r wallRow) bool { return r.path == w.selected }); i >= 0 {
		w.index = i
		return
	}
	w.selectRow(w.index)
}

func (w *wall) selectRow(i int) {
	w.index = max(0, min(i, len(w.rows)-1))
	if len(w.rows) > 0 {
		w.selected = w.rows[w.index].path
	}
}

func (w *wall) move(do command) { w.selectRow(moved(do, w.index, len(w.rows)-1, w.page)) }

// choose opens the screen, and has elections looked for where nobody has yet.
func (d *dashboard) choose() tea.Cmd {
	d.enter(modeElections)
	d.wall.selected = d.path
	if d.walk != nil {
		return nil
	}
	a, why := d.action(Discover)
	if why != "" {
		return nil // the screen says so itself
	}
	d.begun(a)
	return d.doer.cmd(a, "", ref{})
}

// open shows the selected election, and has it watched if it is not yet.
func (d *dashboard) open() tea.Cmd {
	d.wallRows()
	if len(d.wall.rows) == 0 {
		d.say(styleTrouble, "open: no election is selected")
		return nil
	}
	r := d.wall.rows[d.wall.index]
	if r.view != nil {
		d.opening = ""
		d.show(r.view)
		d.home()
		return nil
	}
	a := Action{Kind: Open, Election: d.path, Target: r.path}
	name := znode.Safe(r.path, 0)
	if why := d.refuses(a); why != "" {
		d.say(styleTrouble, "open "+name+": "+why)
		return nil
	}
	d.opening = r.path
	d.say(styleMuted, "opening "+name)
	return d.doer.cmd(a, name, ref{})
}

// opened shows an election that is watched now. Its first state may be on the
// way.
func (d *dashboard) opened(path string) {
	if i := d.viewOf(path); i >= 0 && d.opening == path {
		d.opening = ""
		d.show(d.views[i])
		d.home()
	}
}
