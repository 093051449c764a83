package supervise

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// What the guard reports, one a line.
const (
	reportExit   = "exit"   // and the command's exit code
	reportFailed = "failed" // and an exit code and why: the command could not be started
	reportLease  = "lease"  // the command is stopped: no later end of the lease was announced
)

// look is how often the clock is looked at. Timers stop while the machine sleeps.
const look = 100 * time.Millisecond

// A Command is what to run.
type Command struct {
	Args []string // the command and its arguments
	// Guard is the command line of this program, its name included, that ends in a call
	// of [Guard].
	Guard          []string
	Stdout, Stderr io.Writer
	Grace          time.Duration // between SIGTERM and SIGKILL; the lease can end it
}

// An ending is how a run of the command ended.
type ending struct {
	ran     bool // the guard was started
	exited  bool // by itself, with
	code    int
	failure *Failure // nil, or why it could not run
}

// A run is one process of the command, with its guard.
type run struct {
	lease  func() Lease
	end    time.Time // of the lease, as the guard knows it
	limits limits

	guard   *os.Process
	toGuard *os.File
	reports chan string // closed when the guard has ended
	stopped time.Duration
	ending  ending
}

// lookShare is how often in a session timeout the lease is looked at.
const lookShare = 40

// run runs the command until it ends or stop is closed, and returns when nothing of it is
// left. env is added to this process's environment.
func (c Command) run(stop <-chan struct{}, env []string, lease func() Lease) ending {
	r := &run{lease: lease, reports: make(chan string, 4)}
	timeout := lease().Timeout
	if !r.leased() || clock() >= r.limits.stop {
		return ending{}
	}
	others := family() // a shell that execs electop leaves it its children
	exited, err := r.start(c, env)
	if err != nil {
		return ending{failure: failed("cannot run the watchdog of %s: %w", c.Args[0], err)}
	}
	defer r.toGuard.Close()
	r.announce()
	ticker := time.NewTicker(max(time.Millisecond, min(look, timeout/lookShare)))
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
			// SIGTERM ends only a guard that has not started anything.
			if code != 0 && code != 128+int(syscall.SIGTERM) {
				endOrphans(r.guard.Pid, others)
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

// start starts the guard. exited is its exit code when it has ended.
func (r *run) start(c Command, env []string) (exited <-chan int, err error) {
	if err := adopt(); err != nil {
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
		SysProcAttr: ownGroup(), WaitDelay: time.Second, // for what still has the output
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

// leased takes in a later end of the lease, and tells whether there is one.
func (r *run) leased() bool {
	l := r.lease()
	limits := l.limits()
	if limits.kill <= 0 || !l.End.After(r.end) {
		return false
	}
	r.end, r.limits = l.End, limits
	return true
}

// announce sends the guard the limits. A guard that does not read them in time acts by
// the earlier ones; one that cannot get them is of no use.
func (r *run) announce() {
	_ = r.toGuard.SetWriteDeadline(time.Now().Add(look))
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
	if now >= r.limits.kill+(r.limits.kill-r.limits.stop)/2 { // the guard cannot act
		_ = r.guard.Kill()
	}
}

// stop has the guard end the command. The guard may be stopped again and again.
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
			r.ending.failure = &Failure{code, fmt.Errorf("%s", why)}
		}
	case reportLease:
		if r.stopped == 0 {
			r.stopped = clock() // the guard has sent the signal
		}
	}
}
