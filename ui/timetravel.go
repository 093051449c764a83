package ui

import (
	"context"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/term"
	"electop/ui/travel"
)

// timeTravel is which time the screen shows: the present, a pause or another moment. It
// holds the pictures of the elections and lets them go.
type timeTravel struct {
	of      *watched
	in      travel.Past // nil: there is none
	replay  bool        // of a recording
	now     func() time.Time
	doer    doer
	say     func(term.Style, string)
	toggle  func() tea.Cmd // lets the playback of the recording go on, or stops it
	journey travel.Journey
	// stopped says that the user stopped the source of a replay.
	stopped bool
}

// reel is the recording that is played, nil for what is live.
func (t *timeTravel) reel() travel.Recording {
	if r, ok := t.in.(travel.Recording); ok && t.replay {
		return r
	}
	return nil
}

// ground is the mode of the main screen while nothing is in front of it. A recording is
// the past also while it is played.
func (t *timeTravel) ground() input.Mode {
	if t.journey.On || t.reel() != nil {
		return input.ModePast
	}
	return input.ModeNormal
}

// since is when the pause began, or the moment that is shown instead.
func (t *timeTravel) since() time.Time {
	if t.journey.On {
		return t.journey.Shown
	}
	return t.of.heldAt
}

// pause holds the picture where there is nothing to go back to, and else goes
// back in time, or returns from there. A replay is held at its source.
func (t *timeTravel) pause() tea.Cmd {
	switch {
	case t.journey.On:
		return t.live()
	case t.reel() != nil || t.in != nil && !t.replay && t.of.paused == nil:
		return t.depart()
	case t.replay:
		return t.toggle()
	}
	t.of.hold(t.of.paused == nil, t.now())
	return nil
}

// depart goes back in time: first to the moment that is shown now.
func (t *timeTravel) depart() tea.Cmd {
	t.of.hold(true, t.now())
	path, stop := t.of.path, t.doer.stop
	search := t.journey.Begin(t.in, path, t.of.candidates.Selected, func(ctx context.Context) error { return stop(ctx, path) })
	t.journey.Shown, t.journey.Whole = t.of.heldAt, travel.Whole{State: t.of.latest, At: t.now()}
	return t.doer.search(search)
}

// travel goes to another moment or back to the present, or lets time pass.
func (t *timeTravel) travel(do input.Command) tea.Cmd {
	switch {
	case do == input.CmdPause:
		return t.pause()
	case do == input.CmdPlay:
		return t.playPause()
	case do == input.CmdLive && t.journey.On:
		return t.live()
	}
	t.journey.Stop()
	move, ok := travel.MoveOf(do)
	if !t.journey.On { // a recording is being played: it stops first
		out := t.depart()
		if ok {
			t.journey.Go(move) // after it
		}
		return out
	}
	if !ok {
		return nil
	}
	return t.doer.search(t.journey.Go(move))
}

// goTo shows the moment at that time, as far as it is kept.
func (t *timeTravel) goTo(at time.Time) tea.Cmd {
	if t.journey.On {
		return t.doer.search(t.journey.GoTo(at))
	}
	if t.reel() == nil && (t.in == nil || t.replay || t.of.paused != nil) {
		t.say(term.Muted, "no earlier moments are kept here")
		return nil
	}
	out := t.depart()
	t.journey.GoTo(at) // after it
	return out
}

// arrive shows the moment that was found, and goes on to where the user wants
// to be by now. What an older journey found is late.
func (t *timeTravel) arrive(a travel.Arrival) tea.Cmd {
	j := &t.journey
	switch {
	case !j.Arrive(a):
		return nil
	case a.Err != nil:
		t.present()
		t.say(term.Trouble, "pause: "+znode.Safe(a.Err.Error(), 0))
		return nil
	case !j.Known && t.reel() != nil:
		t.present()
		t.say(term.Trouble, "nothing of this recording has been played yet")
		return nil
	case !j.Known:
		// The picture is held all the same.
		j.End()
		t.say(term.Trouble, "no history is kept of this election: the screen is only paused")
		return nil
	}
	j.Show(t.of.latest, t.now())
	t.of.paused, t.of.candidates.Selected = j.At.State, j.Selected
	next, leave := j.Next()
	if leave {
		return t.live()
	}
	return t.doer.search(next)
}

// live returns to what happens now; a recording plays on from the moment that
// is shown.
func (t *timeTravel) live() tea.Cmd {
	j, reel := &t.journey, t.reel()
	if reel == nil {
		t.present()
		return nil
	}
	if !j.Leave() {
		return nil
	}
	if j.Known {
		t.of.latest = j.At.State
	}
	t.present()
	if playing := reel.Playing(); !playing.Stopped || playing.Ended {
		return nil
	}
	return t.toggle()
}

// present ends the journey.
func (t *timeTravel) present() {
	if t.journey.On {
		t.of.candidates.Selected = t.journey.Selected
	}
	t.journey.End()
	t.of.hold(false, t.now())
}

// playPause lets time pass in the past, or holds it.
func (t *timeTravel) playPause() tea.Cmd {
	j := &t.journey
	switch {
	case t.reel() != nil && j.On:
		return t.live()
	case t.reel() != nil:
		return t.depart()
	case j.Plays():
		j.Stop()
		return nil
	case !j.Known:
		return nil
	case j.At.Last:
		t.say(term.Muted, "play: this is the last moment")
		return nil
	}
	j.Play(t.now())
	return t.doer.search(j.PlayOn(t.now()))
}

// chose notes the user's selection for the other moments.
func (t *timeTravel) chose() {
	if t.journey.On {
		t.journey.Selected = t.of.candidates.Selected
	}
}

// heldWhy says why nothing can be done while the picture is held.
func (t *timeTravel) heldWhy() string {
	switch {
	case !t.journey.On && t.reel() != nil:
		return "this is a recording. Start electop demo to act"
	case !t.journey.On:
		return "paused. p goes back to live"
	}
	back := ". p goes back to live"
	if t.reel() != nil {
		back = ". p plays on"
	}
	return "this is " + t.since().In(t.now().Location()).Format(term.ClockFormat) + back
}

// moved does a step in time.
func (d *dashboard) moved(cmd tea.Cmd) tea.Cmd {
	d.modes.SetBase(d.past.ground())
	d.dirty = true
	return cmd
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
	speed := d.past.journey.Faster(by, d.o.Now())
	d.say(term.Muted, "the past is played at x"+strconv.FormatFloat(speed, 'g', 3, 64))
	return nil
}
