package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Exit codes for failures that are not the command's, as a shell and env have them.
const (
	OwnFailure    = 125
	CannotExecute = 126
	NotFound      = 127
)

// A Failure is why a command did not run, or does not any more.
type Failure struct {
	Code int // an exit code
	Err  error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

func failed(format string, args ...any) *Failure {
	return &Failure{OwnFailure, fmt.Errorf(format, args...)}
}

// Find returns a [Failure] if there is no such command, or it cannot be executed.
func Find(name string) error {
	if _, err := exec.LookPath(name); err != nil && !errors.Is(err, exec.ErrDot) {
		return notStarted(name, err)
	}
	return nil
}

// notStarted is the failure of an attempt to find or start a command.
func notStarted(name string, err error) *Failure {
	var started *fs.PathError
	if errors.As(err, &started) {
		if _, there := os.Stat(started.Path); there == nil && errors.Is(err, fs.ErrNotExist) {
			return &Failure{NotFound, fmt.Errorf("%s: its interpreter was not found", name)}
		}
		err = started.Err
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return &Failure{NotFound, fmt.Errorf("%s: command not found", name)}
	}
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return &Failure{CannotExecute, fmt.Errorf("%s cannot be executed: %w", name, err)}
}

// exitCode is the exit code of a process as a shell has it: 128 and the number of the
// signal that ended it.
func exitCode(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}
