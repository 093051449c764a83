//go:build !unix

package zktest

import (
	"errors"
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) { p.Kill() }

func pauseProcess(*os.Process) error       { return errors.ErrUnsupported }
func resumeProcess(*os.Process) error      { return errors.ErrUnsupported }
func terminateProcess(p *os.Process) error { return p.Kill() }
