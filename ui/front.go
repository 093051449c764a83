package ui

import (
	"electop/ui/input"
	"electop/ui/term"
)

// part is what is in front of the panels: a list or a text, with what is selected or in
// view of it.
type part interface {
	Move(input.Command)
	// Click selects what is at a spot, and reports whether it was selected already.
	Click(spot any) (again bool)
	Draw(*term.Frame)
}

// front is what is in front of the panels, nil for nothing. A text lies with what it is
// about.
func (d *dashboard) front() part {
	switch d.modes.Front() {
	case input.ModeElections:
		return &d.elections
	case input.ModeLessons:
		return &d.course.Menu
	case input.ModePalette:
		return &d.palette
	case input.ModeFaults:
		return &d.faults
	case input.ModeHelp:
		return &d.help
	case input.ModeDoctor:
		return &d.doctor
	case input.ModeServers:
		return &d.servers
	case input.ModeInspect, input.ModeJoin:
		return &d.over.text
	}
	return nil
}
