// Package modeltest is what the tests of model's rooms share: elections to observe
// (Tree, Sim, Crowd, and the random past of DrawPast), a Script of observations with
// the events that it wants, and what compares and replays the result.
package modeltest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests, and fails if they leave goroutines behind. Histories are
// much garbage and little memory, so the collector runs less often.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
