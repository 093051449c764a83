package cli_test

import "syscall"

// ownTerminal is never used: there are no pseudo terminals.
func ownTerminal() *syscall.SysProcAttr { return nil }
