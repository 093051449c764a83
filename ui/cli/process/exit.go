// Package process holds what commands need from their own process: exit codes, goroutines that end
// together ([Tasks]), the terminal ([Screen], [ReadLine]) and the build ([Build]).
//
// A command returns an error; [Report] prints the error and returns the exit code. A dashboard never
// queries its terminal, because the reply would arrive among the keys.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"

	"electop/model/znode"
)

const (
	ExitOK       = 0
	ExitFailure  = 1
	ExitUsage    = 2
	ExitNoServer = 3
	ExitNoLeader = 4
	ExitFinding  = 5

	// The programs env and timeout use the same codes.
	ExitOwn           = 125
	ExitCannotExecute = 126
	ExitNotFound      = 127

	// Each is 128 plus the number of the signal that ended electop.
	ExitHangUp    = 129
	ExitInterrupt = 130
	ExitQuit      = 131
	ExitAbort     = 134
	ExitTerminate = 143
)

// ExitCode is an exit code and what it means.
type ExitCode struct {
	Number  int
	Meaning string
}

// ExitCodes lists the exit codes for the help.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "success"},
		{ExitFailure, "failure. Also: PATH does not exist or cannot be read; the servers refuse the credentials; demo --chaos --headless found a violated invariant"},
		{ExitUsage, "wrong usage: a flag, an argument or a file that a flag names"},
		{ExitNoServer, "no server reached within --connect-timeout. check: the program never joined"},
		{ExitNoLeader, "status: there is no candidate or no leader, or it is not known who leads. doctor: nobody leads, which is critical if it lasts. " +
			"One such election of several is enough. discover --problems: it lists at least one election"},
		{ExitFinding, "doctor: at least one finding of one election is critical. check: the program fails at least one check"},
		{ExitOwn, "campaign -- CMD: failure of electop itself, in place of 1 to 3"},
		{ExitCannotExecute, "campaign -- CMD: CMD cannot be executed"},
		{ExitNotFound, "campaign -- CMD: CMD was not found. Every other code is CMD's, if no signal ended electop"},
		{ExitHangUp, "ended by SIGHUP: its terminal was closed"},
		{ExitInterrupt, "interrupted: Ctrl-C, SIGINT"},
		{ExitQuit, "ended by SIGQUIT: Ctrl-\\"},
		{ExitAbort, "ended by SIGABRT, as systemd's watchdog sends it"},
		{ExitTerminate, "ended by SIGTERM, as kill and systemd send it. exporter: 0"},
	}
}

// Error is an error with its own exit code.
type Error struct {
	Code int
	Err  error
}

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }

// Usagef returns an error about wrong usage.
func Usagef(format string, args ...any) error {
	return Error{ExitUsage, fmt.Errorf(format, args...)}
}

// Passed is an exit code without a message. It is the code of a command that electop ran, or of an
// error that was already printed.
type Passed int

func (p Passed) Error() string { return fmt.Sprintf("exit code %d", int(p)) }

// OfItself gives a failure of electop the exit code [ExitOwn], because the other codes belong to the
// command that electop runs. Interrupts, [Passed] and codes of [ExitOwn] or higher are unchanged.
func OfItself(err error) error {
	var e Error
	var p Passed
	switch {
	case err == nil, errors.As(err, &p), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &e) && e.Code >= ExitOwn:
		return err
	}
	return Error{ExitOwn, err}
}

var (
	// NoLeader ends `status`, `doctor` and `discover --problems`.
	NoLeader = Error{ExitNoLeader, errors.New("nobody leads")}
	// Critical ends `doctor` after a critical finding, and `check` after a failed check.
	Critical = Error{ExitFinding, errors.New("something critical was found")}
	// Interrupted ends a command after a signal. Package cli replaces the code by the signal's.
	Interrupted = Error{ExitInterrupt, errors.New("interrupted")}
)

// Report prints err on one line and returns its exit code. It prints nothing for an interrupt,
// [NoLeader], [Critical] and [Passed].
func Report(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	var e Error
	var p Passed
	switch {
	case errors.As(err, &p):
		return int(p)
	case errors.Is(err, context.Canceled):
		e = Interrupted
	case errors.As(err, &e):
	default:
		e = Error{ExitFailure, err}
	}
	if e.Code != ExitNoLeader && e.Code != ExitFinding && e.Code != ExitInterrupt {
		fmt.Fprintf(w, "electop: %s\n", znode.Safe(err.Error(), 1000))
	}
	return e.Code
}
