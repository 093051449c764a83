package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/plain"
	"electop/ui/term"
	"electop/ui/wording"
)

// copyMax bounds what is sent to a clipboard: terminals take about 75,000 bytes of
// base64.
const copyMax = 56_000

// copiedMsg says whether something was sent to the terminal's clipboard.
type copiedMsg struct {
	what string
	err  error
}

// clip sends the path of what is selected to the terminal's clipboard, or what is known of
// it as JSON. It goes through the terminal, so that it arrives where the user is.
func (d *dashboard) clip(do input.Command) tea.Cmd {
	what, get := "path", d.selectedPath
	if do == input.CmdCopyJSON {
		what, get = "JSON", d.selectedJSON
	}
	text, err := get()
	switch {
	case err == nil && d.o.Clipboard == nil:
		err = errors.New("there is no terminal to send it to")
	case err == nil && len(text) > copyMax:
		err = fmt.Errorf("%d bytes are too long for a terminal's clipboard, which takes %d; electop status PATH --json prints it", len(text), copyMax)
	}
	if err != nil {
		d.say(term.Trouble, "copy "+what+": "+err.Error())
		return nil
	}
	return d.doer.within(func(context.Context) tea.Msg { return copiedMsg{what, d.o.Clipboard(text)} })
}

// copied says what became of it. The terminal itself does not say.
func (d *dashboard) copied(msg copiedMsg) {
	if msg.err != nil {
		d.say(term.Trouble, "copy "+msg.what+": "+znode.Safe(msg.err.Error(), 0))
		return
	}
	d.say(term.Good, msg.what+" sent to the terminal's clipboard")
}

// selectedPath is the path of the selected znode, or of the selected election. What a
// terminal or a shell could take for more than text is written out.
func (d *dashboard) selectedPath() (string, error) {
	path := ""
	if d.modes.Front() == input.ModeElections {
		r := d.elections.Row()
		if r == nil {
			return "", errors.New("no election is selected")
		}
		path = r.Path
	} else {
		r := d.looked()
		switch {
		case r.Candidate != nil:
			path = wording.ZnodePath(d.shown(), r.Candidate)
		case r.Member != nil:
			return "", errors.New(r.Name() + " has no znode")
		default:
			return "", errors.New("no candidate is selected")
		}
	}
	return znode.Safe(path, copyMax), nil
}

// selectedJSON is the selected candidate as electop status --json has it, or all of
// that object for the selected election.
func (d *dashboard) selectedJSON() (string, error) {
	if _, err := d.selectedPath(); err != nil {
		return "", err
	}
	var object any
	switch r := d.elections.Row(); {
	case d.modes.Front() != input.ModeElections && wording.Registry(d.shown()):
		return "", errors.New("members of a group have a path only: y copies it")
	case d.modes.Front() != input.ModeElections:
		object = plain.Candidate(d.shown(), d.looked().Position)
	case r.Watched == nil:
		return "", errors.New("only elections that are watched have one: enter watches this one")
	default:
		object = plain.Status(r.Watched.State)
	}
	b, err := znode.SafeJSON(object)
	return strings.TrimSpace(string(b)), err
}
