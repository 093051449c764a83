package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
)

// doer runs what takes time outside the event loop: actions, and ticks. Its context ends with the
// program, which waits for its group.
type doer struct {
	ctx     context.Context // nil: context.Background()
	actions Actions
	running *gate // nil: nobody waits
}

// doneMsg says how an action ended.
type doneMsg struct {
	action Action
	name   string // of its target, for the status line
	of     ref
	err    error
}

// cmd returns the command that does a. A panic in it is bubbletea's to
// recover.
func (d doer) cmd(a Action, name string, of ref) tea.Cmd {
	return d.within(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, actionTimeout)
		defer cancel()
		return doneMsg{a, name, of, d.actions.Do(ctx, a)}
	})
}

// tick returns the command that sends a tick. Unlike bubbletea's own it does
// not outlive the program.
func (d doer) tick(after time.Duration, gen uint64) tea.Cmd {
	return d.within(func(ctx context.Context) tea.Msg {
		t := time.NewTimer(after)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			return tickMsg{gen}
		}
	})
}

// within returns a command that runs f while the program runs.
func (d doer) within(f func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if d.running != nil {
			if !d.running.enter() {
				return nil
			}
			defer d.running.leave()
		}
		ctx := d.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		return f(ctx)
	}
}

// question is something to be answered with y or n before an action.
type question struct {
	text   string
	action Action
	row    row
}

// action returns what a key of that kind means now, and the reason why it
// cannot be done, if it cannot.
func (d *dashboard) action(kind Kind) (a Action, why string) {
	s := d.shown()
	a = Action{Kind: kind, Election: s.Path}
	switch kind {
	case Kill, Freeze, Resign, Refresh:
		r := d.rows.at(d.index)
		if kind == Refresh {
			r = d.inspected()
		}
		switch {
		case r.member != nil:
			a.Target = r.member.ID
		case r.candidate != nil:
			a.Target = model.Join(s.Path, r.candidate.Name)
		default:
			return a, "no candidate is selected"
		}
		if kind == Refresh && r.candidate != nil {
			a.Arg = model.Join(s.Path, r.candidate.Name)
		}
		if kind == Freeze {
			a.Arg = ArgFreeze
			if r.member != nil && r.member.Fault == model.Frozen {
				a.Arg = ArgThaw
			}
		}
	case Campaign:
		a.Arg = ArgCampaign
		if standing(s) {
			a.Arg = ArgWithdraw
		}
	case Herd:
		a.Arg = model.Herd().Name()
		if s.Recipe.Name() == a.Arg {
			a.Arg = model.Election().Name()
		}
	}
	return a, d.refuses(a)
}

// refuses returns why a cannot be done now, "" if it can.
func (d *dashboard) refuses(a Action) string {
	switch {
	case d.o.ObserveOnly && a.Kind.changes():
		return "this is looking on only"
	case d.paused != nil:
		return "the picture is paused: p goes back to live"
	case d.ended:
		return "nothing more comes: the source has ended"
	case d.o.Actions == nil:
		return "this is looking on only"
	}
	return model.Safe(d.o.Actions.Why(a), 0)
}

// standing reports whether this program's own candidacy goes on.
func standing(s *model.State) bool {
	for _, m := range s.Members {
		if m.You && m.Belief != model.Resigned && m.Belief != model.Lost && m.Ending == model.NoEnding {
			return true
		}
	}
	return false
}

// act does what a key of that kind means, or says why not.
func (d *dashboard) act(kind Kind) tea.Cmd {
	a, why := d.action(kind)
	if why != "" {
		d.say(styleTrouble, verb(a)+": "+why)
		return nil
	}
	r := d.rows.at(d.index)
	if d.o.Mode == ModeLive && r.member != nil && r.member.You && (kind == Kill || kind == Freeze) {
		// The one fault that hits this program itself, in front of an election
		// that others depend on.
		d.question = &question{verb(a) + " this program's own candidacy on a live cluster?", a, r}
		d.enter(modeDialog)
		return nil
	}
	d.begun(a)
	return d.doer.cmd(a, r.name(), r.ref())
}

// answer ends a question.
func (d *dashboard) answer(yes bool) tea.Cmd {
	q := d.question
	d.question = nil
	d.leave()
	if q == nil || !yes {
		d.say(styleMuted, "left alone")
		return nil
	}
	if why := d.refuses(q.action); why != "" { // things may have changed
		d.say(styleTrouble, verb(q.action)+": "+why)
		return nil
	}
	return d.doer.cmd(q.action, q.row.name(), q.row.ref())
}

// done tells how an action ended.
func (d *dashboard) done(m doneMsg) {
	d.dirty = true
	if m.err != nil {
		d.failed(m.action)
		what := verb(m.action)
		if m.action.Target != "" {
			what += " " + m.name
		}
		d.say(styleTrouble, what+": "+model.Safe(m.err.Error(), 0))
		return
	}
	switch m.action.Kind {
	case Refresh:
		if d.mode == modeInspect && m.action.Election == d.path && same(m.of, d.over.of) {
			d.over.readAt = d.o.Now()
		}
	case Open:
		d.opened(m.action.Target)
	case Pause:
		d.stopped = !d.stopped
	case Spawn:
		d.say(styleGood, "one more candidate volunteers")
	case Kill:
		d.say(styleGood, m.name+" is killed: its connection is cut, with no goodbye")
	case Freeze:
		if m.action.Arg == ArgThaw {
			d.say(styleGood, m.name+" is thawed and finds out what happened meanwhile")
		} else {
			d.say(styleGood, m.name+" is frozen: it reads, writes and decides nothing")
		}
	case Resign:
		d.say(styleGood, m.name+" resigns")
	case Campaign:
		if m.action.Arg == ArgWithdraw {
			d.say(styleGood, "this program withdraws from the election")
		} else {
			d.say(styleGood, "this program stands for election")
		}
	case Herd:
		if m.action.Arg == model.Herd().Name() {
			d.say(styleGood, "herd: from now on everybody watches the leader")
		} else {
			d.say(styleGood, "from now on everybody watches its predecessor")
		}
	}
}

// verb is what an action is called in a sentence.
func verb(a Action) string {
	switch {
	case a.Arg == ArgThaw, a.Arg == ArgWithdraw:
		return a.Arg
	case a.Kind == Herd && a.Arg == model.Election().Name():
		return "predecessor"
	case a.Kind == Refresh:
		return "read again"
	case a.Kind == Discover:
		return "look for elections"
	}
	return string(a.Kind)
}
