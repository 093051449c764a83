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

type timeTravel struct {
	watched *watched
	past    travel.Past // in a replay a travel.Recording; nil: no time travel
	now     func() time.Time
	doer    doer
	report  func(term.Style, string)
	toggle  func() tea.Cmd // stops or continues the playback of a replay
	journey travel.Journey
}

func (t *timeTravel) recording() travel.Recording {
	r, _ := t.past.(travel.Recording)
	return r
}

func (t *timeTravel) mode() input.Mode {
	if t.journey.On || t.recording() != nil {
		return input.ModePast
	}
	return input.ModeNormal
}

func (t *timeTravel) shownTime() time.Time {
	if t.journey.On {
		return t.journey.Shown
	}
	return t.watched.heldAt
}

func (t *timeTravel) pause() tea.Cmd {
	switch {
	case t.journey.On:
		return t.live()
	case t.recording() != nil || t.past != nil && t.watched.paused == nil:
		return t.begin()
	}
	t.watched.hold(t.watched.paused == nil, t.now())
	return nil
}

func (t *timeTravel) begin() tea.Cmd {
	t.watched.hold(true, t.now())
	path, toggle := t.watched.path, t.doer.togglePlayback
	search := t.journey.Begin(t.past, path, t.watched.candidates.Selected, func(ctx context.Context) error { return toggle(ctx, path) })
	t.journey.Shown, t.journey.Whole = t.watched.heldAt, travel.Whole{State: t.watched.latest, At: t.now()}
	return t.doer.search(search)
}

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
	if !t.journey.On { // only in a recording
		cmd := t.begin()
		if ok {
			t.journey.Go(move) // this move runs after the search that cmd starts
		}
		return cmd
	}
	if !ok {
		return nil
	}
	return t.doer.search(t.journey.Go(move))
}

func (t *timeTravel) goTo(at time.Time) tea.Cmd {
	if t.journey.On {
		return t.doer.search(t.journey.GoTo(at))
	}
	if t.recording() == nil && (t.past == nil || t.watched.paused != nil) {
		t.report(term.Muted, "no earlier moments of this election are kept")
		return nil
	}
	cmd := t.begin()
	t.journey.GoTo(at) // this move runs after the search that cmd starts
	return cmd
}

func (t *timeTravel) arrive(a travel.Arrival) tea.Cmd {
	j := &t.journey
	switch {
	case !j.Arrive(a):
		return nil
	case a.Err != nil:
		t.end()
		t.report(term.Trouble, "Can't pause: "+znode.Safe(a.Err.Error(), 0)+".")
		return nil
	case !j.Known && t.recording() != nil:
		t.end()
		t.report(term.Trouble, "nothing of this recording has been played yet")
		return nil
	case !j.Known:
		j.End() // the views stay paused
		t.report(term.Trouble, "no history is kept of this election: the screen is only paused")
		return nil
	}
	j.Show(t.watched.latest, t.now())
	t.watched.paused, t.watched.candidates.Selected = j.At.State, j.Selected
	next, leave := j.Next()
	if leave {
		return t.live()
	}
	return t.doer.search(next)
}

func (t *timeTravel) live() tea.Cmd {
	j, recording := &t.journey, t.recording()
	if recording == nil {
		t.end()
		return nil
	}
	if !j.Leave() {
		return nil
	}
	if j.Known {
		t.watched.latest = j.At.State
	}
	t.end()
	if playing := recording.Playing(); !playing.Stopped || playing.Ended {
		return nil
	}
	return t.toggle()
}

func (t *timeTravel) end() {
	if t.journey.On {
		t.watched.candidates.Selected = t.journey.Selected
	}
	t.journey.End()
	t.watched.hold(false, t.now())
}

func (t *timeTravel) playPause() tea.Cmd {
	j := &t.journey
	switch {
	case t.recording() != nil && j.On:
		return t.live()
	case t.recording() != nil:
		return t.begin()
	case j.Plays():
		j.Stop()
		return nil
	case !j.Known:
		return nil
	case j.At.Last:
		t.report(term.Muted, "Can't play: this is the last moment. p goes back to live.")
		return nil
	}
	j.Play(t.now())
	return t.doer.search(j.PlayOn(t.now()))
}

// keepSelection notes the selected candidate, so that time travel selects it at other moments, too.
func (t *timeTravel) keepSelection() {
	if t.journey.On {
		t.journey.Selected = t.watched.candidates.Selected
	}
}

func (t *timeTravel) refusal() string {
	switch {
	case !t.journey.On && t.recording() != nil:
		return "this is a recording. Start electop demo to act"
	case !t.journey.On:
		return "paused. p goes back to live"
	}
	back := ". p goes back to live"
	if t.recording() != nil {
		back = ". p continues playback"
	}
	return "this is " + t.shownTime().In(t.now().Location()).Format(term.ClockFormat) + back
}

func (d *dashboard) travelled(cmd tea.Cmd) tea.Cmd {
	d.modes.SetBase(d.past.mode())
	d.dirty = true
	return cmd
}

func (d *dashboard) setSpeed(do input.Command) tea.Cmd {
	by, arg := 2., action.ArgFaster
	if do == input.CmdPlaySlower {
		by, arg = .5, action.ArgSlower
	}
	if d.past.recording() != nil {
		if d.o.Actions == nil {
			return nil
		}
		return d.doer.cmd(action.Action{Kind: action.Slow, Election: d.path, Arg: arg}, "", d.candidates.Row().Ref())
	}
	speed := d.past.journey.ScaleSpeed(by, d.o.Now())
	d.report(term.Muted, "playback speed x"+strconv.FormatFloat(speed, 'g', 3, 64))
	return nil
}
