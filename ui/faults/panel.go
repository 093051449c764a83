package faults

import (
	"slices"

	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// Fault is one of the list: what would be done, the key that does it at once,
// and why it cannot be done now, "" if it can.
type Fault struct {
	Action action.Action
	Key    string
	Why    string
}

// Panel is the list of what can be done to one candidate. It keeps which fault
// is selected.
type Panel struct {
	Shown
	Of    rows.Ref // the candidate
	index int
}

// Open opens the list for a candidate. What was selected stays selected for the
// same one.
func (v *Panel) Open(of rows.Ref) {
	if v.Of != of {
		*v = Panel{Of: of}
	}
}

// Move moves the selection.
func (v *Panel) Move(do input.Command) {
	n := len(action.Faults())
	v.index = input.Moved(do, v.index, n-1, n)
}

// Click selects the fault at a spot, and reports whether it was selected already.
func (v *Panel) Click(spot any) (again bool) {
	kind, ok := spot.(action.Kind)
	if !ok {
		return false
	}
	again = v.Kind() == kind
	v.index = max(0, slices.Index(action.Faults(), kind))
	return again
}

// Kind is the selected fault.
func (v *Panel) Kind() action.Kind { return action.Faults()[v.index] }

// Shown is what the list shows.
type Shown struct {
	Row       rows.Row
	Faults    []Fault     // in the order of [action.Faults]
	Wanted    action.Kind // the one that a lesson asks for, "" for none
	Elsewhere string      // the candidate that a lesson is about instead, "" for none
}

// Settle takes what to show.
func (v *Panel) Settle(x Shown) { v.Shown = x }

// Draw draws the list, and below it more about the selected one.
func (v Panel) Draw(f *term.Frame) {
	const wide, name = 84, 12
	x, r := &v.Shown, v.Row
	inside := min(f.W-4, wide) - 2
	selected, refused := x.Faults[v.index].Action, x.Faults[v.index].Why
	shows := action.WordsFor(selected, "").Shows
	more := term.Wrap(shows, inside-2)
	st := term.Text
	if r.Ref() == (rows.Ref{}) {
		more, st = term.Wrap("This candidate is gone: its znode was deleted, and it is not electop's.", inside-2), term.Trouble
	} else if refused != "" {
		more = append(term.Wrap("Not now: "+refused, inside-2), more...)
	}
	if to := x.Elsewhere; to != "" {
		more, st = term.Wrap("The lesson is about "+to+": esc, and select it first.", inside-2), term.Lead
	}
	title := "Faults of " + r.Name()
	if r.Ref() == (rows.Ref{}) {
		title = "Faults"
	}
	n := len(x.Faults) + 1 + len(more)
	place := term.InFront(f.W, f.H, wide, n)
	f.Blank(place)
	a := f.Box(place, title, true)
	for i := range n {
		p := a.Pen(i)
		switch {
		case i < len(x.Faults):
			a.Spot(i, x.Faults[i].Action.Kind)
			a, why := x.Faults[i].Action, x.Faults[i].Why
			mark, key, pointing := " ", x.Faults[i].Key, term.Strong
			if i == v.index {
				mark = f.Theme.Glyph.Selected
				p.Choose()
			}
			if x.Wanted == a.Kind && i != v.index {
				mark, pointing = f.Theme.Glyph.Pointed, term.Lead
			}
			said := action.WordsFor(a, "")
			text := said.Is
			keys, label, words := term.Key, term.Strong, term.Text
			switch {
			case x.Wanted == a.Kind && why == "":
				label = term.Lead // it is to be done
			case why != "":
				keys, label, words = term.Faint, term.Faint, term.Faint
				if why != refused {
					text = why // else it stands below the list
				}
			case a.Arg == action.ArgOff || a.Kind == action.LoseReply && r.Member != nil && r.Member.LosesReply:
				label = term.Lead // it is so now
			}
			p.Text(pointing, mark).Gap(1).Text(keys, key).Gap(2).Fit(name, label, said.Verb).Gap(1).Fit(p.Room()-1, words, text)
		case i > len(x.Faults):
			p.Gap(1).Text(st, more[i-len(x.Faults)-1])
		}
	}
}
