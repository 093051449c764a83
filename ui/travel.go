package ui

import (
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/input"
	"electop/ui/term"
)

// moved does what follows from a step in time.
func (d *dashboard) moved(x outcome) tea.Cmd {
	d.modes.Ground(d.past.ground())
	d.dirty = true
	d.say(x.style, x.text)
	if x.toggle {
		return d.act(Pause, "")
	}
	return d.doer.search(x.search)
}

// pace makes the playback slower or faster.
func (d *dashboard) pace(do input.Command) tea.Cmd {
	by, arg := 2., ArgFaster
	if do == input.CmdPlaySlower {
		by, arg = .5, ArgSlower
	}
	if d.past.reel() != nil {
		if d.o.Actions == nil {
			return nil
		}
		return d.doer.cmd(Action{Kind: Slow, Election: d.path, Arg: arg}, "", d.candidates.Row().Ref())
	}
	speed := d.past.journey.Pace(by, d.o.Now())
	d.say(term.Muted, "the past is played at x"+strconv.FormatFloat(speed, 'g', 3, 64))
	return nil
}

// refuseKey says why a key of the main screen means nothing there now: it
// belongs to a lesson, or acts, and there is another moment on the screen. It reports
// whether there was such a reason.
func (d *dashboard) refuseKey(k string) bool {
	if _, ok := input.Lookup(d.table, input.ModeTeach, k); ok && !d.course.On && d.modes.Now() == input.ModeNormal {
		d.say(term.Muted, "no lesson is running: L opens the menu")
		return true
	}
	b, ok := input.Lookup(d.table, input.ModeNormal|input.ModeTeach, k)
	if ok && (d.past.journey.On || d.past.reel() != nil) && (b.Kind.Changes() || b.Modes&input.ModeTeach != 0 || slices.Contains([]input.Command{input.CmdFaults, input.CmdLessons, input.CmdJoin}, b.Do)) {
		d.say(term.Trouble, b.Help().Desc+": "+d.past.heldWhy())
		return true
	}
	return false
}
