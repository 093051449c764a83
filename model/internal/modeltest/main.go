// Package modeltest has what the tests of package model and its subpackages share: elections to
// observe (Tree, Crowd, DrawPast), a Script that compares events, and a comparison of states.
package modeltest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests, and fails if they leave goroutines behind. It makes garbage
// collection rarer, because the tests need little memory.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
