// Package task runs the goroutines of a command, and ends them together or leaves them.
package task

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Group is a group of goroutines with one owner. The first failure or panic ends them
// all. A panic becomes the group's error, so that the dashboard can restore the
// terminal.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewGroup returns a group that ends with ctx at the latest.
func NewGroup(ctx context.Context) *Group {
	g := &Group{}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	return g
}

// Start runs f until the group's context ends. An error after that end is ignored.
func (g *Group) Start(what string, f func(context.Context) error) {
	g.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.cancel(fmt.Errorf("%s: panic: %v\n%s", what, r, debug.Stack()))
			}
		}()
		if err := f(g.ctx); err != nil && g.ctx.Err() == nil {
			g.cancel(fmt.Errorf("%s: %w", what, err))
		}
	})
}

// Context ends with Stop or with the first failure, which is its cause.
func (g *Group) Context() context.Context { return g.ctx }

// Stop ends the goroutines, waits for them, and returns the first failure.
func (g *Group) Stop() error {
	err := context.Cause(g.ctx)
	g.cancel(context.Canceled)
	g.wg.Wait()
	return err
}

// Await returns what f returns, or the cause of ctx's end if that comes first. Then f
// continues until it returns, or the program ends. It is for what cannot be cancelled:
// opening a FIFO that nobody has opened at its other end, or using a terminal.
func Await[T any](ctx context.Context, f func() (T, error)) (none T, err error) {
	done := make(chan func() (T, error), 1)
	go func() {
		value, err := f()
		done <- func() (T, error) { return value, err }
	}()
	select {
	case result := <-done:
		return result()
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}
