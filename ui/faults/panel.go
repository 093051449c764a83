package faults

import (
	"electop/ui/action"
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

// Panel is the list of what can be done to one candidate.
type Panel struct {
	Row       rows.Row
	Faults    []Fault
	Index     int         // of the selected one
	Wanted    action.Kind // the one that a lesson asks for, "" for none
	Elsewhere string      // the candidate that a lesson is about instead, "" for none
}

// Draw draws the list, and below it more about the selected one.
func (v *Panel) Draw(f *term.Frame) {
	const wide, name = 84, 12
	r := v.Row
	inside := min(f.W-4, wide) - 2
	selected, refused := v.Faults[v.Index].Action, v.Faults[v.Index].Why
	shows := action.WordsFor(selected, "").Shows
	more := term.Wrap(shows, inside-2)
	st := term.Text
	if r.Ref() == (rows.Ref{}) {
		more, st = term.Wrap("This candidate is gone: its znode was deleted, and it is not electop's.", inside-2), term.Trouble
	} else if refused != "" {
		more = append(term.Wrap("Not now: "+refused, inside-2), more...)
	}
	if to := v.Elsewhere; to != "" {
		more, st = term.Wrap("The lesson is about "+to+": esc, and select it first.", inside-2), term.Lead
	}
	title := "Faults of " + r.Name()
	if r.Ref() == (rows.Ref{}) {
		title = "Faults"
	}
	n := len(v.Faults) + 1 + len(more)
	place := term.InFront(f.W, f.H, wide, n)
	f.Blank(place)
	a := f.Box(place, title, true)
	for i := range n {
		p := a.Pen(i)
		switch {
		case i < len(v.Faults):
			a, why := v.Faults[i].Action, v.Faults[i].Why
			mark, key, pointing := " ", v.Faults[i].Key, term.Strong
			if i == v.Index {
				mark = f.Theme.Glyph.Selected
				p.Choose()
			}
			if v.Wanted == a.Kind && i != v.Index {
				mark, pointing = f.Theme.Glyph.Pointed, term.Lead
			}
			said := action.WordsFor(a, "")
			text := said.Is
			keys, label, words := term.Key, term.Strong, term.Text
			switch {
			case v.Wanted == a.Kind && why == "":
				label = term.Lead // it is to be done
			case why != "":
				keys, label, words = term.Faint, term.Faint, term.Faint
				if why != refused {
					text = why // else it stands below the list
				}
			case a.Arg != "" && a.Arg == action.Of(a.Kind).UndoArg || a.Kind == action.LoseReply && r.Member != nil && r.Member.LosesReply:
				label = term.Lead // it is so now
			}
			p.Text(pointing, mark).Gap(1).Text(keys, key).Gap(2).Fit(name, label, said.Verb).Gap(1).Fit(p.Room()-1, words, text)
		case i > len(v.Faults):
			p.Gap(1).Text(st, more[i-len(v.Faults)-1])
		}
	}
}
