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

// doer runs what takes time outside the event loop: actions, and ticks. Its context ends with
// the program.
type doer struct {
	ctx     context.Context // nil: context.Background()
	actions Actions
	running *sync.RWMutex // read-locked by what runs; the program waits for it. Nil: nobody waits
}

// thenMsg is what follows in the event loop from what was done outside it.
type thenMsg func(*dashboard) tea.Cmd

// tickMsg says that a digit changes now. Ticks of an older generation were
// overtaken.
type tickMsg struct{ gen uint64 }

// cmd returns the command that does a, to the candidate with that name. A panic in it is
// bubbletea's to recover.
func (d doer) cmd(a action.Action, name string, of model.Ref) tea.Cmd {
	return d.within(actionTimeout, func(ctx context.Context) tea.Msg {
		err := d.actions.Do(ctx, a)
		return thenMsg(func(d *dashboard) tea.Cmd { d.done(a, name, of, err); return nil })
	})
}

// tick returns the command that sends a tick. Unlike bubbletea's own it does
// not outlive the program.
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

// search returns the command that searches for a moment, nil for no search.
func (d doer) search(s travel.Search) tea.Cmd {
	if s == nil {
		return nil
	}
	return d.within(0, func(ctx context.Context) tea.Msg {
		found := s(ctx)
		return thenMsg(func(d *dashboard) tea.Cmd { return d.moved(d.past.arrive(found)) })
	})
}

// copy returns the command that sends text to the terminal's clipboard. The terminal does not
// say what became of it.
func (d doer) copy(text string, send func(string) error) tea.Cmd {
	return d.within(0, func(context.Context) tea.Msg {
		st, says := term.Good, "path sent to the terminal's clipboard"
		if err := send(text); err != nil {
			st, says = term.Trouble, "copy path: "+znode.Safe(err.Error(), 0)
		}
		return thenMsg(func(d *dashboard) tea.Cmd { d.say(st, says); return nil })
	})
}

// lesson returns the command that begins a lesson.
func (d doer) lesson(tutor lessons.Tutor, id string) tea.Cmd {
	return d.within(lessonTimeout, func(ctx context.Context) tea.Msg {
		err := tutor.Start(ctx, id)
		return thenMsg(func(d *dashboard) tea.Cmd { d.taught(err); return nil })
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

// within returns a command that runs f while the program runs, for no longer than most, 0:
// as long as it takes.
func (d doer) within(most time.Duration, f func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if d.running != nil {
			if !d.running.TryRLock() {
				return nil
			}
			defer d.running.RUnlock()
		}
		ctx := d.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		if most > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, most)
			defer cancel()
		}
		return f(ctx)
	}
}
