package ui

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// question is something to be answered with y or n before an action.
type question struct {
	text   string
	action action.Action
	row    rows.Row
}

// situation is what decides now whether an action can be done.
func (d *dashboard) situation() action.Situation {
	x := action.Situation{State: d.shown(), ReadOnly: d.o.ObserveOnly, Ended: d.ended, By: d.o.Actions}
	if d.paused != nil {
		x.Held = d.past.heldWhy()
	}
	return x
}

// action returns what a key of that kind means now, and the reason why it
// cannot be done, if it cannot. arg is "" where the kind decides.
func (d *dashboard) action(kind action.Kind, arg string) (a action.Action, why string) {
	return d.situation().Offer(kind, arg, d.meant())
}

// act does what a key of that kind means, or says why not.
func (d *dashboard) act(kind action.Kind, arg string) tea.Cmd {
	a, why := d.action(kind, arg)
	return d.try(a, why, d.meant())
}

// try does a, or says why not: if why is set, or not without being asked.
func (d *dashboard) try(a action.Action, why string, r rows.Row) tea.Cmd {
	if why != "" {
		d.refuse(action.WordsFor(a, "").Cant, why)
		return nil
	}
	if d.modes.Now() == input.ModeFaults {
		d.modes.Close() // what comes of it is to be seen
	}
	if d.o.Mode == ModeLive && r.Member != nil && r.Member.You && a.Kind.Harms() {
		// The one fault that hits this program itself, in front of an election
		// that others depend on.
		d.question = &question{action.WordsFor(a, "").Verb + " electop's own candidacy on a live cluster?", a, r}
		d.modes.Open(input.ModeDialog)
		return nil
	}
	return d.begin(a, r)
}

// refuse says that something cannot be done, and why.
func (d *dashboard) refuse(what, why string) { d.say(term.Trouble, "Can't "+what+": "+why+".") }

// begin does a. Of one whose result comes with a later state, it says so.
func (d *dashboard) begin(a action.Action, r rows.Row) tea.Cmd {
	if a.Kind == action.Verify {
		d.asked = d.o.Now()
	}
	d.say(term.Muted, action.WordsFor(a, "").Begun)
	return d.doer.cmd(a, r.Name(), r.Ref())
}

// answer ends a question.
func (d *dashboard) answer(yes bool) tea.Cmd {
	q := d.question
	d.question = nil
	d.modes.Close()
	if q == nil || !yes {
		d.say(term.Muted, "left alone")
		return nil
	}
	if why := d.situation().Refuses(q.action); why != "" { // things may have changed
		d.refuse(action.WordsFor(q.action, "").Cant, why)
		return nil
	}
	return d.begin(q.action, q.row)
}

// done tells how an action ended.
func (d *dashboard) done(m doneMsg) {
	d.dirty = true
	if did, ok := errors.AsType[action.Did](m.err); ok {
		d.say(term.Good, znode.Safe(string(did), 0))
		return
	}
	if m.err != nil {
		switch m.action.Kind { // it is no longer waited for
		case action.Verify:
			d.unasked(m.action.Election)
		case action.Open:
			if d.opening == m.action.Target {
				d.opening = ""
			}
		}
		what := action.WordsFor(m.action, "").Cant
		if m.action.Target != "" {
			what += " " + m.name
		}
		d.refuse(what, znode.Safe(m.err.Error(), 0))
		return
	}
	switch m.action.Kind {
	case action.Refresh:
		d.reread.of, d.reread.at = m.of, d.o.Now()
	case action.Open:
		d.opened(m.action.Target)
	case action.Pause:
		d.past.stopped = !d.past.stopped
	case action.Listing:
	default:
		d.say(term.Good, action.WordsFor(m.action, m.name).Done)
	}
}
