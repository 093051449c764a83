//go:build linux || darwin

package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

var wraps = [][]string{
	{"timeout", "600"},
	{"sh", "-c", `timeout 600 "$@"; true`, "sh"},
	{"bash", "-c", `set -m; "$@" & wait`, "bash"},
	{"setsid", "--wait"},
}

// stamper appends time stamps to a file. Its arguments are the file, the candidate's name and the number of
// stamper processes. Only the last of these processes ends after SIGTERM.
func stamper() {
	file, name, processes := os.Args[1], os.Args[2], 0
	_, _ = fmt.Sscan(os.Args[3], &processes)
	if os.Getenv("GUARD") == "" {
		_ = os.Setenv("GUARD", fmt.Sprint(os.Getppid()))
		var fence int
		_, _ = fmt.Sscan(os.Getenv("ELECTOP_FENCE"), &fence)
		wrap := wraps[fence%len(wraps)]
		if path, err := exec.LookPath(wrap[0]); err == nil && processes > 1 && runtime.GOOS == "linux" {
			_ = syscall.Exec(path, slices.Concat(wrap, []string{"stamper"}, os.Args[1:]), os.Environ())
		}
	}
	if processes > 1 {
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("stamper", file, name, fmt.Sprint(processes-1))
		_ = child.Start()
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	for ; err == nil; time.Sleep(5 * time.Millisecond) {
		_, err = fmt.Fprintln(f, time.Now().UnixNano(), os.Getenv("GUARD"), name, os.Getenv("ELECTOP_FENCE"), os.Getenv("ELECTOP_ZNODE"))
	}
	os.Exit(1)
}

type commandRun struct {
	first, last int64 // Unix time in nanoseconds
	guard       int   // the guard's process ID
	name        string
	fence       int64
	znode       string
}

func (s commandRun) String() string {
	return fmt.Sprintf("%s with fence %#x, guard %d: %s to %s", s.name, s.fence, s.guard,
		time.Unix(0, s.first).Format("15:04:05.000000"), time.Unix(0, s.last).Format("15:04:05.000000"))
}

type stamps struct {
	name string
	file *os.File
	rest []byte        // an incomplete line
	runs []*commandRun // in the order of their first lines
}

func newStamps(t *testing.T) *stamps {
	t.Helper()
	name := t.TempDir() + "/stamps"
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &stamps{name: name, file: f}
}

func (s *stamps) read(t *testing.T) {
	t.Helper()
	var b bytes.Buffer
	b.Write(s.rest)
	if _, err := b.ReadFrom(s.file); err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewReader(&b); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			s.rest = line
			return
		}
		var at int64
		var n commandRun
		if _, err := fmt.Sscanf(string(line), "%d %d %s %v %s", &at, &n.guard, &n.name, &n.fence, &n.znode); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		s.add(at, n)
	}
}

func (s *stamps) add(at int64, n commandRun) {
	for _, old := range s.runs[max(0, len(s.runs)-20):] {
		if old.guard == n.guard && old.fence == n.fence {
			old.first, old.last = min(old.first, at), max(old.last, at)
			return
		}
	}
	n.first, n.last = at, at
	s.runs = append(s.runs, &n)
}

func (s *stamps) awaitAfter(t *testing.T, what string, moment time.Time) commandRun {
	t.Helper()
	for deadline := time.Now().Add(3 * waitFor); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		s.read(t)
		if n := len(s.runs); n > 0 && s.runs[n-1].last > moment.UnixNano() {
			return *s.runs[n-1]
		}
	}
	t.Fatalf("no command runs after %s", what)
	return commandRun{}
}

func (s *stamps) check(t *testing.T) {
	t.Helper()
	s.read(t)
	for i, n := range s.runs {
		for _, before := range s.runs[max(0, i-20):i] {
			if n.first <= before.last && before.first <= n.last {
				t.Errorf("two commands ran together for %v:\n%v\n%v", time.Duration(min(n.last, before.last)-max(n.first, before.first)), before, n)
			}
			if n.fence < before.fence {
				t.Errorf("the fence decreased:\n%v\n%v", before, n)
			}
		}
	}
}
