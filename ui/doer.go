package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/lessons"
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
	action action.Action
	name   string // of its target, for the status line
	of     rows.Ref
	err    error
}

// tickMsg says that a digit changes now. Ticks of an older generation were
// overtaken.
type tickMsg struct{ gen uint64 }

// copiedMsg says whether something was sent to the terminal's clipboard.
type copiedMsg struct{ err error }

// says is what became of it. The terminal itself does not say.
func (m copiedMsg) says() (term.Style, string) {
	if m.err != nil {
		return term.Trouble, "copy path: " + znode.Safe(m.err.Error(), 0)
	}
	return term.Good, "path sent to the terminal's clipboard"
}

// lessonMsg says how the beginning of a lesson went.
type lessonMsg struct{ err error }

// cmd returns the command that does a. A panic in it is bubbletea's to
// recover.
func (d doer) cmd(a action.Action, name string, of rows.Ref) tea.Cmd {
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

// search returns the command that searches for a moment, nil for no search.
func (d doer) search(s travel.Search) tea.Cmd {
	if s == nil {
		return nil
	}
	return d.within(func(ctx context.Context) tea.Msg { return travelMsg{s(ctx)} })
}

// copy returns the command that sends text to the terminal's clipboard.
func (d doer) copy(text string, send func(string) error) tea.Cmd {
	return d.within(func(context.Context) tea.Msg { return copiedMsg{send(text)} })
}

// lesson returns the command that begins a lesson.
func (d doer) lesson(tutor lessons.Tutor, id string) tea.Cmd {
	return d.within(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lessonTimeout)
		defer cancel()
		return lessonMsg{tutor.Start(ctx, id)}
	})
}

// stop stops the playback of a recording, which shows the election at path.
func (d doer) stop(ctx context.Context, path string) error {
	if d.actions == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, actionTimeout)
	defer cancel()
	return d.actions.Do(ctx, action.Action{Kind: action.Pause, Election: path})
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
