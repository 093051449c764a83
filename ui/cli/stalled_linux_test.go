package cli_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func TestSignalEndsADashboardWithUnreadOutput(t *testing.T) {
	t.Parallel()
	p, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer tty.Close()
	before, err := term.GetState(p.Fd())
	if err != nil {
		t.Fatal(err)
	}
	// A frame must be larger than the buffer of a pseudo terminal.
	if err := pty.Setsize(p, &pty.Winsize{Rows: 200, Cols: 500}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("electop", "demo")
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = tty, tty, tty, ownTerminal()
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-exited
	})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(waitFor)
	for held := 0; ; {
		if held < 4095 { // the largest value of TIOCINQ
			held, _ = unix.IoctlGetInt(int(p.Fd()), unix.TIOCINQ)
			if held >= 4095 {
				cmd.Process.Signal(syscall.SIGTERM)
			}
		}
		select {
		case <-exited:
			if code := cmd.ProcessState.ExitCode(); code != 143 {
				t.Errorf("exit code %d, want 143", code)
			}
			if after, err := term.GetState(p.Fd()); err != nil || *after != *before {
				t.Errorf("the terminal's modes were not restored: %v", err)
			}
			return
		case <-tick.C:
		case <-deadline:
			t.Fatalf("still running, with %d bytes unread", held)
		}
	}
}
