//go:build linux || darwin

package supervise

import (
	"errors"
	"runtime"
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

// A group is a process group, named by the process that heads it.
type group int

// ownGroup makes a new process the head of a group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func (g group) stop() { _ = syscall.Kill(-int(g), syscall.SIGTERM) }
func (g group) kill() { _ = syscall.Kill(-int(g), syscall.SIGKILL) }

// gonePause is how long to wait before looking again for processes that were killed.
const gonePause = time.Millisecond

// end kills what is left of a group whose head was waited for, and returns when nothing
// of it is left.
func (g group) end() {
	for {
		err := syscall.Kill(-int(g), syscall.SIGKILL)
		for { // those whose parent has ended are children of this process now, see adopt
			if pid, err := syscall.Wait4(-int(g), nil, syscall.WNOHANG, nil); pid <= 0 && !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) && runtime.GOOS == "darwin" { // only zombies
			return
		}
		time.Sleep(gonePause)
	}
}

// headsGroup tells whether this process is the head of its group.
func headsGroup() bool { return syscall.Getpgrp() == syscall.Getpid() }

func ownPid() group { return group(syscall.Getpid()) }
