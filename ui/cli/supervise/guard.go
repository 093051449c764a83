package supervise

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// reportFile is where the guard finds the pipe for its reports.
const reportFile = 3

// What the guard reports, one a line.
const (
	reportExit   = "exit"   // and the command's exit code
	reportFailed = "failed" // and an exit code and why: the command could not be started
	reportLease  = "lease"  // the command is stopped: no later end of the lease was announced
)

// look is how often the clock is looked at. Timers stop while the machine sleeps.
const look = 100 * time.Millisecond

// A guard runs the command and ends the process group, itself included.
type guard struct {
	report *os.File
	grace  time.Duration
	limits limits

	termed  <-chan os.Signal // SIGTERM to the group, of which the supervisor is not a part
	told    <-chan limits    // closed when the supervisor has ended
	orphan  bool             // it has
	stopped time.Duration    // when the group got SIGTERM; 0: not yet
}

// Guard is the guard's process. Its standard input and its third file are the supervisor's
// pipes. It ends with the whole process group, and so returns only if it starts nothing.
func Guard(in io.Reader, grace time.Duration, args []string) error {
	if !headsGroup() || len(args) == 0 {
		return errors.New("electop campaign starts this command by itself")
	}
	runtime.LockOSThread() // the thread that the command is tied to
	report := os.NewFile(reportFile, "report")
	closeOnExec(report)
	// Signals whose default effect would end the guard before the command.
	termed := make(chan os.Signal, 1)
	signal.Notify(termed, syscall.SIGTERM)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	g := &guard{report: report, grace: grace, termed: termed, told: listen(in)}
	return g.run(args)
}

// listen passes on the limits that the supervisor announces.
func listen(in io.Reader) <-chan limits {
	told := make(chan limits)
	go func() {
		defer close(told)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			l, err := parseLimits(lines.Text())
			if err != nil {
				return
			}
			told <- l
		}
	}()
	return told
}

func (g *guard) run(args []string) error {
	if !g.awaitLease() {
		return nil
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stderr, tied()
	if errors.Is(cmd.Err, exec.ErrDot) {
		cmd.Err = nil
	}
	if err := cmd.Start(); err != nil {
		f := notStarted(args[0], err)
		g.say(fmt.Sprintf("%s %d %s", reportFailed, f.Code, strconv.Quote(f.Error())))
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its state says how it ended
	}()
	select {
	case <-g.termed: // meanwhile, maybe before there was a command to get it
		g.stop()
	default:
	}
	for {
		g.act()
		timer := time.NewTimer(g.next())
		select {
		case l, ok := <-g.told:
			if !ok {
				g.told, g.orphan = nil, true
			} else {
				g.limits = l
			}
		case <-g.termed:
			if g.stopped == 0 {
				g.stopped = clock()
			}
		case <-ended:
			g.say(fmt.Sprint(reportExit, " ", exitCode(cmd.ProcessState)))
			g.kill()
		case <-timer.C:
		}
		timer.Stop()
	}
}

// awaitLease waits for limits that are not over: they may be, if it took long to start
// the guard. It reports false if the command is not to run any more.
func (g *guard) awaitLease() bool {
	for {
		select {
		case l, ok := <-g.told:
			if g.limits = l; !ok {
				return false
			}
		case <-g.termed:
			return false
		}
		if clock() < g.limits.stop {
			return true
		}
	}
}

// act does what is due.
func (g *guard) act() {
	now := clock()
	late := now >= g.limits.stop
	if g.stopped == 0 && (late || g.orphan) {
		if late {
			g.say(reportLease)
		}
		g.stop()
	}
	if now >= g.limits.kill || g.orphan && now >= g.stopped+g.grace {
		g.kill()
	}
}

// next is how long to wait for something to be due.
func (g *guard) next() time.Duration {
	due := g.limits.stop
	if g.stopped != 0 {
		due = g.limits.kill
		if g.orphan {
			due = min(due, g.stopped+g.grace)
		}
	}
	return max(0, min(due-clock(), look))
}

func (g *guard) stop() {
	g.stopped = clock()
	ownPid().stop()
}

// kill does not return.
func (g *guard) kill() {
	for {
		ownPid().kill()
		time.Sleep(time.Second)
	}
}

// say reports, if there is still somebody to read it.
func (g *guard) say(what string) {
	_, _ = fmt.Fprintln(g.report, what)
}
