// Package modeltest has what the tests of package model and its subpackages share.
package modeltest

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// The tests need little memory, so Main makes garbage collection rarer.
func Main(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
