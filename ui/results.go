package ui

import (
	"errors"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// done tells how an action ended.
func (d *dashboard) done(m doneMsg) {
	d.dirty = true
	if did, ok := errors.AsType[Did](m.err); ok {
		d.say(term.Good, znode.Safe(string(did), 0))
		return
	}
	if m.err != nil {
		d.failed(m.action)
		what := action.WordsFor(m.action, "").Verb
		if m.action.Target != "" {
			what += " " + m.name
		}
		d.say(term.Trouble, what+": "+znode.Safe(m.err.Error(), 0))
		return
	}
	switch m.action.Kind {
	case Refresh:
		if d.modes.Now() == input.ModeInspect && m.action.Election == d.path && rows.Same(m.of, d.over.of) {
			d.over.readAt = d.o.Now()
		}
	case Open:
		d.opened(m.action.Target)
	case Pause:
		d.past.stopped = !d.past.stopped
	default:
		if text := action.WordsFor(m.action, m.name).Done; text != "" {
			d.say(term.Good, text)
		}
	}
}
