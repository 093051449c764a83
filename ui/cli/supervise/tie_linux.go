package supervise

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of orphans among its descendants. In a container
// no other process may wait for them.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// tied has the kernel kill a new process when the thread that starts it ends.
func tied() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// self is this program's file, even if another version replaced it.
func self() (string, error) { return "/proc/self/exe", nil }

func closeOnExec(f *os.File) { syscall.CloseOnExec(int(f.Fd())) }
