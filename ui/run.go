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

// Run shows the dashboard until the user quits or ctx ends, and restores the terminal. It returns
// nil if the user quits, and [context.Cause] if ctx ends. A panic while reading a newer state becomes an error.
// The caller handles signals.
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
		running.Lock() // no new task begins
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(quitTimeout):
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

// start runs feed. A panic of feed ends p, so that Bubbletea restores the terminal.
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
	// If a signal comes when ctx ends, Bubbletea's signal handler can block for ever.
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
			changed = nil // notices go first: a late notice would replace a newer message
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

// writeFirst writes the first frame, because Bubbletea's renderer would wait for its next tick. Later frames
// must go through the renderer, which skips the lines that have not changed since its last frame.
func writeFirst(out io.Writer, frame string) {
	if out == nil || frame == "" {
		return
	}
	_, _ = io.WriteString(out, ansi.CursorHomePosition+strings.ReplaceAll(frame, "\n", "\r\n"))
}
