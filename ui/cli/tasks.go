package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// tasks are goroutines with one owner. The first to fail, or to panic, ends
// them all; a panic thereby leaves through the dashboard's own way out, which
// restores the terminal.
type tasks struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

func newTasks(ctx context.Context) *tasks {
	t := &tasks{}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t
}

// start runs f until t's context ends. Its error counts unless that ended
// first.
func (t *tasks) start(what string, f func(context.Context) error) {
	t.wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				t.cancel(fmt.Errorf("%s: panic: %v\n%s", what, r, debug.Stack()))
			}
		}()
		if err := f(t.ctx); err != nil && t.ctx.Err() == nil {
			t.cancel(fmt.Errorf("%s: %w", what, err))
		}
	})
}

// stop ends and awaits them, and returns what the first failure was.
func (t *tasks) stop() error {
	err := context.Cause(t.ctx)
	t.cancel(context.Canceled)
	t.wg.Wait()
	return err
}
