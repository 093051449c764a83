package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/faults"
	"electop/ui/input"
	"electop/ui/palette"
	"electop/ui/rows"
)

// openFaults opens the list of what can be done to the selected candidate.
func (d *dashboard) openFaults() {
	r := d.candidates.Row()
	if r.Ref() == (rows.Ref{}) {
		d.refuse("list faults", action.NoneSelected)
		return
	}
	d.faults.Open(r.Ref())
	d.modes.Open(input.ModeFaults)
}

// faultsShown is what the list of faults shows now.
func (d *dashboard) faultsShown() faults.Shown {
	x := faults.Shown{Row: d.meant()}
	for _, kind := range action.Faults() {
		one := faults.Fault{Key: " "}
		one.Action, one.Why = d.action(kind, "")
		for _, b := range d.table {
			if b.Kind == kind && b.Modes&input.ModeFaults != 0 {
				one.Key = b.Help().Key
			}
		}
		x.Faults = append(x.Faults, one)
	}
	asked := action.Kind(d.course.View.Fault)
	if !d.lesson().Todo() || asked == "" {
		return x
	}
	// A lesson asks for a fault of one candidate.
	if to := rows.Member(d.shown(), d.course.Target()); to != nil && x.Row.Member != to {
		x.Elsewhere = znode.Safe(to.Name, rows.NameMax)
	} else {
		x.Wanted = asked
	}
	return x
}

// paletteShown is what the list shows now.
func (d *dashboard) paletteShown() palette.Shown {
	k := palette.Keys{Table: d.table, Below: d.modes.Below(), Lesson: d.lesson() != nil, ReadOnly: d.o.ObserveOnly, Clusters: d.o.Clusters, Action: d.action}
	return palette.Shown{All: k.Entries(), Typed: d.typed.Text(), At: d.typed.At()}
}

// run does what is selected in the list, or says why it can't be done.
func (d *dashboard) run() tea.Cmd {
	e, ok := d.palette.Selected()
	switch {
	case !ok:
		return nil
	case e.Do == input.CmdCluster:
		d.o.Turn(e.Arg)
		return tea.Quit
	case e.Kind == "":
		d.modes.Close()
		return d.command(e.Do, tea.KeyMsg{})
	}
	a, why := d.action(e.Kind, e.Arg)
	if why == "" {
		d.modes.Close() // what comes of it is to be seen
		if e.In != 0 {
			d.modes.Open(e.In)
		}
	}
	return d.try(a, why, d.meant())
}
