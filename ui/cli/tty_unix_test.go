//go:build unix

package cli_test

import "syscall"

// ownTerminal makes a process lead a session on its own terminal.
func ownTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, Setctty: true} }
