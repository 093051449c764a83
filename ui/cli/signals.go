package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"electop/ui/cli/exit"
)

// signals ends a command at the first signal, and remembers which one it was.
type signals struct {
	first atomic.Pointer[os.Signal]
}

// watch returns a context that ends with the first signal. stop ends it, too, and restores
// the default effect of signals.
func (s *signals) watch(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	ctx, end := context.WithCancel(parent)
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case sig := <-received:
			s.first.Store(&sig)
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
func (s *signals) code() int {
	if sig := s.first.Load(); sig != nil {
		if n, ok := (*sig).(syscall.Signal); ok {
			return 128 + int(n)
		}
	}
	return exit.Signal
}
