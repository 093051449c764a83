// Package modeltest has helpers for the tests of package model and its subpackages.
package modeltest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// Main runs tests, and fails if goroutines are left. Tests need little memory, so it makes garbage
// collection rarer.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
