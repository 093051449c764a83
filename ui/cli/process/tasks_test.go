package process_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"electop/ui/cli/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAwait(t *testing.T) {
	failed, why := errors.New("failed"), errors.New("why")
	if v, err := process.Await(t.Context(), func() (int, error) { return 7, failed }); v != 7 || err != failed {
		t.Errorf("%d, %v", v, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	later := make(chan struct{})
	v, err := process.Await(ctx, func() (int, error) {
		cancel(why)
		<-later
		return 7, nil
	})
	if v != 0 || err != why {
		t.Errorf("%d, %v", v, err)
	}
	close(later)
}
