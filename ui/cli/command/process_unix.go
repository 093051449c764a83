//go:build unix

package command

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", command)
}

// OwnGroup returns attributes that start a process in its own group.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

// Suspend and Continue are signals that suspend and continue a process.
const Suspend, Continue = syscall.SIGSTOP, syscall.SIGCONT

// Signal signals the group that process pid leads and, on Linux, all descendants of pid.
func Signal(pid int, sig syscall.Signal) {
	for _, p := range append(Descendants(pid, nil), -pid) {
		_ = syscall.Kill(p, sig)
	}
}
