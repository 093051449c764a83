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
	// The test binary runs electop or stamper if it has that name.
	testscript.Main(runner{m}, map[string]func(){"electop": electop, "stamper": stamper})
}

func electop() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// runner runs the tests, ends the shared server and looks for leaks, before testscript ends the process.
type runner struct{ m *testing.M }

func (r runner) Run() int {
	os.Setenv("XDG_CONFIG_HOME", "/nowhere") // the tests must not use the user's configuration
	return zktest.Tests(r.m)
}
