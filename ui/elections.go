package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// setViews takes the states of the elections watched. Where the present one is
// gone, a neighbour is shown.
func (d *dashboard) setViews(states []*doctor.State) {
	instead, changed := d.take(states, d.o.Now())
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
		d.modes.Ground(d.past.ground())
		d.say(term.Muted, "live again: each election has its own past")
	}
	d.turnTo(v)
	d.dirty = true
	d.typed.Set(*d.filter())
	if d.modes.Now() == input.ModeDialog {
		d.question = nil // it was about the other election
		d.modes.Home()
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
	return d.begin(a, rows.Row{})
}

// tellListing tells that the list of elections came on the screen or left it: only while it
// is there, it is searched again.
func (d *dashboard) tellListing() tea.Cmd {
	on := d.modes.Has(input.ModeElections)
	if on == d.listing || d.walk == nil || d.o.Actions == nil {
		return nil
	}
	d.listing = on
	return d.doer.cmd(action.Action{Kind: action.Listing, Election: d.path, Arg: action.Unless(!on)}, "", rows.Ref{})
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
	return d.doer.cmd(a, name, rows.Ref{})
}

// opened shows the election that the user wanted to open, if it is watched by
// now, and reports whether it is.
func (d *dashboard) opened(path string) bool {
	i := d.views.at(path)
	if i < 0 || d.opening != path {
		return false
	}
	d.opening = ""
	d.show(d.views[i])
	d.modes.Home()
	return true
}
