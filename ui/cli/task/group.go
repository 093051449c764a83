// Package task runs the goroutines of a command, and ends them together.
package task

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Group is goroutines with one owner. The first failure or panic ends them all.
// A panic is an error of the group, so that the dashboard can restore the
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

// Start runs f until the group's context ends. Its error counts unless that
// ended first.
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

// Context ends with Stop and with the first failure, which is its cause then.
func (g *Group) Context() context.Context { return g.ctx }

// Stop ends and awaits the goroutines, and returns what the first failure was.
func (g *Group) Stop() error {
	err := context.Cause(g.ctx)
	g.cancel(context.Canceled)
	g.wg.Wait()
	return err
}
