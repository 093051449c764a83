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
	// WaitingMax bounds the waiting handoffs. The oldest is dropped, because the newest shows who leads.
	WaitingMax  = 16
	hookTimeout = 30 * time.Second
	// outputDelay bounds the wait for processes that hold the ended command's output open.
	outputDelay = time.Second
)

// Hook runs a shell command for handoffs, with the event as JSON on standard input.
// Handoffs wait in a queue, so a slow command does not delay [Hook.Put].
type Hook struct {
	Command string        // a shell command; "": none
	Timeout time.Duration // bounds each run, and the time of all runs after the call of Close

	errs    io.Writer
	note    func(format string, args ...any)
	env     []string
	waiting chan event
	closing chan struct{}
	once    sync.Once
	end     context.CancelFunc
	done    chan struct{}
}

type event struct {
	n    uint64
	line []byte
}

// Flags declares --exec.
func (h *Hook) Flags(cmd *cobra.Command) {
	h.Timeout = hookTimeout
	help.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.Func("exec", "run `CMD` in the shell for each handoff, with the handoff as one line of JSON on standard input. One CMD runs at a time, for at most 30s; up to 16 handoffs wait. CMD's output goes to standard error", func(s string) error {
			if h.Command = s; s == "" {
				return errors.New("give a command of the shell")
			}
			return nil
		})
	})
}

// Start runs the command for the events of [Hook.Put] until [Hook.Close]. errs gets the command's output,
// and note reports ended runs, failed runs and dropped events. The end of ctx kills a running command.
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

// Put queues event n, and drops the oldest event if the queue is full.
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

func (h *Hook) drop(why string) {
	select {
	case e := <-h.waiting:
		h.note("--exec: event %d dropped: %s", e.n, why)
	default:
	}
}

// Close waits for the runs of queued events. After Timeout, Close kills the command and drops the other events.
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

func (h *Hook) run(ctx context.Context, e event) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cmd := shell(ctx, h.Command)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = h.env, bytes.NewReader(e.line), h.errs, h.errs
	cmd.WaitDelay = outputDelay
	cmd.SysProcAttr = OwnGroup()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	err := cmd.Start()
	if err != nil {
		h.note("--exec: event %d: %v", e.n, err)
		return
	}
	err = cmd.Wait()
	killGroup(cmd.Process) // ends processes that are left in the command's group
	how := cmd.ProcessState.String()
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		how = "killed after " + units.Exact(h.Timeout)
	case err != nil && ctx.Err() != nil:
		how = "killed: electop ends"
	}
	h.note("--exec: event %d: %s", e.n, how)
}
