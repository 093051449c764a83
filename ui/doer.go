package ui

import (
	"context"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model"
	"electop/model/znode"
	"electop/ui/action"
	"electop/ui/lessons"
	"electop/ui/term"
	"electop/ui/travel"
)

type doer struct {
	ctx     context.Context // Run ends it
	actions Actions
	running *sync.RWMutex // tasks hold a read lock, so that Run can wait for all tasks; nil without Run
}

type doneMsg func(*dashboard) tea.Cmd

// tickMsg is ignored if gen is not dashboard.gen, because then a later frame has replaced or cancelled the tick.
type tickMsg struct{ gen uint64 }

func (d doer) cmd(a action.Action, name string, of model.Ref) tea.Cmd {
	return d.within(actionTimeout, func(ctx context.Context) tea.Msg {
		err := d.actions.Do(ctx, a)
		return doneMsg(func(d *dashboard) tea.Cmd { d.done(a, name, of, err); return nil })
	})
}

// tick returns a command that, unlike Bubbletea's tick, stops waiting if d.ctx ends.
func (d doer) tick(after time.Duration, gen uint64) tea.Cmd {
	return d.within(0, func(ctx context.Context) tea.Msg {
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

func (d doer) search(s travel.Search) tea.Cmd {
	if s == nil {
		return nil
	}
	return d.within(0, func(ctx context.Context) tea.Msg {
		found := s(ctx)
		return doneMsg(func(d *dashboard) tea.Cmd { return d.travelled(d.past.arrive(found)) })
	})
}

// copy cannot report whether the terminal accepts the text.
func (d doer) copy(text string, send func(string) error) tea.Cmd {
	return d.within(0, func(context.Context) tea.Msg {
		st, result := term.Good, "path sent to the terminal's clipboard"
		if err := send(text); err != nil {
			st, result = term.Trouble, "Can't copy the path: "+znode.Safe(err.Error(), 0)+"."
		}
		return doneMsg(func(d *dashboard) tea.Cmd { d.report(st, result); return nil })
	})
}

func (d doer) lesson(runner lessons.Runner, id string) tea.Cmd {
	return d.within(lessonTimeout, func(ctx context.Context) tea.Msg {
		err := runner.Start(ctx, id)
		return doneMsg(func(d *dashboard) tea.Cmd { d.lessonBegan(err); return nil })
	})
}

func (d doer) togglePlayback(ctx context.Context, path string) error {
	if d.actions == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, actionTimeout)
	defer cancel()
	return d.actions.Do(ctx, action.Action{Kind: action.Pause, Election: path})
}

func (d doer) within(timeout time.Duration, f func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if d.running != nil {
			if !d.running.TryRLock() {
				return nil
			}
			defer d.running.RUnlock()
		}
		ctx := d.ctx
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		return f(ctx)
	}
}
