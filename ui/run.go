package ui

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// Run shows the dashboard until the user quits or ctx ends. It takes over the
// terminal and gives it back on every way out. It returns nil when the user
// quit, the cause of ctx's end, or what went wrong with the terminal. Signals
// are the caller's business: one that is to end the program ends ctx.
func Run(ctx context.Context, o Options) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	inside, leave := context.WithCancel(ctx)
	running := new(sync.RWMutex)
	p := tea.NewProgram(Model{newDashboard(o, doer{ctx: inside, actions: o.Actions, running: running})}, programOptions(ctx, o)...)

	feeding := start(p, func(send func(tea.Msg)) { pump(inside, o, send) })
	_, err := p.Run()
	leave()
	broken := <-feeding
	idle := make(chan struct{})
	go func() {
		running.Lock() // from now on nothing begins
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(leaveWait):
	}
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
			if !more {
				notices = nil
				break
			}
			n := len(notices)
			for range n {
				line = <-notices
			}
			send(noticeMsg{line, n})
		}
		rest.Reset(next)
		next = min(2*next, refreshEvery)
	}
}

// first writes the very first frame without waiting for the next tick of Bubbletea's
// renderer, up to 17 ms away. By then Bubbletea has taken over the terminal. On its first
// tick the renderer writes every line again, whatever is drawn meanwhile; after that it
// skips those that it believes are on the screen, so no later frame may be written here.
// A nil writer, or no frame, is nothing to do.
func first(out io.Writer, frame string) {
	if out == nil || frame == "" {
		return
	}
	// Bubbletea meets an error again when it writes the frame itself.
	_, _ = io.WriteString(out, ansi.CursorHomePosition+strings.ReplaceAll(frame, "\n", "\r\n"))
}
