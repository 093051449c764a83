//go:build !unix

package command

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", command)
}

// OwnGroup returns nil, so processes of a command can outlive the command.
func OwnGroup() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) error { return p.Kill() }

const Suspend, Continue = syscall.Signal(0), syscall.Signal(0)

// Signal does nothing.
func Signal(int, syscall.Signal) {}
