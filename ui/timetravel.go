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
	stop    func(ctx context.Context, path string) error // stops the playback of a recording
	journey travel.Journey
	// stopped says that the user stopped the source of a replay.
	stopped bool
}

// outcome is what follows from a step in time.
type outcome struct {
	style  term.Style
	text   string        // to be said, "": nothing
	search travel.Search // nil: none
	toggle bool          // the playback of the recording is to go on, or to stop
}

// reel is the recording that is played, nil for what is live.
func (t *timeTravel) reel() travel.Reel {
	if r, ok := t.in.(travel.Reel); ok && t.replay {
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
func (t *timeTravel) pause() outcome {
	switch {
	case t.journey.On:
		return t.live()
	case t.reel() != nil || t.in != nil && !t.replay && t.of.paused == nil:
		return t.depart()
	case t.replay:
		return outcome{toggle: true}
	}
	t.of.hold(t.of.paused == nil, t.now())
	return outcome{}
}

// depart goes back in time: first to the moment that is shown now.
func (t *timeTravel) depart() outcome {
	t.of.hold(true, t.now())
	path, stop := t.of.path, t.stop
	search := t.journey.Begin(t.in, path, t.of.candidates.Selected, func(ctx context.Context) error { return stop(ctx, path) })
	t.journey.Shown, t.journey.Whole = t.of.heldAt, travel.Whole{State: t.of.latest, At: t.now()}
	return outcome{search: search}
}

// travel goes to another moment or back to the present, or lets time pass.
func (t *timeTravel) travel(do input.Command) outcome {
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
		return outcome{}
	}
	return outcome{search: t.journey.Go(move)}
}

// goTo shows the moment at that time, as far as it is kept.
func (t *timeTravel) goTo(at time.Time) outcome {
	if t.journey.On {
		return outcome{search: t.journey.GoTo(at)}
	}
	if t.reel() == nil && (t.in == nil || t.replay || t.of.paused != nil) {
		return outcome{style: term.Muted, text: "no earlier moments are kept here"}
	}
	out := t.depart()
	t.journey.GoTo(at) // after it
	return out
}

// arrive shows the moment that was found, and goes on to where the user wants
// to be by now. ok is false for what an older journey found.
func (t *timeTravel) arrive(a travel.Arrival) (out outcome, ok bool) {
	j := &t.journey
	if !j.Arrive(a) {
		return outcome{}, false
	}
	switch {
	case a.Err != nil:
		t.present()
		return outcome{style: term.Trouble, text: "pause: " + znode.Safe(a.Err.Error(), 0)}, true
	case !j.Known && t.reel() != nil:
		t.present()
		return outcome{style: term.Trouble, text: "nothing of this recording has been played yet"}, true
	case !j.Known:
		// The picture is held all the same.
		j.End()
		return outcome{style: term.Trouble, text: "no history is kept of this election: the screen is only paused"}, true
	}
	j.Show(t.of.latest, t.now())
	t.of.paused, t.of.candidates.Selected = j.At.State, j.Selected
	t.of.reselect()
	next, leave := j.Next()
	if leave {
		return t.live(), true
	}
	return outcome{search: next}, true
}

// live returns to what happens now; a recording plays on from the moment that
// is shown.
func (t *timeTravel) live() outcome {
	j, reel := &t.journey, t.reel()
	if reel == nil {
		t.present()
		return outcome{}
	}
	if !j.Leave() {
		return outcome{}
	}
	if j.Known {
		t.of.latest = j.At.State
	}
	t.present()
	playing := reel.Playing()
	return outcome{toggle: playing.Stopped && !playing.Ended}
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
func (t *timeTravel) playPause() outcome {
	j := &t.journey
	switch {
	case t.reel() != nil && j.On:
		return t.live()
	case t.reel() != nil:
		return t.depart()
	case j.Plays():
		j.Stop()
		return outcome{}
	case !j.Known:
		return outcome{}
	case j.At.Last:
		return outcome{style: term.Muted, text: "play: this is the last moment"}
	}
	j.Play(t.now())
	return outcome{search: j.PlayOn(t.now())}
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

// arrived shows the moment that a search found.
func (d *dashboard) arrived(a travel.Arrival) tea.Cmd {
	if x, ok := d.past.arrive(a); ok {
		return d.moved(x)
	}
	return nil
}

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
