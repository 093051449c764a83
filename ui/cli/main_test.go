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
	// The test binary is electop itself when a script or a terminal runs it
	// under that name.
	testscript.Main(runner{m}, map[string]func(){"electop": electop})
}

func electop() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// runner ends the shared server and looks for leaks before the exit.
type runner struct{ *testing.M }

func (r runner) Run() int {
	zktest.Main(r.M)
	return 0 // not reached: Main exits
}
