package supervise

import (
	"os"
	"syscall"
)

func adopt() {}

func tied() *syscall.SysProcAttr { return nil }

// self is this program's file.
func self() (string, error) { return os.Executable() }

func closeOnExec(f *os.File) { syscall.CloseOnExec(int(f.Fd())) }
