//go:build linux || darwin

package supervise

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Supported tells whether commands can be supervised on this system.
const Supported = true

func read(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err) // every system that this is built for has the clock
	}
	return time.Duration(t.Nano())
}

// ownGroup makes a new process the head of a group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate has the guard end the command, even if the guard is stopped.
func terminate(guard *os.Process) {
	_ = guard.Signal(syscall.SIGTERM)
	_ = guard.Signal(syscall.SIGCONT)
}
