// Package hook runs a command of the user's for each handoff, with the event as JSON on
// its standard input. One command runs at a time, within a time limit, and a bounded
// number of handoffs waits for it: whatever the command does, the observation continues.
package hook

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"electop/model/units"
	"electop/ui/cli/exit"
	"electop/ui/cli/flaggroup"
)

const (
	// WaitingMax is how many handoffs wait at most while the command runs. One more
	// drops the oldest: the newest says who leads.
	WaitingMax = 16
	// timeoutDefault is how long a command may run.
	timeoutDefault = 30 * time.Second
)

// Hook has the flags for the command, and runs it. Its zero value has no command.
type Hook struct {
	Command string        // of the shell; "": none
	Timeout time.Duration // for each run, and for all that are left at the end
	cmd     *cobra.Command

	errs io.Writer
	note func(format string, args ...any)
	env  []string

	mu      sync.Mutex
	waiting []event
	dropped []uint64      // numbers of events, first and last; nil: none
	drops   int           // how many
	closed  bool          // no more events come
	more    chan struct{} // capacity 1
	end     context.CancelFunc
	done    chan struct{}
}

// event is a handoff: the number of the event, and its line of JSON.
type event struct {
	n    uint64
	line []byte
}

// Flags declares --exec and --exec-timeout.
func (h *Hook) Flags(cmd *cobra.Command) {
	h.cmd = cmd
	flaggroup.Output.Add(cmd, func(f *pflag.FlagSet) {
		f.StringVar(&h.Command, "exec", "", "run `CMD` with sh -c for each handoff, which it gets as one line of JSON on its standard input. One runs at a time, up to 16 handoffs wait. Its output goes to standard error, up to 64 KiB for each run")
		f.DurationVar(&h.Timeout, "exec-timeout", timeoutDefault, "kill CMD and its process group after `DURATION`")
	})
}

// Check refuses invalid values.
func (h *Hook) Check() error {
	switch {
	case h.Command == "" && h.cmd.Flags().Changed("exec"):
		return exit.Usagef("--exec is empty: give a command of the shell")
	case h.Command == "" && h.cmd.Flags().Changed("exec-timeout"):
		return exit.Usagef("--exec-timeout needs --exec")
	case h.Command != "" && h.Timeout <= 0:
		return exit.Usagef("--exec-timeout %v: give a longer time than 0", h.Timeout)
	}
	return nil
}

// Start begins to run the command for what [Hook.Put] gets, until [Hook.Close]. When ctx
// ends, a running command is killed. errs gets the commands' output, note how each ended.
// env is the commands' environment.
func (h *Hook) Start(ctx context.Context, errs io.Writer, note func(format string, args ...any), env []string) {
	if h.Command == "" {
		return
	}
	h.errs, h.note, h.env = errs, note, env
	h.more, h.done = make(chan struct{}, 1), make(chan struct{})
	ctx, h.end = context.WithCancel(ctx)
	go func() {
		defer close(h.done)
		for ctx.Err() == nil {
			e, ok, closed := h.next()
			h.sayDropped("while the command ran")
			switch {
			case ok:
				h.run(ctx, e)
			case closed:
				return
			default:
				select {
				case <-h.more:
				case <-ctx.Done():
				}
			}
		}
	}()
}

// Put has the command run for the event with number n, whose JSON is line. It does not
// wait.
func (h *Hook) Put(n uint64, line []byte) {
	if h.Command == "" {
		return
	}
	h.mu.Lock()
	if len(h.waiting) == WaitingMax {
		h.drop(h.waiting[0].n)
		h.waiting = h.waiting[1:]
	}
	h.waiting = append(h.waiting, event{n, line})
	h.mu.Unlock()
	h.mark()
}

func (h *Hook) mark() {
	select {
	case h.more <- struct{}{}:
	default:
	}
}

// Close runs the command for what waits, kills it when Timeout is over, and returns when
// it has ended.
func (h *Hook) Close() {
	if h.done == nil {
		return
	}
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.mark()
	limit := time.AfterFunc(h.Timeout, h.end)
	<-h.done
	limit.Stop()
	h.end()
	h.mu.Lock()
	for _, e := range h.waiting {
		h.drop(e.n)
	}
	h.waiting = nil
	h.mu.Unlock()
	h.sayDropped("at the end")
}

// next takes the oldest event that waits.
func (h *Hook) next() (e event, ok, closed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return event{}, false, h.closed
	}
	e = h.waiting[0]
	h.waiting = h.waiting[1:]
	return e, true, h.closed
}

// drop notes that the command is not run for an event. The caller holds h.mu.
func (h *Hook) drop(n uint64) {
	if h.drops++; h.drops == 1 {
		h.dropped = []uint64{n, n}
	}
	h.dropped[1] = n
}

// sayDropped says which events were dropped since it did so last.
func (h *Hook) sayDropped(when string) {
	h.mu.Lock()
	n, which := h.drops, h.dropped
	h.drops, h.dropped = 0, nil
	h.mu.Unlock()
	if n > 0 {
		h.note("--exec: %s dropped %s, events %d to %d", units.Count(n, "handoff", "handoffs"), when, which[0], which[1])
	}
}
