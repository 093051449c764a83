package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/faults"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// faultMenu is the list of what can be done to the selected candidate.
type faultMenu struct {
	of    rows.Ref // whom it is about
	Index int      // of the selected one in the list
}

// fault opens the list, or does what is selected in it.
func (d *dashboard) fault(do input.Command) tea.Cmd {
	if do == input.CmdDoFault {
		return d.act(action.Faults()[d.faults.Index], "")
	}
	r := d.Rows.At(d.Index)
	if d.mode == input.ModeInspect {
		r = d.inspected()
	}
	if r.Ref() == (rows.Ref{}) {
		d.say(term.Trouble, "faults: no candidate is selected")
		return nil
	}
	if d.faults.of != r.Ref() {
		d.faults = faultMenu{of: r.Ref()}
	}
	d.enter(input.ModeFaults)
	return nil
}

// move moves the selection.
func (m *faultMenu) move(do input.Command) {
	m.Index = input.Moved(do, m.Index, len(action.Faults())-1, 5)
}

// wanted is the fault that the student of a lesson is to choose, "" for none.
func (d *dashboard) wanted() Kind {
	if !d.todo() || d.meantElsewhere() != "" {
		return ""
	}
	for _, k := range action.Faults() {
		if string(k) == d.course.View.Fault {
			return k
		}
	}
	return ""
}

// meantElsewhere names the candidate whose fault the student of a lesson is to
// choose, where the list is that of another; "" else.
func (d *dashboard) meantElsewhere() string {
	to := rows.Member(d.shown(), d.pointedAt())
	if to == nil || d.course.View.Fault == "" || d.meant(Kill).Member == to {
		return ""
	}
	return znode.Safe(to.Name, rows.NameMax)
}

// faultsPanel is the list of faults as it is now.
func (d *dashboard) faultsPanel() *faults.Panel {
	v := &faults.Panel{Row: d.meant(Kill), Index: d.faults.Index, Wanted: d.wanted(), Elsewhere: d.meantElsewhere()}
	for _, kind := range action.Faults() {
		x := faults.Fault{Key: " "}
		x.Action, x.Why = d.action(kind, "")
		for _, b := range d.table {
			if b.Kind == kind && b.Modes&input.ModeFaults != 0 {
				x.Key = b.Help().Key
			}
		}
		v.Faults = append(v.Faults, x)
	}
	return v
}
