package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/term"
)

// A part is a list or a text in front of the panels, with what is selected or in
// view of it.
type part interface {
	Move(input.Command)
	// Click selects what is at a spot, and reports whether it was selected already.
	Click(spot any) (again bool)
	Draw(*term.Frame)
}

// inFront is the mode that the keyboard is in, what is in front of the panels, and what is
// typed there.
type inFront struct {
	of   *watched
	menu *overlay.List // of the lessons

	modes     input.Stack
	elections elections.Panel // the screen of elections
	faults    overlay.List
	faultsOf  model.Ref // the candidate that they are done to
	palette   overlay.List
	join      overlay.Panel
	help      overlay.Panel
	helpAll   bool          // not only of the mode behind it
	typed     overlay.Typed // a filter, or what narrows the list of actions
}

// part returns the list or text in front of the panels, nil for none.
func (x *inFront) part() part {
	switch x.modes.Front() {
	case input.ModeElections:
		return &x.elections
	case input.ModeLessons:
		return x.menu
	case input.ModePalette:
		return &x.palette
	case input.ModeFaults:
		return &x.faults
	case input.ModeHelp:
		return &x.help
	case input.ModeJoin:
		return &x.join
	}
	return nil
}

// meant is the row that an action is about.
func (x *inFront) meant() model.Row {
	if x.modes.Front() == input.ModeFaults {
		return x.of.row(x.faultsOf)
	}
	return x.of.candidates.Row()
}

// filter is the filter that the keyboard changes: of the elections, or of the
// candidates of the one on the screen.
func (x *inFront) filter() *string {
	if x.modes.Front() == input.ModeElections {
		return &x.elections.Filter
	}
	return &x.of.candidates.Filter
}

// setFilter makes text that filter.
func (x *inFront) setFilter(text string) {
	x.typed.Set(text)
	*x.filter() = text
}

// edit changes what is typed as a key says.
func (x *inFront) edit(msg tea.KeyMsg) {
	x.typed.Edit(msg)
	if x.modes.Now() == input.ModePalette {
		x.palette.Narrow()
		return
	}
	*x.filter() = x.typed.Text()
}

// back clears the filter or closes what is in front, and reports whether there was
// either.
func (x *inFront) back() bool {
	switch mode := x.modes.Now(); {
	case mode == input.ModeFilter:
		x.setFilter("")
		x.modes.Close()
	case mode == input.ModeElections && x.elections.Filter != "":
		x.setFilter("")
	case mode != input.ModeNormal:
		x.of.opening = ""
		x.modes.Close()
	case x.of.candidates.Filter != "":
		x.setFilter("")
	default:
		return false
	}
	return true
}
