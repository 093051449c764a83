package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"electop/model/znode"
)

// IO has the streams of a command.
type IO struct {
	In       io.Reader
	Out, Err io.Writer

	// unhandle restores the default effect of signals.
	unhandle func()
}

// secondSignal makes a second signal end the program at once, for a command that may be
// blocked in a write that nobody reads. The dashboard does not use it: it has a terminal
// to restore.
func (std IO) secondSignal(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, std.unhandle)
}

// note writes a message to standard error.
func (std IO) note(format string, args ...any) {
	fmt.Fprintf(std.Err, "electop: "+format+"\n", args...)
}

// notice returns a function that notes a message and logs it.
func (std IO) notice(log *slog.Logger) func(string) {
	return func(s string) {
		log.Warn(s)
		std.note("%s", s)
	}
}

// print prints a result as JSON, or as text.
func (std IO) print(asJSON bool, object any, text string) error {
	if asJSON {
		return std.json(object)
	}
	_, err := io.WriteString(std.Out, text)
	return err
}

// json prints an object on one line.
func (std IO) json(object any) error {
	b, err := znode.SafeJSON(object)
	if err == nil {
		_, err = std.Out.Write(append(b, '\n'))
	}
	return err
}

// rest waits for over. If ctx ends first, the error is its cause.
func rest(ctx context.Context, over <-chan time.Time) error {
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
