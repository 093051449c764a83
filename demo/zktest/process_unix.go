//go:build unix

package zktest

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group, so that killGroup also kills the command's children.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
}

func killGroup(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

func pauseProcess(p *os.Process) error     { return p.Signal(syscall.SIGSTOP) }
func resumeProcess(p *os.Process) error    { return p.Signal(syscall.SIGCONT) }
func terminateProcess(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
