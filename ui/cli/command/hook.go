package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/units"
	"electop/ui/cli/help"
)

const (
	// WaitingMax bounds the handoffs that wait while the command runs. A further handoff
	// replaces the oldest one: the newest shows who leads.
	WaitingMax = 16
	// hookTimeout bounds a run of the command.
	hookTimeout = 30 * time.Second
	// outputDelay bounds the reading of output after the end of a run, from processes that
	// left its process group.
	outputDelay = time.Second
)

// Hook runs a command of the user for each handoff, with the event as JSON on its standard
// input. One command runs at a time, within a time limit, and a bounded number of handoffs
// waits for it: whatever the command does, the observation continues. Its zero value has no command.
type Hook struct {
	Command string        // of the shell; "": none
	Timeout time.Duration // bounds each run, and in Close all remaining runs together

	errs    io.Writer
	note    func(format string, args ...any)
	env     []string
	waiting chan event
	closing chan struct{} // closed once: no more events come
	once    sync.Once
	end     context.CancelFunc
	done    chan struct{}
}

// event is a handoff: the number of the event, and its line of JSON.
type event struct {
	n    uint64
	line []byte
}

// Flags declares --exec.
func (h *Hook) Flags(cmd *cobra.Command) {
	h.Timeout = hookTimeout
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.Func("exec", "run `CMD` with sh -c for each handoff, which it gets as one line of JSON on its standard input. One runs at a time, for at most 30s, up to 16 handoffs wait. Its output goes to standard error", func(s string) error {
			if h.Command = s; s == "" {
				return errors.New("give a command of the shell")
			}
			return nil
		})
	})
}

// Start begins to run the command for the events of [Hook.Put], until [Hook.Close]. At the end
// of ctx a running command is killed. errs gets the commands' output, note reports how each run
// ended, env is the commands' environment.
func (h *Hook) Start(ctx context.Context, errs io.Writer, note func(format string, args ...any), env []string) {
	if h.Command == "" {
		return
	}
	h.errs, h.note, h.env = errs, note, env
	h.waiting, h.closing, h.done = make(chan event, WaitingMax), make(chan struct{}), make(chan struct{})
	ctx, h.end = context.WithCancel(ctx)
	go func() {
		defer close(h.done)
		for ctx.Err() == nil {
			select {
			case e := <-h.waiting:
				h.run(ctx, e)
			case <-h.closing:
				if len(h.waiting) == 0 {
					return
				}
			case <-ctx.Done():
			}
		}
	}()
}

// Put adds an event with number n and JSON line, for which the command will run. It does not
// wait.
func (h *Hook) Put(n uint64, line []byte) {
	for h.waiting != nil {
		select {
		case h.waiting <- event{n, line}:
			return
		default:
			h.drop("more than 16 handoffs wait")
		}
	}
}

// drop drops the oldest waiting event.
func (h *Hook) drop(why string) {
	select {
	case e := <-h.waiting:
		h.note("--exec: event %d dropped: %s", e.n, why)
	default:
	}
}

// Close runs the command for the waiting events, kills it after Timeout, and returns when it
// has ended.
func (h *Hook) Close() {
	if h.done == nil {
		return
	}
	h.once.Do(func() { close(h.closing) })
	limit := time.AfterFunc(h.Timeout, h.end)
	<-h.done
	limit.Stop()
	h.end()
	for len(h.waiting) > 0 {
		h.drop("electop ends")
	}
}

// run runs the command once and notes how it ended.
func (h *Hook) run(ctx context.Context, e event) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cmd := shell(ctx, h.Command)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = h.env, bytes.NewReader(e.line), h.errs, h.errs
	cmd.WaitDelay = outputDelay
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	err := cmd.Start()
	if err != nil {
		h.note("--exec: event %d: %v", e.n, err)
		return
	}
	err = cmd.Wait()
	killGroup(cmd.Process) // processes that the command left running
	how := cmd.ProcessState.String()
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		how = "killed after " + units.Exact(h.Timeout)
	case err != nil && ctx.Err() != nil:
		how = "killed: electop ends"
	}
	h.note("--exec: event %d: %s", e.n, how)
}
