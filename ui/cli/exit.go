package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"electop/model/znode"
)

// Exit codes, as the README lists them.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNoServer    = 3
	exitEmpty       = 4
	exitCritical    = 5
	exitInterrupted = 130
)

// exitError is an error that has an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return exitError{exitUsage, fmt.Errorf(format, args...)}
}

// errEmpty is `status` finding nobody: no message, the output says it.
var errEmpty = exitError{exitEmpty, errors.New("the election is empty")}

// errCritical is `doctor` finding something critical, likewise.
var errCritical = exitError{exitCritical, errors.New("something critical was found")}

// errInterrupted is the end by a signal.
var errInterrupted = exitError{exitInterrupted, errors.New("interrupted")}

// report writes what the user has to know of err, one line, and returns the
// exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var e exitError
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		e = errInterrupted
	default:
		e = exitError{exitFailure, err}
	}
	if e.code != exitEmpty && e.code != exitCritical && e.code != exitInterrupted {
		fmt.Fprintf(w, "electop: %s\n", znode.Safe(err.Error(), 1000))
	}
	return e.code
}
