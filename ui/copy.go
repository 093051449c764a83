package ui

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/wording"
)

// clipMax bounds what is sent to a clipboard: terminals take about 75,000 bytes of
// base64.
const clipMax = 56_000

// clip sends the path of what is selected to the terminal's clipboard. It goes through the
// terminal, so that it arrives where the user is. What a terminal or a shell could take for
// more than text is written out.
func (d *dashboard) clip() tea.Cmd {
	path, err := d.selectedPath()
	if err == nil && d.o.Clipboard == nil {
		err = errors.New("there is no terminal to send it to")
	}
	if err != nil {
		d.refuse("copy the path", err.Error())
		return nil
	}
	return d.doer.copy(znode.Safe(path, clipMax), d.o.Clipboard)
}

// selectedPath is the path of the selected znode, or of the selected election.
func (d *dashboard) selectedPath() (string, error) {
	if d.modes.Front() == input.ModeElections {
		if e := d.elections.Row(); e != nil {
			return e.Path, nil
		}
		return "", errors.New("no election is selected. j and k select one")
	}
	switch r := d.candidates.Row(); {
	case r.Candidate != nil:
		return wording.ZnodePath(d.shown(), r.Candidate), nil
	case r.Member != nil:
		return "", errors.New(r.Name() + " has no znode")
	}
	return "", errors.New(action.NoneSelected)
}
