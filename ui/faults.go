package ui

import (
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/faults"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// openFaults opens the list of what can be done to the selected candidate.
func (d *dashboard) openFaults() {
	r := d.looked()
	if r.Ref() == (rows.Ref{}) {
		d.say(term.Trouble, "faults: no candidate is selected")
		return
	}
	d.faults.Open(r.Ref())
	d.modes.Open(input.ModeFaults)
}

// looked is the row that the user looks at: the one inspected, or the one selected.
func (d *dashboard) looked() rows.Row {
	if d.modes.Now() == input.ModeInspect {
		return d.row(d.over.of)
	}
	return d.candidates.Row()
}

// faultsShown is what the list of faults shows now.
func (d *dashboard) faultsShown() faults.Shown {
	x := faults.Shown{Row: d.meant(Kill)}
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
	asked := Kind(d.course.View.Fault)
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
