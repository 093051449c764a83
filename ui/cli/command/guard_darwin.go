package command

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// clock is the same for all processes, includes the machine's sleep, and cannot be set.
func clock() time.Duration { return read(unix.CLOCK_MONOTONIC) }

// Adopt does nothing, because macOS cannot make this process the parent of orphans.
func Adopt() error { return nil }

// Descendants returns none on macOS.
func Descendants(int, []int) []int { return nil }

func descendants() []int { return nil }

// signalAll with SIGKILL ends the guard, too.
func signalAll(command int, sig syscall.Signal) {
	_ = syscall.Kill(-command, sig)
	_ = syscall.Kill(-syscall.Getpid(), sig)
}

// EndOrphans kills the group of a guard that has ended. It returns when SIGKILL fails.
func EndOrphans(guard int, _ []int) {
	for guard != 0 {
		err := syscall.Kill(-guard, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) { // no process, only zombies, or no permission
			return
		}
		time.Sleep(killPause)
	}
}

func killedWithParent() *syscall.SysProcAttr { return nil }

func self() (string, error) { return os.Executable() }
