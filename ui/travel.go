package ui

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/term"
)

// moved does what follows from a step in time.
func (d *dashboard) moved(x outcome) tea.Cmd {
	d.modes.Ground(d.past.ground())
	d.dirty = true
	d.say(x.style, x.text)
	if x.toggle {
		return d.act(action.Pause, "")
	}
	return d.doer.search(x.search)
}

// pace makes the playback slower or faster.
func (d *dashboard) pace(do input.Command) tea.Cmd {
	by, arg := 2., action.ArgFaster
	if do == input.CmdPlaySlower {
		by, arg = .5, action.ArgSlower
	}
	if d.past.reel() != nil {
		if d.o.Actions == nil {
			return nil
		}
		return d.doer.cmd(action.Action{Kind: action.Slow, Election: d.path, Arg: arg}, "", d.candidates.Row().Ref())
	}
	speed := d.past.journey.Pace(by, d.o.Now())
	d.say(term.Muted, "the past is played at x"+strconv.FormatFloat(speed, 'g', 3, 64))
	return nil
}
