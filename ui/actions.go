package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/travel"
)

// doer runs what takes time outside the event loop: actions, and ticks. Its context ends with the
// program, which waits for its group.
type doer struct {
	ctx     context.Context // nil: context.Background()
	actions Actions
	running *gate // nil: nobody waits
}

// travelMsg is the moment that a search found.
type travelMsg struct{ travel.Arrival }

// doneMsg says how an action ended.
type doneMsg struct {
	action Action
	name   string // of its target, for the status line
	of     rows.Ref
	err    error
}

// cmd returns the command that does a. A panic in it is bubbletea's to
// recover.
func (d doer) cmd(a Action, name string, of rows.Ref) tea.Cmd {
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

// background returns the command that waits for what the terminal says of its
// background, nil where it is not asked.
func (d doer) background(light <-chan bool) tea.Cmd {
	if light == nil {
		return nil
	}
	return d.within(func(ctx context.Context) tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case is := <-light:
			return backgroundMsg(is)
		}
	})
}

// search returns the command that searches for a moment, nil for no search.
func (d doer) search(s travel.Search) tea.Cmd {
	if s == nil {
		return nil
	}
	return d.within(func(ctx context.Context) tea.Msg { return travelMsg{s(ctx)} })
}

// stop stops the playback of a recording, which shows the election at path.
func (d doer) stop(ctx context.Context, path string) error {
	if d.actions == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, actionTimeout)
	defer cancel()
	return d.actions.Do(ctx, Action{Kind: Pause, Election: path})
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
	row    rows.Row
}

// action returns what a key of that kind means now, and the reason why it
// cannot be done, if it cannot. arg is "" where the kind decides.
func (d *dashboard) action(kind Kind, arg string) (a Action, why string) {
	s, def := d.shown(), action.Of(kind)
	a = Action{Kind: kind, Election: s.Path, Arg: arg}
	m := new(model.Member)
	if def.OfCandidate {
		r := d.meant(kind)
		switch {
		case r.Member != nil:
			a.Target, m = r.Member.ID, r.Member
		case r.Candidate != nil:
			a.Target = znode.Join(s.Path, r.Candidate.Name)
		default:
			return a, "no candidate is selected"
		}
		if kind == Refresh && r.Candidate != nil {
			a.Arg = znode.Join(s.Path, r.Candidate.Name)
		}
	}
	if def.Next != nil {
		a.Arg = def.Next(s, m)
	}
	return a, d.refuses(a)
}

// meant is the row that an action of that kind is about.
func (d *dashboard) meant(kind Kind) rows.Row {
	switch {
	case kind == Refresh:
		return d.row(d.over.of)
	case d.modes.Front() == input.ModeFaults:
		return d.row(d.faults.Of)
	}
	return d.candidates.Row()
}

// refuses returns why a cannot be done now, "" if it can.
func (d *dashboard) refuses(a Action) string {
	switch {
	case d.o.ObserveOnly && a.Kind.Changes():
		return "read-only"
	case d.paused != nil:
		return d.past.heldWhy()
	case d.ended:
		return "the source has ended"
	case d.o.Actions == nil:
		return "read-only"
	case a.Kind == Step && !slowed(d.shown().Pace):
		// Else a stray key would stop everything.
		return "nothing is held at full speed: [ slows the server first"
	}
	return znode.Safe(d.o.Actions.Why(a), 0)
}

// slowed reports whether the server is slow, or goes step by step.
func slowed(p *model.Pace) bool { return p != nil && (p.Steps || p.Delay > 0) }

// act does what a key of that kind means, or says why not.
func (d *dashboard) act(kind Kind, arg string) tea.Cmd {
	a, why := d.action(kind, arg)
	return d.try(a, why, d.meant(kind))
}

// try does a, or says why not: if why is set, or not without being asked.
func (d *dashboard) try(a Action, why string, r rows.Row) tea.Cmd {
	if why != "" {
		d.say(term.Trouble, action.WordsFor(a, "").Verb+": "+why)
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
	d.begun(a)
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
	if why := d.refuses(q.action); why != "" { // things may have changed
		d.say(term.Trouble, action.WordsFor(q.action, "").Verb+": "+why)
		return nil
	}
	return d.doer.cmd(q.action, q.row.Name(), q.row.Ref())
}
