package ui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/history"
	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/travel"
)

// past is where the user is in time. While it is on, the picture of the
// election on the screen is held at an earlier moment, as in a pause.
type past struct {
	on    bool
	known bool // found is the moment that is shown; it is being looked for else
	travel.Found
	// One search is under way at a time; wanted are the moves asked for
	// meanwhile. gen is the journey's: an answer to an older one is late.
	moving bool
	wanted []history.Move
	gen    uint64
	// leaving says that the playback goes on as soon as the search is over.
	leaving bool
	// selected is the user's choice, also at moments at which it does not exist.
	selected rows.Ref
}

// travelMsg is the moment that a search found.
type travelMsg struct {
	gen uint64
	travel.Found
	err error // the playback could not be stopped
}

// travel goes to another moment, or back to the present.
func (d *dashboard) travel(do input.Command) tea.Cmd {
	if do == input.CmdLive {
		return d.live()
	}
	if move, ok := travel.MoveOf(do); ok && d.past.on {
		d.past.wanted = travel.Also(d.past.wanted, move)
		return d.seek()
	}
	return nil
}

// pause holds the picture where there is nothing to go back to, and else goes
// back in time, or returns from there. A replay is held at its source.
func (d *dashboard) pause() tea.Cmd {
	switch {
	case d.past.on:
		return d.live()
	case d.reel() != nil || d.o.Past != nil && d.o.Mode != ModeReplay && d.paused == nil:
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
		v.paused = nil
		if on {
			v.paused = v.latest
			continue
		}
		v.takeHandoff(d.since)
	}
	d.reselect()
	d.dirty = true
}

// depart goes back in time: first to the moment that is shown now.
func (d *dashboard) depart() tea.Cmd {
	d.hold(true)
	d.past = past{on: true, gen: d.past.gen + 1, moving: true, selected: d.Selected}
	d.ground(input.ModePast)
	gen, path, in, reel, a := d.past.gen, d.path, d.o.Past, d.reel(), Action{Kind: Pause, Election: d.path}
	return d.doer.within(func(ctx context.Context) tea.Msg {
		msg := travelMsg{gen: gen}
		if reel == nil {
			msg.Found = travel.Search(ctx, in, path, 0, history.MoveToLast)
			return msg
		}
		now := reel.Playing()
		if !now.Stopped && !now.Ended && d.doer.actions != nil {
			ctx, cancel := context.WithTimeout(ctx, actionTimeout)
			msg.err = d.doer.actions.Do(ctx, a)
			if cancel(); msg.err != nil {
				return msg
			}
		}
		msg.Found = travel.Search(ctx, in, path, reel.Playing().N, history.MoveTo)
		return msg
	})
}

// seek looks for the moment to which the waiting moves lead, unless a search
// is under way: its end begins the next.
func (d *dashboard) seek() tea.Cmd {
	p := &d.past
	if p.moving || len(p.wanted) == 0 {
		return nil
	}
	gen, path, n, in, moves := p.gen, d.path, p.At.N, d.o.Past, p.wanted
	p.moving, p.wanted = true, nil
	return d.doer.within(func(ctx context.Context) tea.Msg {
		msg := travelMsg{gen: gen}
		msg.Found = travel.Search(ctx, in, path, n, moves...)
		return msg
	})
}

// arrive shows the moment that was found, and goes on to where the user wants
// to be by now.
func (d *dashboard) arrive(msg travelMsg) tea.Cmd {
	p := &d.past
	if !p.on || msg.gen != p.gen {
		return nil
	}
	p.moving = false
	switch {
	case msg.err != nil:
		d.present()
		d.say(term.Trouble, "pause: "+znode.Safe(msg.err.Error(), 0))
		return nil
	case msg.OK && msg.At.State != nil:
		p.Found, p.known = msg.Found, true
		d.paused, d.since, d.dirty = msg.At.State, msg.At.At, true
		d.Selected = p.selected
		d.reselect()
	case !p.known && d.reel() != nil:
		d.present()
		d.say(term.Trouble, "nothing of this recording has been played yet")
		return nil
	case !p.known:
		// The picture is held all the same.
		p.on = false
		d.ground(input.ModeNormal)
		d.say(term.Trouble, "no history is kept of this election: the screen is only paused")
		return nil
	}
	if p.leaving {
		return d.live()
	}
	return d.seek()
}

// live returns to what happens now; a recording plays on from the moment that
// is shown.
func (d *dashboard) live() tea.Cmd {
	p, reel := &d.past, d.reel()
	if reel == nil {
		d.present()
		return nil
	}
	if p.moving {
		p.leaving = true // the search would stop the playback again
		return nil
	}
	if p.known {
		d.latest = p.At.State
	}
	d.present()
	if playing := reel.Playing(); !playing.Stopped || playing.Ended {
		return nil
	}
	return d.act(Pause, "")
}

// present ends the journey.
func (d *dashboard) present() {
	selected := d.past.selected
	d.past = past{gen: d.past.gen + 1}
	d.ground(input.ModeNormal)
	d.Selected = selected
	d.hold(false)
}

// ground makes m the mode of the main screen, whatever is in front of it.
func (d *dashboard) ground(m input.Mode) {
	if len(d.behind) > 0 {
		d.behind[0] = m
	} else {
		d.mode = m
	}
}

// chose notes the user's selection for the other moments.
func (d *dashboard) chose() {
	if d.past.on {
		d.past.selected = d.Selected
	}
}

// heldWhy says why nothing can be done while the picture is held.
func (d *dashboard) heldWhy() string {
	if !d.past.on {
		return "paused: p goes back to live"
	}
	back := ": p goes back to live"
	if d.reel() != nil {
		back = ": p plays on"
	}
	return "this is " + d.clock(d.since) + back
}

// clock formats a time as the screen's clock shows it.
func (d *dashboard) clock(t time.Time) string {
	return t.In(d.o.Now().Location()).Format(term.ClockFormat)
}

// refuseKey says why a key of the main screen means nothing there now: it
// belongs to a lesson, or acts, and there is another moment on the screen.
func (d *dashboard) refuseKey(k string) {
	if _, ok := input.Lookup(d.table, input.ModeTeach, k); ok && !d.course.On && d.mode == input.ModeNormal {
		d.say(term.Muted, "no lesson is running: L opens the menu")
		return
	}
	b, ok := input.Lookup(d.table, input.ModeNormal|input.ModeTeach, k)
	if ok && d.past.on && (b.Kind.Changes() || b.Modes&input.ModeTeach != 0 || slices.Contains([]input.Command{input.CmdFaults, input.CmdLessons, input.CmdJoin}, b.Do)) {
		d.say(term.Trouble, b.Help().Desc+": "+d.heldWhy())
	}
}

// reel is the recording that is played, nil for what is live.
func (d *dashboard) reel() Reel {
	if r, ok := d.o.Past.(Reel); ok && d.o.Mode == ModeReplay {
		return r
	}
	return nil
}
