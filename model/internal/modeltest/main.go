// Package modeltest has what the tests below package model share: elections to observe
// (Tree, Crowd, and the random past of DrawPast), a Script of observations with the
// expected events, and a comparison of states.
package modeltest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests, and fails if they leave goroutines behind. The tests make
// much garbage and use little memory, so the collector runs less often.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
