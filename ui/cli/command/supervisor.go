// Package command runs commands of the user. A [Hook] runs a command for handoffs of the
// leadership. A [Supervisor] runs a command while this process leads an election, and ends the command
// before the end of the [Lease].
//
// The supervisor starts this program again as a guard, in a new process group. The guard runs the
// command. The supervisor sends the limits of the lease to the guard. The guard reports how the command
// ended.
//
// The guard ends all processes of the command, with SIGTERM and then SIGKILL. The guard does this if
// the supervisor requests it, if the supervisor has ended, or if the lease is not extended in time. If
// the command ends by itself, the guard kills the processes that are left. The supervisor continues a
// suspended guard when the command must end. If the guard does not act or was killed, the supervisor
// kills the processes of the command.
//
// On Linux a process whose parent has ended becomes a child of the guard, or of the supervisor if the guard
// was killed. The new parent kills all its descendants, except those that the supervisor had before the command.
// So a process with a Supervisor must not start other processes while a command runs. On macOS only groups are killed.
//
// The command can outlive the lease if guard and supervisor are both suspended or killed, as on a paused
// machine. A process that the guard cannot kill can outlive the lease, too. A sleep of the machine does
// not extend the lease, because the clock includes the sleep.
package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"electop/ui/cli/process"
)

// A Supervisor runs a command whenever this process leads. Only one goroutine may call [Supervisor.Lead] and
// [Supervisor.Stop]. The other methods are safe for concurrent use.
type Supervisor struct {
	Command Command
	Once    bool // do not run the command again after leadership was in doubt
	// Lease returns the current lease. It must be safe for concurrent use.
	Lease func() Lease
	// Over is called in its own goroutine when the command will not run again. Close does not call Over.
	Over func()

	mu     sync.Mutex
	reign  *reign // nil before Lead and after Stop
	over   bool
	result error
	exited bool
	code   int
}

// A reign is a period in which the command may run.
type reign struct {
	stop chan struct{}
	done chan struct{} // closed when no process of the command is left
	once sync.Once
}

func (r *reign) end() {
	r.once.Do(func() { close(r.stop) })
	<-r.done
}

// Lead starts the command with env added to the environment. It does not wait. A second call before Stop does nothing.
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
		s.supervise(r, env)
	}()
}

// Stop ends the command, and returns when no process of the command is left.
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

// Close ends the command, which will not run again, and returns when no process of the command is left.
func (s *Supervisor) Close() {
	s.mu.Lock()
	s.over = true
	r := s.reign
	s.mu.Unlock()
	if r != nil {
		r.end()
	}
}

// Result returns the exit code if the command ended by itself (exited). err is a [process.Error] or nil.
func (s *Supervisor) Result() (code int, exited bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code, s.exited, s.result
}

func (s *Supervisor) supervise(r *reign, env []string) {
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
		case <-time.After(checkInterval):
		}
	}
}

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

// A Lease is the time for which the servers certainly keep a leader's session.
type Lease struct {
	End     time.Time
	Timeout time.Duration // of the session
}

// The session timeout divided by a share is the time from a signal to the end of the lease.
const (
	stopShare = 10 // for SIGTERM; package candidate stops leading at the same time
	killShare = 20 // for SIGKILL
)

// limits holds the clock times at which SIGTERM and SIGKILL are due at the latest.
type limits struct{ stop, kill time.Duration }

func (l Lease) limits() limits {
	// clock is read first: if this process pauses in between, the limits are early, not late.
	at, now := clock(), time.Now()
	left := min(l.End.Sub(now), l.End.Round(0).Sub(now.Round(0)))
	if l.End.IsZero() || left <= 0 {
		return limits{}
	}
	return limits{stop: at + left - l.Timeout/stopShare, kill: at + left - l.Timeout/killShare}
}

func (l limits) line() []byte { return fmt.Appendf(nil, "%d %d\n", l.stop, l.kill) }

func parseLimits(line string) (l limits, err error) {
	_, err = fmt.Sscanf(line, "%d %d", &l.stop, &l.kill)
	return l, err
}

func failed(format string, args ...any) error {
	return process.Error{Code: process.ExitOwn, Err: fmt.Errorf(format, args...)}
}

// Find returns a [process.Error] if the command does not exist or cannot be executed.
func Find(name string) error {
	if _, err := exec.LookPath(name); err != nil && !errors.Is(err, exec.ErrDot) {
		return notStarted(name, err)
	}
	return nil
}

func notStarted(name string, err error) process.Error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		if _, statErr := os.Stat(pathErr.Path); statErr == nil && errors.Is(err, fs.ErrNotExist) {
			return process.Error{Code: process.ExitNotFound, Err: fmt.Errorf("%s: its interpreter was not found", name)}
		}
		err = pathErr.Err
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return process.Error{Code: process.ExitNotFound, Err: fmt.Errorf("%s: command not found", name)}
	}
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return process.Error{Code: process.ExitCannotExecute, Err: fmt.Errorf("%s cannot be executed: %w", name, err)}
}

func exitCode(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// The guard sends these reports, each as one line.
const (
	reportExit   = "exit"   // followed by the command's exit code
	reportFailed = "failed" // the command did not start; followed by an exit code and the reason
	reportLease  = "lease"  // the lease ends, so the command gets SIGTERM
)

// checkInterval bounds the time between clock reads, because timers stop while the machine sleeps.
const checkInterval = 100 * time.Millisecond

// A Command holds a command line and how to run it.
type Command struct {
	Args []string
	// Guard holds a program name and arguments that call [Guard]; Grace and Args follow.
	Guard          []string
	Stdout, Stderr io.Writer
	Grace          time.Duration // between SIGTERM and SIGKILL; the end of the lease can shorten it
}

type ending struct {
	ran     bool // the guard was started
	exited  bool // the command ended by itself, with code
	code    int
	failure error // the command could not run, or its guard was killed
}

type run struct {
	lease  func() Lease
	end    time.Time // the end of the lease from which limits were computed
	limits limits

	guard   *os.Process
	toGuard *os.File
	reports chan string   // closed when the guard has ended
	stopped time.Duration // clock time of the first SIGTERM; 0: not yet
	ending  ending
}

const checksPerTimeout = 40

// run runs the command, and returns when no process of the command is left.
func (c Command) run(stop <-chan struct{}, env []string, lease func() Lease) ending {
	r := &run{lease: lease, reports: make(chan string, 4)}
	timeout := lease().Timeout
	if !r.leased() || clock() >= r.limits.stop {
		return ending{}
	}
	spared := descendants() // after exec in a shell, this process has the shell's children
	exited, err := r.start(c, env)
	if err != nil {
		return ending{failure: failed("cannot run the watchdog of %s: %w", c.Args[0], err)}
	}
	defer r.toGuard.Close()
	r.announce()
	ticker := time.NewTicker(max(time.Millisecond, min(checkInterval, timeout/checksPerTimeout)))
	defer ticker.Stop()
	reports := r.reports
	for {
		select {
		case <-stop:
			stop = nil
			r.stop()
		case report, ok := <-reports:
			if !ok {
				reports = nil
				continue
			}
			r.reported(report)
		case <-ticker.C:
			r.tick()
		case code := <-exited:
			// A guard that exits with 0 or 128+15 leaves no process of the command.
			if code != 0 && code != 128+int(syscall.SIGTERM) {
				EndOrphans(r.guard.Pid, spared)
			}
			for report := range r.reports {
				r.reported(report)
			}
			if !r.ending.exited && r.ending.failure == nil && r.stopped == 0 {
				r.ending.failure = failed("the watchdog of %s was killed, so %[1]s was killed, too", c.Args[0])
			}
			if r.stopped != 0 && r.ending.failure == nil {
				r.ending = ending{}
			}
			r.ending.ran = true
			return r.ending
		}
	}
}

func (r *run) start(c Command, env []string) (exited <-chan int, err error) {
	if err := Adopt(); err != nil {
		return nil, err
	}
	path, err := self()
	if err != nil {
		return nil, err
	}
	fromUs, toGuard, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer fromUs.Close()
	fromGuard, toUs, err := os.Pipe()
	if err != nil {
		toGuard.Close()
		return nil, err
	}
	defer toUs.Close()
	cmd := &exec.Cmd{
		Path: path, Args: slices.Concat(c.Guard, []string{c.Grace.String()}, c.Args), Env: append(os.Environ(), env...),
		Stdin: fromUs, Stdout: c.Stdout, Stderr: c.Stderr, ExtraFiles: []*os.File{toUs},
		SysProcAttr: OwnGroup(), WaitDelay: time.Second, // for processes that still hold the output open
	}
	if err := cmd.Start(); err != nil {
		toGuard.Close()
		fromGuard.Close()
		return nil, err
	}
	r.guard, r.toGuard = cmd.Process, toGuard
	go func() {
		defer fromGuard.Close()
		defer close(r.reports)
		for lines := bufio.NewScanner(fromGuard); lines.Scan(); {
			r.reports <- lines.Text()
		}
	}()
	done := make(chan int, 1)
	go func() {
		_ = cmd.Wait()
		done <- exitCode(cmd.ProcessState.Sys().(syscall.WaitStatus))
	}()
	return done, nil
}

func (r *run) leased() bool {
	l := r.lease()
	limits := l.limits()
	if limits.kill <= 0 || !l.End.After(r.end) {
		return false
	}
	r.end, r.limits = l.End, limits
	return true
}

// announce sends the limits to the guard. A guard that does not read in time keeps the earlier limits.
func (r *run) announce() {
	_ = r.toGuard.SetWriteDeadline(time.Now().Add(checkInterval))
	if _, err := r.toGuard.Write(r.limits.line()); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		_ = r.guard.Kill()
	}
}

func (r *run) tick() {
	if r.leased() {
		r.announce()
	}
	now := clock()
	if r.stopped != 0 || now >= r.limits.stop {
		r.stop()
	}
	if now >= r.limits.kill+(r.limits.kill-r.limits.stop)/2 { // the guard did not act in time
		_ = r.guard.Kill()
	}
}

// stop makes the guard end the command. Repeated calls continue a guard that was suspended again.
func (r *run) stop() {
	if r.stopped == 0 {
		r.stopped = clock()
	}
	terminate(r.guard)
}

func (r *run) reported(report string) {
	what, rest, _ := strings.Cut(report, " ")
	switch what {
	case reportExit:
		if _, err := fmt.Sscan(rest, &r.ending.code); err == nil {
			r.ending.exited = true
		}
	case reportFailed:
		var code int
		var why string
		if _, err := fmt.Sscanf(rest, "%d %q", &code, &why); err == nil {
			r.ending.failure = process.Error{Code: code, Err: errors.New(why)}
		}
	case reportLease:
		if r.stopped == 0 {
			r.stopped = clock() // the guard sent SIGTERM
		}
	}
}
