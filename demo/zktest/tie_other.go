//go:build !linux

package zktest

import "os/exec"

// tieToParent does nothing: without Linux, only cleanups and Main end the servers.
func tieToParent(*exec.Cmd) {}
