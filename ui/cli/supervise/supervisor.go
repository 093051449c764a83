// Package supervise runs a command as long as this process leads an election, and never
// longer than its lease.
//
// A [Supervisor] learns from its caller when leadership begins and when it is in doubt. It
// runs the command below a guard: this program again, as a process of its own and the head
// of a process group. The guard ends the command and all that it started, SIGTERM first and
// then SIGKILL, when the supervisor requests it or ends (its pipe is closed), or is stopped
// for so long that it announces no later end of the lease. A guard that is stopped is
// continued. If it does not act, or was killed, the supervisor kills all.
//
// On Linux the guard, and if it is killed the supervisor, are the parents of orphans: all
// that the command started is below them, and is killed until none is left. So a process
// with a Supervisor starts no others meanwhile. On macOS there are only process groups.
//
// The lease's end is a moment on a clock that all processes share and that counts the
// machine's sleep. The command outlives the lease only if neither process can act: stopped
// or killed at once, as on a machine that was paused.
package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A Supervisor runs a command whenever this process leads. [Supervisor.Lead] and
// [Supervisor.Stop] are for the goroutine of the candidate, and [Supervisor.Close] for
// another.
type Supervisor struct {
	Command Command
	Once    bool // the command is not run again after leadership was in doubt
	// Lease is the present lease; it may be called by several goroutines.
	Lease func() Lease
	// Over is called, by a goroutine of its own, when the command will not be run any more.
	Over func()

	mu     sync.Mutex
	reign  *reign // nil while the command may not run
	over   bool
	result error
	exited bool
	code   int
}

// A reign is a time in which the command may run.
type reign struct {
	stop chan struct{}
	done chan struct{} // closed when nothing of the command is left
	once sync.Once
}

func (r *reign) end() {
	r.once.Do(func() { close(r.stop) })
	<-r.done
}

// Lead says that this process leads, and runs the command with env added to the
// environment. It does not wait. Until Stop it may be called again, without effect.
func (s *Supervisor) Lead(env []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.reign != nil {
		return
	}
	r := &reign{stop: make(chan struct{}), done: make(chan struct{})}
	s.reign = r
	go func() {
		defer close(r.done)
		s.rule(r, env)
	}()
}

// Stop says that leadership is in doubt, and returns when nothing of the command is left.
func (s *Supervisor) Stop() {
	s.mu.Lock()
	r := s.reign
	s.mu.Unlock()
	if r == nil {
		return
	}
	r.end()
	s.mu.Lock()
	s.reign = nil
	s.mu.Unlock()
}

// Close stops the command for good, and returns when nothing of it is left.
func (s *Supervisor) Close() {
	s.mu.Lock()
	s.over = true
	r := s.reign
	s.mu.Unlock()
	if r != nil {
		r.end()
	}
}

// Result is how it ended: exited tells whether the command ended by itself, with an exit
// code. err is a [*Failure], or nil.
func (s *Supervisor) Result() (code int, exited bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code, s.exited, s.result
}

// rule runs the command in a reign. The guard may have stopped it while leadership was
// never in doubt, because this process was stopped: then it is run again.
func (s *Supervisor) rule(r *reign, env []string) {
	for {
		select {
		case <-r.stop:
			return
		default:
		}
		e := s.Command.run(r.stop, env, s.Lease)
		if s.ended(e) {
			return
		}
		select {
		case <-r.stop:
			return
		case <-time.After(look):
		}
	}
}

// ended takes in how a run ended, and tells whether it was the last.
func (s *Supervisor) ended(e ending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return true
	}
	switch {
	case e.failure != nil:
		s.result = e.failure
	case e.exited:
		s.code, s.exited = e.code, true
	case s.Once && e.ran:
		s.result = failed("leadership was in doubt, so %s was stopped", s.Command.Args[0])
	default:
		return false
	}
	s.over = true
	go s.Over()
	return true
}

// A Lease is until when the servers are sure to keep the session of a leader.
type Lease struct {
	End     time.Time
	Timeout time.Duration // of the session
}

// Shares of the session timeout, before the end of the lease.
const (
	stopShare = 10 // a leader stops: the candidate does so at the same time
	killShare = 20 // nothing of the command runs any more
)

// limits are the moments, by clock, at which the command is to be stopped and killed.
type limits struct{ stop, kill time.Duration }

// limits are the zero value if the lease has not begun or is over.
func (l Lease) limits() limits {
	// The clock first: after a pause between the two the limits are too early, not too late.
	at, now := clock(), time.Now()
	left := min(l.End.Sub(now), l.End.Round(0).Sub(now.Round(0)))
	if l.End.IsZero() || left <= 0 {
		return limits{}
	}
	return limits{stop: at + left - l.Timeout/stopShare, kill: at + left - l.Timeout/killShare}
}

// line is what the guard reads, see [parseLimits].
func (l limits) line() []byte { return fmt.Appendf(nil, "%d %d\n", l.stop, l.kill) }

func parseLimits(line string) (l limits, err error) {
	_, err = fmt.Sscanf(line, "%d %d", &l.stop, &l.kill)
	return l, err
}

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
