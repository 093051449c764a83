package process

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Tasks are goroutines that the first error or panic ends together.
// A panic becomes an error, because the dashboard must restore the terminal.
type Tasks struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewTasks returns Tasks without goroutines. Their context ends with ctx, a failure or [Tasks.Stop].
func NewTasks(ctx context.Context) *Tasks {
	t := &Tasks{}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t
}

// Start runs f in a goroutine. The parameter what names f in errors.
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

// Context returns the context of all tasks. Any failure ends the context.
func (t *Tasks) Context() context.Context { return t.ctx }

// Stop ends the goroutines and waits for them. If the context had already ended, Stop returns the cause.
func (t *Tasks) Stop() error {
	err := context.Cause(t.ctx)
	t.cancel(context.Canceled)
	t.wg.Wait()
	return err
}

// Await returns the results of f. If ctx ends first, Await returns the cause, and f continues. Await is
// for calls that cannot be cancelled, such as opening a FIFO.
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

// Sleep waits for d. If ctx ends first, Sleep returns the cause.
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
