// Package modeltest has helpers for the tests of package model and its subpackages.
package modeltest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, and fails if goroutines are left. Unless GOGC is set, Main makes garbage
// collection rarer, because the tests need little memory.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
