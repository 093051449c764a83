//go:build unix

package cli_test

import "syscall"

// ownTerminal has a process head a session of its own, on the terminal that it is given.
func ownTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, Setctty: true} }
