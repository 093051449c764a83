package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"electop/model/units"
)

const (
	// outputMax bounds the output of one run, in bytes.
	outputMax = 64 << 10
	// outputDelay is for how long output is read after the end of a run, from processes
	// that left its process group.
	outputDelay = time.Second
)

// run runs the command once and says how it ended.
func (h *Hook) run(ctx context.Context, e event) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cut, err := h.execute(ctx, e.line)
	var status *exec.ExitError
	var how string
	switch {
	case ctx.Err() == context.DeadlineExceeded && err != nil:
		how = "killed after " + units.Exact(h.Timeout) + " (--exec-timeout)"
	case ctx.Err() != nil && err != nil:
		how = "killed: electop ends"
	case errors.As(err, &status) && !status.Exited():
		how = "ended by a " + status.String() // "signal: killed"
	case errors.As(err, &status):
		how = fmt.Sprintf("exit status %d", status.ExitCode())
	case err != nil:
		how = err.Error()
	default:
		how = "exit status 0"
	}
	if cut > 0 {
		how += fmt.Sprintf(", and %s of its output not shown", units.Count(cut, "byte", "bytes"))
	}
	h.note("--exec: event %d: %s", e.n, how)
}

// execute runs the command with input and passes on its output. cut is how much of that
// was too much.
func (h *Hook) execute(ctx context.Context, input []byte) (cut int64, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	cmd := shell(ctx, h.Command)
	cmd.Env, cmd.Stdout, cmd.Stderr = h.env, w, w
	alone(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	w.Close()
	if err != nil {
		return 0, err
	}
	var streams sync.WaitGroup
	streams.Go(func() {
		defer stdin.Close()
		io.Copy(stdin, bytes.NewReader(input)) // the command need not read it
	})
	streams.Go(func() {
		io.CopyN(h.errs, r, outputMax)
		cut, _ = io.Copy(io.Discard, r)
	})
	err = cmd.Wait()
	killGroup(cmd.Process) // what it left running
	r.SetReadDeadline(time.Now().Add(outputDelay))
	streams.Wait()
	return cut, err
}
