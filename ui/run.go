package ui

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Run shows the dashboard until the user quits or ctx ends. It takes over the
// terminal and gives it back on every way out. It returns nil when the user
// quit, the cause of ctx's end, or what went wrong with the terminal. Signals
// are the caller's business: one that is to end the program ends ctx.
func Run(ctx context.Context, o Options) error {
	return run(ctx, o, func(a doer) *dashboard { return newDashboard(o, a) }, programOptions(ctx, o)...)
}

// run is Run for a dashboard that it has made with what does its actions.
func run(ctx context.Context, o Options, make func(doer) *dashboard, opts ...tea.ProgramOption) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	inside, leave := context.WithCancel(ctx)
	running := new(gate)
	p := tea.NewProgram(Model{make(doer{ctx: inside, actions: o.Actions, running: running})}, opts...)

	feeding := start(p, func(send func(tea.Msg)) { pump(inside, o, send) })
	_, err := p.Run()
	leave()
	broken := <-feeding
	running.close(leaveWait)
	switch {
	case broken != nil:
		return broken
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("dashboard: %w", err)
}

// start runs feed in a goroutine. The terminal is bubbletea's to restore, so a
// panic ends the program first and is reported afterwards.
func start(p *tea.Program, feed func(send func(tea.Msg))) <-chan error {
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		defer func() {
			if r := recover(); r != nil {
				failed <- fmt.Errorf("dashboard: panic while reading the election: %v\n%s", r, debug.Stack())
				p.Kill()
			}
		}()
		feed(p.Send)
	}()
	return failed
}

func programOptions(ctx context.Context, o Options) []tea.ProgramOption {
	// Signals are the caller's, who ends ctx: bubbletea's own handler and an
	// ended context at the same time deadlock it (its handler sends to a loop
	// that is gone).
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithAltScreen(), tea.WithoutSignalHandler()}
	if o.Mouse {
		opts = append(opts, tea.WithMouseCellMotion())
	}
	if o.Output != nil {
		opts = append(opts, tea.WithOutput(o.Output))
	}
	if o.Input != nil {
		opts = append(opts, tea.WithInput(o.Input))
	}
	if in, ok := o.Input.(interface{ Interrupt() }); ok {
		opts = append(opts, tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			if _, suspends := msg.(tea.SuspendMsg); suspends {
				in.Interrupt()
			}
			return msg
		}))
	}
	return opts
}

// pump hands states and notices to the event loop, notices first: after the first few
// (see refreshFirst) at most one message each refreshEvery. It returns when ctx ends, or
// when nothing more will come.
func pump(ctx context.Context, o Options, send func(tea.Msg)) {
	var dirty <-chan struct{}
	if o.Source != nil {
		dirty = o.Source.Dirty()
	}
	notices := o.Notices
	rest := time.NewTimer(0)
	defer rest.Stop()
	next := refreshFirst
	for dirty != nil || notices != nil {
		select {
		case <-ctx.Done():
			return
		case <-rest.C:
		}
		changed := dirty
		if len(notices) > 0 {
			changed = nil // an old notice must not replace the answer to a key that came later
		}
		select {
		case <-ctx.Done():
			return
		case _, more := <-changed:
			send(present(o.Source, !more))
			if !more {
				dirty = nil
			}
		case line, more := <-notices:
			lines, closed := drain(line, more, notices)
			if len(lines) > 0 {
				send(noticeMsg(lines))
			}
			if closed {
				notices = nil
			}
		}
		rest.Reset(next)
		next = min(2*next, refreshEvery)
	}
}

// noticesMax bounds how many notices become one message.
const noticesMax = 100

// drain takes the notices that are there already.
func drain(line string, more bool, from <-chan string) (lines []string, closed bool) {
	for more {
		lines = append(lines, line)
		if len(lines) == noticesMax {
			return lines, false
		}
		select {
		case line, more = <-from:
		default:
			return lines, false
		}
	}
	return lines, true
}
