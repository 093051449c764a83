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
	waitTimeout  = 60 * time.Second // a JVM starts slowly on a busy machine
	stopTimeout  = 10 * time.Second // time between SIGTERM and SIGKILL
	pollInterval = 20 * time.Millisecond
)

const maxLines = 10_000 // a Program drops further output lines

// Require skips the test if a command or file of a Debian package is missing; see the package comment.
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

// A Program is a process that a test starts.
type Program struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	exited chan struct{}

	mu    sync.Mutex
	lines []string
	next  int           // index of the first line that Line has not read
	more  chan struct{} // closed and replaced when a line is added; closed at the end
	ended bool
	err   error
}

// Run starts a program, which ends with the test. [Program.Output] includes standard error.
func Run(t testing.TB, command string, args ...string) *Program {
	t.Helper()
	p, err := start(command, args...)
	if err != nil {
		t.Fatalf("run %s: %v", command, err)
	}
	t.Cleanup(p.Kill)
	return p
}

func start(command string, args ...string) (*Program, error) {
	p := &Program{name: command, cmd: exec.Command(command, args...), exited: make(chan struct{}), more: make(chan struct{})}
	tieToParent(p.cmd)
	ownGroup(p.cmd)
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
		// On Linux, the kernel kills the child when this thread ends; see tieToParent.
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
		io.Copy(io.Discard, out) // the rest after a line that is too long for the scanner
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

// WriteLine writes a line to the program's standard input.
func (p *Program) WriteLine(t testing.TB, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(p.stdin, line); err != nil {
		t.Fatalf("write %q to %s: %v\n%s", line, p.name, err, p.Output())
	}
}

// Line waits for the next output line that contains text, and returns the part after text.
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

// Await waits until the program has written line, before or after the call of Await.
func (p *Program) Await(t testing.TB, line string) {
	t.Helper()
	p.wait(t, line, func() bool { return slices.Contains(p.lines, line) })
}

// wait holds p.mu during each call of done.
func (p *Program) wait(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.After(waitTimeout)
	for {
		p.mu.Lock()
		ok, more, ended, err := done(), p.more, p.ended, p.err
		p.mu.Unlock()
		switch {
		case ok:
			return
		case ended:
			t.Fatalf("%s ended (%v) without a line with %q:\n%s", p.name, err, what, p.Output())
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("%s wrote no line with %q within %v:\n%s", p.name, what, waitTimeout, p.Output())
		}
	}
}

// Output returns the program's output so far.
func (p *Program) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// Finish closes the program's standard input and waits for the program's end. An exit code other than 0 fails the test.
func (p *Program) Finish(t testing.TB) {
	t.Helper()
	p.stdin.Close()
	select {
	case <-p.exited:
	case <-time.After(waitTimeout):
		t.Fatalf("%s did not end within %v after the end of its input:\n%s", p.name, waitTimeout, p.Output())
	}
	if p.err != nil {
		t.Fatalf("%s: %v\n%s", p.name, p.err, p.Output())
	}
}

// Pause stops the program's process with SIGSTOP until Resume or Kill.
func (p *Program) Pause(t testing.TB) { p.signal(t, pauseProcess, "pause") }

// Resume resumes a paused program with SIGCONT.
func (p *Program) Resume(t testing.TB) { p.signal(t, resumeProcess, "resume") }

func (p *Program) signal(t testing.TB, send func(*os.Process) error, what string) {
	t.Helper()
	if err := send(p.cmd.Process); err != nil {
		t.Fatalf("%s %s: %v", what, p.name, err)
	}
}

// Kill kills the program and, on Unix, the processes that it started.
func (p *Program) Kill() {
	if p.Ended() { // its process id may already belong to another process
		return
	}
	killGroup(p.cmd.Process)
	<-p.exited
}

func (p *Program) stop() {
	resumeProcess(p.cmd.Process) // a paused process does not handle signals
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
