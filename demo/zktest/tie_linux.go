package zktest

import (
	"os/exec"
	"syscall"
)

// tieToParent has the kernel kill the child when the thread that starts it
// ends, which it does with this process, however that dies.
func tieToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
