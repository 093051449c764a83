package zktest

import (
	"os/exec"
	"syscall"
)

// The kernel kills the child when the thread that starts the child ends.
func tieToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
