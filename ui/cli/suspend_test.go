//go:build unix

package cli_test

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestDashboardContinuesAfterSuspension(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 80, 24, "demo", "--cast", "4")
	x.sees("1/4", "leads")
	x.press("\x1a")
	x.waits("the end of the alternate screen", func(string) bool { return strings.Contains(x.output(), "\x1b[?1049l") })
	// The kernel does not stop an orphaned process group, so electop only waits for SIGCONT.
	deadline := time.After(waitFor)
	for back := false; !back; back = strings.Count(x.output(), "\x1b[?1049h") == 2 {
		x.cmd.Process.Signal(syscall.SIGCONT)
		select {
		case <-deadline:
			t.Fatal("the dashboard does not continue")
		case <-time.After(20 * time.Millisecond):
		}
	}
	x.press("jj")
	x.sees("3/4")
	x.press("k")
	x.sees("2/4")
	x.quits("q")
}
