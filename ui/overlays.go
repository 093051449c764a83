package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/ui/elections"
	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/term"
)

// window is a list or a text in front of the panels.
type window interface {
	Move(input.Command)
	// Click selects the row with the clicked spot, if there is one, and reports whether it was selected already.
	Click(spot any) (again bool)
	Draw(*term.Frame)
}

type overlays struct {
	watched *watched
	menu    *overlay.List // list of lessons

	modes     input.Stack
	elections elections.Panel
	faults    overlay.List
	faultsOf  model.Ref
	palette   overlay.List // list of actions
	join      overlay.Panel
	help      overlay.Panel
	helpAll   bool          // the help has the keys of all modes
	typed     overlay.Typed // the text for a filter or for the search in the list of actions
}

func (x *overlays) window() window {
	switch x.modes.Front() {
	case input.ModeElections:
		return &x.elections
	case input.ModeLessonMenu:
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

func (x *overlays) target() model.Row {
	if x.modes.Front() == input.ModeFaults {
		return x.watched.row(x.faultsOf)
	}
	return x.watched.candidates.Row()
}

func (x *overlays) openHelp() {
	x.help.From(0)
	x.helpAll = x.modes.Now() == input.ModeHelp && !x.helpAll
	x.modes.Open(input.ModeHelp)
}

func (x *overlays) filter() *string {
	if x.modes.Front() == input.ModeElections {
		return &x.elections.Filter
	}
	return &x.watched.candidates.Filter
}

func (x *overlays) edit(msg tea.KeyMsg) {
	x.typed.Edit(msg)
	x.applyTyped()
}

func (x *overlays) erase() {
	x.typed.Set("")
	x.applyTyped()
}

func (x *overlays) applyTyped() {
	if x.modes.Now() == input.ModePalette {
		x.palette.Narrow()
		return
	}
	*x.filter() = x.typed.Text()
}

func (x *overlays) back() bool {
	switch mode := x.modes.Now(); {
	case mode == input.ModeFilter:
		x.erase()
		x.modes.Close()
	case mode == input.ModeElections && x.elections.Filter != "":
		x.erase()
	case mode != input.ModeNormal:
		x.watched.opening = ""
		x.modes.Close()
	case x.watched.candidates.Filter != "":
		x.erase()
	default:
		return false
	}
	return true
}
