package cli

import (
	"context"
	"fmt"
	"io"

	"electop/model/znode"
)

// IO is where a command reads and writes.
type IO struct {
	In       io.Reader
	Out, Err io.Writer

	// unhandle restores the default effect of signals.
	unhandle func()
}

// secondSignal makes the second signal end the program at once, for a command
// that may be blocked in a write because nobody reads. The dashboard does not
// use it: it has a terminal to restore.
func (std IO) secondSignal(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, std.unhandle)
}

// printOnce prints an object as JSON, or as text does.
func printOnce(std IO, asJSON bool, object any, text func() error) error {
	if !asJSON {
		return text()
	}
	b, err := znode.SafeJSON(object)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "%s\n", b)
	return err
}
