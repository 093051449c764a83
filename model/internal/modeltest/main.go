// Package modeltest is what the tests of model's rooms share: elections to observe
// (Tree, Sim, Crowd, and the random past of DrawPast), a Script of observations with
// the events that it wants, and what compares and replays the result.
package modeltest

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// Main runs a package's tests: with 250 random histories each, as they are short,
// unless the command line says another number, and without leaking goroutines.
func Main(m *testing.M) {
	if err := flag.Set("rapid.checks", "250"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
