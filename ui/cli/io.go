package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
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

// signals ends a command at the first signal, and remembers which one it was.
type signals struct {
	first atomic.Int32 // its number, 0: none yet
}

// watch returns a context that ends with the first signal. stop ends it, too, and restores
// the default effect of signals.
func (s *signals) watch(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, end := context.WithCancel(parent)
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	go func() {
		select {
		case sig := <-received:
			n, _ := sig.(syscall.Signal) // none is of another type
			s.first.Store(int32(n))
			end()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		end()
	}
}

// code is the exit code of a command that was interrupted: 128 and the signal's number,
// as a shell reports a program that a signal has ended.
func (s *signals) code() int { return 128 + int(cmp.Or(s.first.Load(), int32(syscall.SIGINT))) }
