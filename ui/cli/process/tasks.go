package process

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Tasks are goroutines with one owner. The first failure or panic ends them all. A panic
// becomes their error, so that the dashboard can restore the terminal.
type Tasks struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewTasks returns tasks that end with ctx at the latest.
func NewTasks(ctx context.Context) *Tasks {
	t := &Tasks{}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t
}

// Start runs f until the tasks' context ends. An error after that end is ignored.
func (t *Tasks) Start(what string, f func(context.Context) error) {
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

// Context ends with Stop or with the first failure, which is its cause.
func (t *Tasks) Context() context.Context { return t.ctx }

// Stop ends the goroutines and waits for them. It returns why they had ended before: the first
// failure, or the cause of the end of the context of [NewTasks]; otherwise nil.
func (t *Tasks) Stop() error {
	err := context.Cause(t.ctx)
	t.cancel(context.Canceled)
	t.wg.Wait()
	return err
}

// Await returns what f returns, or the cause of ctx's end if that comes first. In the second
// case f continues until it returns or the program ends. Await is for calls that cannot be
// cancelled: opening a FIFO that nobody has opened at its other end, or using a terminal.
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

// Sleep waits for d. If ctx ends first, Sleep returns its cause.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
