//go:build linux || darwin

package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reportFile is the descriptor of the pipe to the supervisor.
const reportFile = 3

const killPause = 2 * time.Millisecond

type guard struct {
	report *os.File
	grace  time.Duration
	limits limits

	sigterm   <-chan os.Signal
	announced <-chan limits // from the supervisor; closed when no more limits can come
	orphan    bool          // announced was closed
	command   int           // the command's process ID
	stopped   time.Duration // clock time of the command's SIGTERM or end; 0: not yet
}

// Guard runs the command in args. The supervisor starts a process for Guard. Guard reads limits from in (stdin) and
// writes reports to reportFile. Guard returns only when its process has no child left.
func Guard(in io.Reader, grace time.Duration, args []string) error {
	if syscall.Getpgrp() != syscall.Getpid() || len(args) == 0 {
		return errors.New("this command is internal: electop campaign starts it")
	}
	if err := Adopt(); err != nil {
		return err
	}
	runtime.LockOSThread() // on Linux, the end of this thread would kill the command (see killedWithParent)
	report := os.NewFile(reportFile, "report")
	syscall.CloseOnExec(reportFile)
	// The default action of these signals would end the guard before the command.
	sigterm := make(chan os.Signal, 1)
	signal.Notify(sigterm, syscall.SIGTERM)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	g := &guard{report: report, grace: grace, sigterm: sigterm, announced: readLimits(in)}
	return g.run(args)
}

func readLimits(in io.Reader) <-chan limits {
	announced := make(chan limits)
	go func() {
		defer close(announced)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			l, err := parseLimits(lines.Text())
			if err != nil {
				return
			}
			announced <- l
		}
	}()
	return announced
}

func (g *guard) run(args []string) error {
	if !g.awaitLease() {
		return nil
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, killedWithParent()
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil
	}
	if err := cmd.Start(); err != nil {
		f := notStarted(args[0], err)
		g.send(fmt.Sprintf("%s %d %q", reportFailed, f.Code, f.Error()))
		return nil
	}
	g.command = cmd.Process.Pid
	ended, gone := make(chan struct{}), make(chan struct{})
	go g.wait(ended, gone)
	for {
		select {
		case l, ok := <-g.announced:
			if !ok {
				g.announced, g.orphan = nil, true
			} else {
				g.limits = l
			}
		case <-g.sigterm:
			if g.stopped == 0 {
				g.stop()
			}
		case <-ended:
			if ended = nil; g.stopped == 0 { // processes that the command left get no grace
				g.stopped, g.grace = clock(), 0
			}
		case <-gone:
			signalAll(g.command, syscall.SIGKILL) // on macOS, orphans are not children of the guard, so some can be left
			return nil
		case <-time.After(g.act()):
		}
	}
}

// wait closes gone when the guard has no child left; on Linux orphans are children, too.
func (g *guard) wait(ended, gone chan<- struct{}) {
	defer close(gone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if pid == g.command && ended != nil {
			g.send(fmt.Sprint(reportExit, " ", exitCode(status)))
			close(ended)
			ended = nil
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// awaitLease waits for limits in the future: the first can be past.
func (g *guard) awaitLease() bool {
	for {
		select {
		case l, ok := <-g.announced:
			if g.limits = l; !ok {
				return false
			}
		case <-g.sigterm:
			return false
		}
		if clock() < g.limits.stop {
			return true
		}
	}
}

func (g *guard) act() time.Duration {
	now := clock()
	if late := now >= g.limits.stop; g.stopped == 0 {
		if !late && !g.orphan {
			return min(g.limits.stop-now, checkInterval)
		}
		if late {
			g.send(reportLease)
		}
		g.stop()
	}
	left := min(g.limits.kill-now, g.grace-(now-g.stopped))
	if left <= 0 {
		signalAll(g.command, syscall.SIGKILL)
		left = -left / 8 // send SIGKILL less and less often: it may not be permitted
	}
	return max(killPause, min(left, checkInterval))
}

func (g *guard) stop() {
	signalAll(g.command, syscall.SIGTERM)
	g.stopped = clock()
}

// send ignores errors, because the supervisor may have ended.
func (g *guard) send(report string) {
	_, _ = fmt.Fprintln(g.report, report)
}

// Supported is true if a [Supervisor] can run commands on this system.
const Supported = true

func read(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err) // every supported system has the clock
	}
	return time.Duration(t.Nano())
}

// terminate makes the guard end the command, even if the guard is suspended.
func terminate(guard *os.Process) {
	_ = guard.Signal(syscall.SIGTERM)
	_ = guard.Signal(syscall.SIGCONT)
}
