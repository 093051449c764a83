//go:build unix

package ui

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSuspend(t *testing.T) {
	x := openTerminal(t, "run")
	x.shows("next volunteer gets 17")
	x.typed("\x1a")
	x.until("was given back", func(raw, _ string) bool { return strings.Contains(raw, leaveAlt) })
	// A program that waits for SIGCONT is not stopped here: its process group
	// is an orphan. So it goes on asking until it is heard.
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		x.cmd.Process.Signal(syscall.SIGCONT)
		x.mu.Lock()
		back := strings.Count(x.raw.String(), enterAlt) == 2
		x.mu.Unlock()
		if back {
			break
		}
		select {
		case <-x.more:
		case <-time.After(50 * time.Millisecond):
		}
	}
	x.until("was taken over again", func(raw, _ string) bool { return strings.Count(raw, enterAlt) == 2 })
	x.typed("j")
	x.until("moved on", func(raw, screen string) bool { return strings.Contains(screen, "2/5") })
	x.typed("q")
	x.restored("ended: <nil>")
}
