package ui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/travel"
)

// travelMsg is the moment that a search found.
type travelMsg struct{ travel.Arrival }

// pause holds the picture where there is nothing to go back to, and else goes
// back in time, or returns from there. A replay is held at its source.
func (d *dashboard) pause() tea.Cmd {
	switch {
	case d.journey.On:
		return d.live()
	case d.o.reel() != nil || d.o.Past != nil && d.o.Mode != ModeReplay && d.paused == nil:
		return d.depart()
	case d.o.Mode == ModeReplay:
		return d.act(Pause, "")
	}
	d.hold(d.paused == nil)
	return nil
}

// hold holds the pictures of all elections, or lets them go.
func (d *dashboard) hold(on bool) {
	d.since = d.o.Now()
	for _, v := range d.views {
		v.hold(on, d.since)
	}
	d.reselect()
	d.dirty = true
}

// depart goes back in time: first to the moment that is shown now.
func (d *dashboard) depart() tea.Cmd {
	d.hold(true)
	d.whole, d.wholeAt = d.latest, d.o.Now()
	d.modes.Ground(input.ModePast)
	a, doer := Action{Kind: Pause, Election: d.path}, d.doer
	return d.doer.search(d.journey.Begin(d.o.Past, d.path, d.candidates.Selected, func(ctx context.Context) error {
		if doer.actions == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, actionTimeout)
		defer cancel()
		return doer.actions.Do(ctx, a)
	}))
}

// travel goes to another moment, or back to the present.
func (d *dashboard) travel(do input.Command) tea.Cmd {
	if do == input.CmdLive && d.journey.On {
		return d.live()
	}
	d.play.on = false
	move, ok := travel.MoveOf(do)
	if !d.journey.On { // a recording is being played: it stops first
		search := d.depart()
		if ok {
			d.journey.Go(move) // after it
		}
		return search
	}
	if !ok {
		return nil
	}
	return d.doer.search(d.journey.Go(move))
}

// arrive shows the moment that was found, and goes on to where the user wants
// to be by now.
func (d *dashboard) arrive(msg travelMsg) tea.Cmd {
	j := &d.journey
	if !j.Arrive(msg.Arrival) {
		return nil
	}
	switch {
	case msg.Err != nil:
		d.present()
		d.say(term.Trouble, "pause: "+znode.Safe(msg.Err.Error(), 0))
		return nil
	case !j.Known && d.o.reel() != nil:
		d.present()
		d.say(term.Trouble, "nothing of this recording has been played yet")
		return nil
	case !j.Known:
		// The picture is held all the same.
		j.End()
		d.modes.Ground(d.ground())
		d.say(term.Trouble, "no history is kept of this election: the screen is only paused")
		return nil
	}
	d.paused, d.since, d.dirty = j.At.State, j.At.At, true
	if j.At.Last {
		d.whole, d.wholeAt = d.latest, d.o.Now()
	}
	if d.play.on {
		d.since = latest(d.play.at(d.o.Now()), d.since)
		if j.At.Last {
			d.play.on, d.since = false, j.At.At
		}
	}
	d.candidates.Selected = j.Selected
	d.reselect()
	next, leave := j.Next()
	if leave {
		return d.live()
	}
	return d.doer.search(next)
}

// live returns to what happens now; a recording plays on from the moment that
// is shown.
func (d *dashboard) live() tea.Cmd {
	j, reel := &d.journey, d.o.reel()
	if reel == nil {
		d.present()
		return nil
	}
	if !j.Leave() {
		return nil
	}
	if j.Known {
		d.latest = j.At.State
	}
	d.present()
	if playing := reel.Playing(); !playing.Stopped || playing.Ended {
		return nil
	}
	return d.act(Pause, "")
}

// ground is the mode of the main screen while nothing is in front of it and the present
// is shown. A recording is the past also while it is played.
func (d *dashboard) ground() input.Mode {
	if d.o.reel() != nil {
		return input.ModePast
	}
	return input.ModeNormal
}

// present ends the journey.
func (d *dashboard) present() {
	d.play.on = false
	if d.journey.On {
		d.candidates.Selected = d.journey.Selected
	}
	d.journey.End()
	d.whole = nil
	d.modes.Ground(d.ground())
	d.hold(false)
}

// chose notes the user's selection for the other moments.
func (d *dashboard) chose() {
	if d.journey.On {
		d.journey.Selected = d.candidates.Selected
	}
}

// heldWhy says why nothing can be done while the picture is held.
func (d *dashboard) heldWhy() string {
	switch {
	case !d.journey.On && d.o.reel() != nil:
		return "this is a recording"
	case !d.journey.On:
		return "paused: p goes back to live"
	}
	back := ": p goes back to live"
	if d.o.reel() != nil {
		back = ": p plays on"
	}
	return "this is " + d.since.In(d.o.Now().Location()).Format(term.ClockFormat) + back
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
	if ok && (d.journey.On || d.o.reel() != nil) && (b.Kind.Changes() || b.Modes&input.ModeTeach != 0 || slices.Contains([]input.Command{input.CmdFaults, input.CmdLessons, input.CmdJoin}, b.Do)) {
		d.say(term.Trouble, b.Help().Desc+": "+d.heldWhy())
		return true
	}
	return false
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
