// Package exit has the exit codes of the commands and the errors that carry
// them.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io"

	"electop/model/znode"
)

const (
	OK          = 0
	Failure     = 1
	Usage       = 2
	NoServer    = 3
	NoCandidate = 4
	Finding     = 5

	// With a command to run, as a shell has them: failures that are not the command's.
	Own           = 125
	CannotExecute = 126
	NotFound      = 127

	// 128 and the number of the signal that ended the command.
	HangUp    = 129
	Signal    = 130
	Quit      = 131
	Abort     = 134
	Terminate = 143
)

// Code is an exit code and what it means.
type Code struct {
	Number  int
	Meaning string
}

// Codes lists them for the help.
func Codes() []Code {
	return []Code{
		{OK, "success"},
		{Failure, "failure. Also: PATH does not exist or cannot be read; the servers refuse the credentials; something that must hold did not hold under demo --chaos --headless"},
		{Usage, "wrong usage: a flag, an argument or a file that a flag names"},
		{NoServer, "no server reached within --connect-timeout"},
		{NoCandidate, "status: nobody leads: there is no candidate, no leader, or it is not known who leads. doctor: nobody leads, which is critical if it lasts. " +
			"Of several elections one is enough. discover --problems: there is one"},
		{Finding, "doctor: at least one finding of one election is critical"},
		{Own, "campaign -- CMD: failure of electop itself, in place of 1 to 3"},
		{CannotExecute, "campaign -- CMD: CMD cannot be executed"},
		{NotFound, "campaign -- CMD: CMD was not found. Every other code is CMD's"},
		{HangUp, "ended by SIGHUP: its terminal was closed"},
		{Signal, "interrupted: Ctrl-C, SIGINT"},
		{Quit, "ended by SIGQUIT: Ctrl-\\"},
		{Abort, "ended by SIGABRT, as systemd's watchdog sends it"},
		{Terminate, "ended by SIGTERM, as kill and systemd send it. exporter: 0"},
	}
}

// Error is an error that has an exit code of its own.
type Error struct {
	Code int
	Err  error
}

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }

// Usagef returns an error about wrong usage.
func Usagef(format string, args ...any) error {
	return Error{Usage, fmt.Errorf(format, args...)}
}

// Passed is an exit code without a message: that of a command that electop ran, or of
// errors that were printed already.
type Passed int

func (p Passed) Error() string { return fmt.Sprintf("exit code %d", int(p)) }

// OfItself turns an error of a command line with a command to run into one that cannot
// be taken for the command's.
func OfItself(err error) error {
	var e Error
	var p Passed
	switch {
	case err == nil, errors.As(err, &p), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &e) && (e.Code == Signal || e.Code >= Own):
		return err
	}
	return Error{Own, err}
}

var (
	// Empty is the end of `status` without a candidate, and of `discover --problems` with
	// one. It prints no message: the output says it.
	Empty = Error{NoCandidate, errors.New("the election is empty")}
	// Critical is the end of `doctor` with a critical finding, also without a message.
	Critical = Error{Finding, errors.New("something critical was found")}
	// Interrupted is the end by a signal.
	Interrupted = Error{Signal, errors.New("interrupted")}
)

// Report writes err for the user, on one line, and returns the exit code.
func Report(w io.Writer, err error) int {
	if err == nil {
		return OK
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
		e = Error{Failure, err}
	}
	if e.Code != NoCandidate && e.Code != Finding && e.Code != Signal {
		fmt.Fprintf(w, "electop: %s\n", znode.Safe(err.Error(), 1000))
	}
	return e.Code
}
