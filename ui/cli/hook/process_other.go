//go:build !unix

package hook

import (
	"context"
	"os"
	"os/exec"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", command)
}

// There are no groups of processes: what the command started outlives it.
func alone(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }
