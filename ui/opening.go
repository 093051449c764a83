package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// updateElections brings the list of elections up to date.
func (d *dashboard) updateElections() {
	watched := make([]elections.Watched, 0, len(d.views))
	for _, v := range d.views {
		watched = append(watched, elections.Watched{Path: v.path, State: v.shown(), Front: v == d.view})
	}
	d.elections.Update(watched, d.walk)
}

// electionsPanel is the screen of elections as it is now.
func (d *dashboard) electionsPanel() *elections.Panel {
	d.updateElections()
	_, why := d.action(Discover, "")
	return &elections.Panel{List: &d.elections, Watched: len(d.views), Walk: d.walk, Why: why, Running: d.paused == nil && !d.ended}
}

// choose opens the screen, and has elections looked for where nobody has yet.
func (d *dashboard) choose() tea.Cmd {
	d.enter(input.ModeElections)
	d.elections.Selected = d.path
	if d.walk != nil {
		return nil
	}
	a, why := d.action(Discover, "")
	if why != "" {
		return nil // the screen says so itself
	}
	d.begun(a)
	return d.doer.cmd(a, "", rows.Ref{})
}

// open shows the selected election, and has it watched if it is not yet.
func (d *dashboard) open() tea.Cmd {
	d.updateElections()
	if len(d.elections.Rows) == 0 {
		d.say(term.Trouble, "open: no election is selected")
		return nil
	}
	r := d.elections.Rows[d.elections.Index]
	if i := d.viewOf(r.Path); i >= 0 {
		d.opening = ""
		d.show(d.views[i])
		d.home()
		return nil
	}
	a := Action{Kind: Open, Election: d.path, Target: r.Path}
	name := znode.Safe(r.Path, 0)
	if why := d.refuses(a); why != "" {
		d.say(term.Trouble, "open "+name+": "+why)
		return nil
	}
	d.opening = r.Path
	d.say(term.Muted, "opening "+name)
	return d.doer.cmd(a, name, rows.Ref{})
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
