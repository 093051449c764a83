package zktest

import (
	"os/exec"
	"syscall"
)

// tieToParent makes the kernel kill the child when the thread that started the child ends.
func tieToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
