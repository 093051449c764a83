package cli_test

import (
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"electop/demo/zkserver"
)

// TestSignalsHaveTheirExitCodes ends a command by each signal. A shell and systemd tell
// SIGTERM from Ctrl-C by the exit code.
func TestSignalsHaveTheirExitCodes(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	for signal, code := range map[syscall.Signal]int{
		syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGQUIT: 131, syscall.SIGABRT: 134, syscall.SIGTERM: 143,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			out, errs := newLines(), newLines()
			cmd := exec.Command("electop", "campaign", unique("signal"), "--create", "--json", "-s", addr)
			cmd.Stdout, cmd.Stderr = out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				defer out.end()
				cmd.Wait()
			}()
			t.Cleanup(func() {
				cmd.Process.Kill()
				<-ended
			})
			out.await(t, "leading", func(s string) bool { return strings.Contains(s, `"belief":"leading"`) })
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			<-ended
			if got := cmd.ProcessState.ExitCode(); got != code || errs.all() != "" {
				t.Errorf("exit code %d, want %d; %s", got, code, errs.all())
			}
			if !strings.HasSuffix(out.all(), "\"detail\":\"interrupted\"}\n") || !strings.Contains(out.all(), `"belief":"resigned"`) {
				t.Errorf("it does not say that it resigned:\n%s", out.all())
			}
		})
	}
}

// TestInterruptedWithoutConnection interrupts a candidate that can't close its session.
// It must not say that it has.
func TestInterruptedWithoutConnection(t *testing.T) {
	t.Parallel()
	server, addr := zkserver.Start(t, zkserver.Options{})
	c := run(t, "campaign", "/e", "--create", "--json", "-s", addr, "--session-timeout", "30s")
	c.out.await(t, "leading", func(s string) bool { return strings.Contains(s, `"belief":"leading"`) })
	server.Close()
	c.out.await(t, "suspended", func(s string) bool { return strings.Contains(s, `"belief":"suspended"`) })
	c.cancel()
	if code := c.finish(t); code != 130 {
		t.Errorf("exit code %d: %s", code, c.errs.all())
	}
	said := slices.Collect(strings.Lines(c.out.all()))
	if last := said[len(said)-1]; !strings.Contains(last, `"belief":"lost"`) || !strings.Contains(last, "interrupted without a connection") {
		t.Errorf("%s", said)
	}
}
