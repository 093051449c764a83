package cli_test

import "syscall"

// ownTerminal: pseudo terminals are not to be had here, so that no test gets this far.
func ownTerminal() *syscall.SysProcAttr { return nil }
