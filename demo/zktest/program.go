package zktest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	startTimeout = 60 * time.Second // a JVM on a busy machine with two cores
	stopTimeout  = 10 * time.Second // after SIGTERM, then SIGKILL
	pollInterval = 20 * time.Millisecond
)

// maxLines bounds what is kept of a program's output.
const maxLines = 10_000

// Require skips the test, or fails it if the environment says
// ELECTOP_TEST_ZOOKEEPER=required, where a command (a name to look up) or a
// file (an absolute path) is missing that the Debian package holds.
func Require(t testing.TB, debianPackage string, commandsAndFiles ...string) {
	t.Helper()
	for _, what := range commandsAndFiles {
		_, err := os.Stat(what)
		if !strings.HasPrefix(what, "/") {
			_, err = exec.LookPath(what)
		}
		if err == nil {
			continue
		}
		if os.Getenv("ELECTOP_TEST_ZOOKEEPER") == "required" {
			t.Fatalf("%s not found: apt-get install %s (ELECTOP_TEST_ZOOKEEPER=required): %v", what, debianPackage, err)
		}
		t.Skipf("SKIP: %s not found: apt-get install %s", what, debianPackage)
	}
}

// A Program is a third-party client, or a server, in a process of its own, read
// line by line. It ends with the test that started it and, on Linux, with the test
// binary, however that dies.
type Program struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	exited chan struct{}

	mu    sync.Mutex
	lines []string
	next  int           // the first line that Line has not passed
	more  chan struct{} // closed and replaced when something happened
	ended bool
	err   error
}

// Run starts a program. Its standard output and error are one.
func Run(t testing.TB, command string, args ...string) *Program {
	t.Helper()
	p, err := start(command, args...)
	if err != nil {
		t.Fatalf("run %s: %v", command, err)
	}
	t.Cleanup(p.Kill)
	return p
}

// start starts a program, which the caller ends.
func start(command string, args ...string) (*Program, error) {
	p := &Program{name: command, cmd: exec.Command(command, args...), exited: make(chan struct{}), more: make(chan struct{})}
	tieToParent(p.cmd)
	alone(p.cmd)
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		defer close(p.exited)
		defer out.Close()
		// The kernel ties the child to the thread that started it, not to the
		// process: the thread must live as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		w.Close()
		started <- err
		if err != nil {
			return
		}
		for in := bufio.NewScanner(out); in.Scan(); {
			p.add(in.Text())
		}
		io.Copy(io.Discard, out) // should a line have been too long
		err = p.cmd.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended, p.err = true, err
		close(p.more)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Program) add(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) < maxLines {
		p.lines = append(p.lines, line)
		close(p.more)
		p.more = make(chan struct{})
	}
}

// Say writes a line to the program's standard input.
func (p *Program) Say(t testing.TB, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		t.Fatalf("say %q to %s: %v\n%s", line, p.name, err, p.Output())
	}
}

// Line waits for the next line that contains a text and returns what follows
// the text. The lines before are passed over.
func (p *Program) Line(t testing.TB, text string) (rest string) {
	t.Helper()
	p.wait(t, text, func() (ok bool) {
		for p.next < len(p.lines) {
			line := p.lines[p.next]
			p.next++
			if _, rest, ok = strings.Cut(line, text); ok {
				return true
			}
		}
		return false
	})
	return rest
}

// Await waits for a line, which may have come and been passed over before.
func (p *Program) Await(t testing.TB, line string) {
	t.Helper()
	p.wait(t, line, func() bool { return slices.Contains(p.lines, line) })
}

func (p *Program) said(line string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.lines, line)
}

// wait waits until done, which is called with the lock held.
func (p *Program) wait(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.After(startTimeout)
	for {
		p.mu.Lock()
		ok, more, ended, err := done(), p.more, p.ended, p.err
		p.mu.Unlock()
		switch {
		case ok:
			return
		case ended:
			t.Fatalf("%s ended (%v) and never said %q:\n%s", p.name, err, what, p.Output())
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%s does not say %q:\n%s", p.name, what, p.Output())
		}
	}
}

// Output is all that the program has written so far.
func (p *Program) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// Finish closes the program's standard input and waits until it has ended,
// which it must do without an error.
func (p *Program) Finish(t testing.TB) {
	t.Helper()
	p.stdin.Close()
	select {
	case <-p.exited:
	case <-time.After(startTimeout):
		t.Fatalf("%s does not end with its input:\n%s", p.name, p.Output())
	}
	if p.err != nil {
		t.Fatalf("%s: %v\n%s", p.name, p.err, p.Output())
	}
}

// Pause stops the program's process (SIGSTOP): its connections stay open, and
// it does nothing. Resume undoes it; Kill ends a paused one too.
func (p *Program) Pause(t testing.TB) { p.signal(t, pauseProcess, "pause") }

// Resume lets a paused program run on (SIGCONT).
func (p *Program) Resume(t testing.TB) { p.signal(t, resumeProcess, "resume") }

func (p *Program) signal(t testing.TB, send func(*os.Process) error, what string) {
	t.Helper()
	if err := send(p.cmd.Process); err != nil {
		t.Fatalf("%s %s: %v", what, p.name, err)
	}
}

// Kill ends the program, and what it started, at once (SIGKILL) and waits until
// they are gone. It may be called again, and when the program has ended.
func (p *Program) Kill() {
	select {
	case <-p.exited: // its number may be somebody else's by now
		return
	default:
	}
	killGroup(p.cmd.Process)
	<-p.exited
}

// stop ends the program in order (SIGTERM), or kills it if that takes too long.
func (p *Program) stop() {
	resumeProcess(p.cmd.Process) // a paused process would not see the other signal
	terminateProcess(p.cmd.Process)
	select {
	case <-p.exited:
	case <-time.After(stopTimeout):
		p.Kill()
	}
}

// Ended reports whether the program has ended.
func (p *Program) Ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}
