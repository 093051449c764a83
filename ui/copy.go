package ui

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/clip"
	"electop/ui/input"
	"electop/ui/term"
)

// clip sends the path of what is selected to the terminal's clipboard, or what is known of
// it as JSON. It goes through the terminal, so that it arrives where the user is.
func (d *dashboard) clip(do input.Command) tea.Cmd {
	x := clip.Selection{State: d.shown(), Row: d.looked(), Listed: d.modes.Front() == input.ModeElections, Election: d.elections.Row()}
	what, get := "path", x.Path
	if do == input.CmdCopyJSON {
		what, get = "JSON", x.JSON
	}
	text, err := get()
	switch {
	case err == nil && d.o.Clipboard == nil:
		err = errors.New("there is no terminal to send it to")
	case err == nil:
		err = clip.Fits(text)
	}
	if err != nil {
		d.say(term.Trouble, "copy "+what+": "+err.Error())
		return nil
	}
	return d.doer.copy(what, text, d.o.Clipboard)
}
