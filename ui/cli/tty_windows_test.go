package cli_test

import "syscall"

// ownTerminal is never called, because pty.Open fails on Windows.
func ownTerminal() *syscall.SysProcAttr { return nil }
