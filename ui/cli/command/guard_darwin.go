package command

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// clock reads a time that all processes of this machine share. It counts while the machine
// sleeps, and nobody can set it.
func clock() time.Duration { return read(unix.CLOCK_MONOTONIC) }

func adopt() error { return nil }

func family() []int { return nil }

// signalAll sends a signal to the command's own group, if it made one, and then to the
// guard's, so that SIGKILL ends the guard, too.
func signalAll(command int, sig syscall.Signal) {
	_ = syscall.Kill(-command, sig)
	_ = syscall.Kill(-syscall.Getpid(), sig)
}

// endOrphans kills the group of a guard that has ended, and returns when the group is empty.
func endOrphans(guard int, _ []int) {
	for {
		err := syscall.Kill(-guard, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) { // only zombies
			return
		}
		time.Sleep(gonePause)
	}
}

func tied() *syscall.SysProcAttr { return nil }

// self returns this program's file.
func self() (string, error) { return os.Executable() }
