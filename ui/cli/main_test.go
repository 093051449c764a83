package cli_test

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"electop/demo/zktest"
	"electop/ui/cli"
)

func TestMain(m *testing.M) {
	// A copy of the test binary with one of these names runs that function instead of the tests.
	testscript.Main(runner{m}, map[string]func(){"electop": electop, "stamper": stamper})
}

func electop() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// runner runs the tests and their cleanup before testscript ends the process.
type runner struct{ m *testing.M }

func (r runner) Run() int {
	os.Setenv("XDG_CONFIG_HOME", "/nowhere") // the tests must not use the user's configuration
	return zktest.Tests(r.m)
}
