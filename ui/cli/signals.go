package cli

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

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
