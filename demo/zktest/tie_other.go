//go:build !linux

package zktest

import "os/exec"

func tieToParent(*exec.Cmd) {}
