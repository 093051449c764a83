package zktest

import (
	"testing"
	"time"
)

// Await polls, for a minute at most, until a condition holds that has no event: what
// a server answers, or what another process did. Where there is an event, wait for
// that.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startTimeout); !holds(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, startTimeout)
		}
	}
}
