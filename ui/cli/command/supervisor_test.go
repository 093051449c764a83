//go:build linux || darwin

package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"electop/demo/zktest"
	"electop/ui/cli/command"
	"electop/ui/cli/process"
)

const (
	guardName = "guard-of-test"
	waitFor   = 20 * time.Second
)

func TestMain(m *testing.M) {
	if os.Args[0] == guardName {
		grace, err := time.ParseDuration(os.Args[1])
		if err == nil {
			err = command.Guard(os.Stdin, grace, os.Args[2:])
		}
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type supervised struct {
	*command.Supervisor
	over chan struct{}

	mu    sync.Mutex
	lease command.Lease
}

func lead(t *testing.T, timeout, grace time.Duration, renew bool, script string) (s *supervised, dir string) {
	t.Helper()
	return leadUntil(t, command.Lease{End: time.Now().Add(timeout), Timeout: timeout}, grace, renew, script)
}

func leadUntil(t *testing.T, lease command.Lease, grace time.Duration, renew bool, script string) (s *supervised, dir string) {
	t.Helper()
	dir = t.TempDir()
	s = &supervised{over: make(chan struct{}), lease: lease}
	var out bytes.Buffer
	s.Supervisor = &command.Supervisor{
		Command: command.Command{
			Args: []string{"sh", "-c", script}, Guard: []string{guardName},
			Stdout: &out, Stderr: &out, Grace: grace,
		},
		Lease: func() command.Lease {
			s.mu.Lock()
			defer s.mu.Unlock()
			if renew {
				s.lease.End = time.Now().Add(lease.Timeout)
			}
			return s.lease
		},
		Over: func() { close(s.over) },
	}
	t.Cleanup(func() {
		s.Close()
		if t.Failed() {
			code, exited, err := s.Result()
			t.Logf("the command printed %q; exit code %d, exited %v, error %v", out.String(), code, exited, err)
		}
	})
	s.Lead([]string{"DIR=" + dir})
	return s, dir
}

func await(t *testing.T, dir, name string) string {
	t.Helper()
	for deadline := time.Now().Add(waitFor); ; time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil && strings.HasSuffix(string(b), "\n") {
			return strings.TrimSpace(string(b))
		}
		if time.Now().After(deadline) {
			t.Fatalf("no file %s within %v", name, waitFor)
		}
	}
}

func alive(t *testing.T, pid string) bool {
	t.Helper()
	b, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		n, err := strconv.Atoi(pid)
		return err == nil && !errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func awaitDeath(t *testing.T, pid string) {
	t.Helper()
	for deadline := time.Now().Add(waitFor); alive(t, pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %s is alive after %v", pid, waitFor)
		}
	}
}

const stubborn = `trap 'echo > $DIR/sigterm' TERM
(trap '' TERM; exec sleep 60) & echo $! > $DIR/child
echo $$ > $DIR/pid
while :; do wait; done`

func TestResultHasTheExitCode(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137, "sleep 60 & exit 3": 3} {
		t.Run(script, func(t *testing.T) {
			s, _ := lead(t, time.Minute, time.Second, true, script)
			<-s.over
			if code, exited, err := s.Result(); code != want || !exited || err != nil {
				t.Errorf("exit code %d, exited %v, error %v; want %d, true, nil", code, exited, err, want)
			}
		})
	}
}

func TestStopLeavesNoProcess(t *testing.T) {
	s, dir := lead(t, time.Minute, 2*time.Second, true, stubborn)
	pid, child := await(t, dir, "pid"), await(t, dir, "child")
	s.Stop()
	if alive(t, pid) || alive(t, child) {
		t.Error("a process of the command is alive after Stop")
	}
	await(t, dir, "sigterm")
	select {
	case <-s.over:
		t.Error("the supervision is over after Stop, without Once")
	default:
	}
}

func TestCommandRunsAgain(t *testing.T) {
	s, dir := lead(t, time.Minute, waitFor, true, `echo $$ > $DIR/pid; exec sleep 60`)
	first := await(t, dir, "pid")
	s.Stop()
	if err := os.Remove(filepath.Join(dir, "pid")); err != nil {
		t.Fatal(err)
	}
	s.Lead([]string{"DIR=" + dir})
	if second := await(t, dir, "pid"); second == first {
		t.Error("the command did not run again")
	}
}

func TestOnceEndsTheSupervision(t *testing.T) {
	s, dir := lead(t, time.Minute, waitFor, true, `echo $$ > $DIR/pid; exec sleep 60`)
	s.Once = true
	await(t, dir, "pid")
	s.Stop()
	<-s.over
	var failure process.Error
	if _, exited, err := s.Result(); exited || !errors.As(err, &failure) || failure.Code != process.ExitOwn {
		t.Errorf("exited is %v, error %v; want false and an error of electop itself", exited, err)
	}
}

func TestGraceEndsWithTheLease(t *testing.T) {
	zktest.SecondTier(t)
	// SIGTERM is due 6 s before the end of the lease, SIGKILL 3 s before.
	end := time.Now().Add(9 * time.Second)
	_, dir := leadUntil(t, command.Lease{End: end, Timeout: time.Minute}, time.Hour, false, stubborn)
	child := await(t, dir, "child")
	await(t, dir, "sigterm")
	awaitDeath(t, child)
	if now := time.Now(); now.After(end) {
		t.Errorf("the command died %v after the lease", now.Sub(end))
	}
}

func TestCommandDiesWithItsGuard(t *testing.T) {
	s, dir := lead(t, time.Minute, time.Hour, true, `echo $PPID > $DIR/guard; `+stubborn)
	guard, err := strconv.Atoi(await(t, dir, "guard"))
	if err != nil {
		t.Fatal(err)
	}
	child := await(t, dir, "child")
	if err := syscall.Kill(guard, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.over
	if alive(t, child) {
		t.Error("a process of the command outlives the guard")
	}
	if _, exited, err := s.Result(); exited || err == nil || !strings.Contains(err.Error(), "watchdog") {
		t.Errorf("exited is %v, error %v; want false and an error about the watchdog", exited, err)
	}
}

func TestFind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"electop-no-such-command": 127, "/nowhere/command": 127, file: 126, t.TempDir(): 126} {
		var f process.Error
		if err := command.Find(name); !errors.As(err, &f) || f.Code != want {
			t.Errorf("%s: error %v, want exit code %d", name, err, want)
		}
	}
	if err := command.Find("sh"); err != nil {
		t.Error(err)
	}
}

// TestGuardRefusesAnotherGroup checks that Guard needs its own group, because Guard kills its group on macOS.
func TestGuardRefusesAnotherGroup(t *testing.T) {
	if syscall.Getpgrp() == syscall.Getpid() {
		t.Skip("this process leads a group")
	}
	if err := command.Guard(strings.NewReader(""), time.Second, []string{"true"}); err == nil {
		t.Error("Guard returns no error in the group of another process")
	}
}

func TestGuardWaitsIfTheFirstLimitsArePast(t *testing.T) {
	in, limits, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer limits.Close()
	reports, report, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reports.Close()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := limits.WriteString("1 2\n"); err != nil {
		t.Fatal(err)
	}
	guard := exec.Cmd{
		Path: path, Args: []string{guardName, "1s", "sh", "-c", "exit 7"}, Stdin: in, ExtraFiles: []*os.File{report},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	if err := guard.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	report.Close()
	if _, err := fmt.Fprintf(limits, "%d %[1]d\n", int64(math.MaxInt64)); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(reports)
	if err != nil || string(got) != "exit 7\n" {
		t.Errorf("the guard reports %q, error %v; want exit code 7", got, err)
	}
	_ = guard.Wait() // an error is expected on macOS, where the guard kills its own group
}
