//go:build linux || darwin

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

func TestExitCodeOfCampaign(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	dir := t.TempDir()
	program := func(name, content string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		return file
	}
	strange, orphan := program("strange", "\x00\x01"), program("orphan", "#!/nowhere/sh\n")
	for i, c := range []struct {
		args []string
		code int
		want string // on standard error
	}{
		{[]string{"--create", "--", "sh", "-c", "exit 0"}, 0, "withdrew: its command ended"},
		{[]string{"--create", "--once", "--", "sh", "-c", "exit 7"}, 7, "withdrew"},
		{[]string{"--create", "--json", "--", "sh", "-c", "exit 4"}, 4, `"detail":"its command ended"}`},
		{[]string{"--create", "--", "sh", "-c", "kill -9 $$"}, 137, "withdrew"},
		{[]string{"--create", "--", "sh", "-c", "exit 130"}, 130, "withdrew"},
		{[]string{"--create", "--", "electop-no-such-command"}, 127, "not found"},
		{[]string{"--create", "--", "/"}, 126, "cannot be executed"},
		{[]string{"--create", "--", strange}, 126, "electop: " + strange + " cannot be executed: exec format error\n"},
		{[]string{"--create", "--", orphan}, 127, "electop: " + orphan + ": its interpreter was not found\n"},
		{[]string{"--", "true"}, 125, "does not exist"},
		{[]string{"--no-such-flag", "--", "true"}, 125, "unknown flag"},
		{[]string{"--grace", "-1s", "--", "true"}, 125, "--grace"},
		{[]string{"--"}, 125, "no command"},
		{[]string{"--once"}, 2, "after --"},
		{[]string{"--no-such-flag"}, 2, "unknown flag"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			cmd := run(t, append([]string{"campaign", fmt.Sprint("/code", i), "-s", addr}, c.args...)...)
			if code := cmd.finish(t); code != c.code || !strings.Contains(cmd.errs.all(), c.want) || cmd.out.all() != "" {
				t.Errorf("exit code %d, want %d; standard error %q, want %q; output %q, want none", code, c.code, cmd.errs.all(), c.want, cmd.out.all())
			}
		})
	}
}

func TestCommandGetsFence(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := run(t, "campaign", "/fence", "--create", "--json", "-s", addr, "--", "sh", "-c", "echo $ELECTOP_PATH $ELECTOP_ZNODE $ELECTOP_FENCE")
	if code := c.finish(t); code != 0 {
		t.Fatalf("exit code %d: %s", code, c.errs.all())
	}
	var want string
	for line := range strings.Lines(c.errs.all()) {
		l := decode[struct {
			Belief       string
			Znode, Fence *string
		}](t, line)
		if l.Belief == "leading" {
			want = "/fence " + *l.Znode + " " + *l.Fence + "\n"
		}
	}
	if got := c.out.all(); got != want || want == "" {
		t.Errorf("the command printed %q, want %q", got, want)
	}
}

func TestCommandGetsEnvironment(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	cmd := exec.Command("electop", "campaign", "/environment", "--create", "-s", addr, "--", "sh", "-c", "echo $ELECTOP_AUTH $OTHER")
	cmd.Env = append(os.Environ(), "ELECTOP_AUTH=digest:u:p", "OTHER=value")
	if out, err := cmd.Output(); err != nil || string(out) != "digest:u:p value\n" {
		t.Errorf("the command printed %q, want both variables; error %v", out, err)
	}
}

func TestCommandStopsBeforeHandoff(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{Tick: 100 * time.Millisecond})
	path := unique("stopped")
	// The command needs longer to end than the session timeout.
	c := run(t, "campaign", path, "--create", "--session-timeout", "4s", "--grace", waitFor.String(), "-s", addr,
		"--", "sh", "-c", "trap 'sleep 5; echo stopped; exit 0' TERM; echo started; while :; do sleep 0.01; done")
	c.out.await(t, "a command", func(s string) bool { return s == "started\n" })
	next := run(t, "campaign", path, "-s", addr, "--yes", "--json")
	awaitBelief(t, next, "waiting")
	c.cancel()
	awaitBelief(t, next, "leading")
	if got := c.out.all(); got != "started\nstopped\n" {
		t.Errorf("another candidate leads, and the command printed %q, want that it started and stopped", got)
	}
	if code := c.finish(t); code != 130 {
		t.Errorf("exit code %d, want 130: %s", code, c.errs.all())
	}
}

func TestOnceEndsIfLeadershipIsInDoubt(t *testing.T) {
	t.Parallel()
	server, addr := zkserver.Start(t, zkserver.Options{})
	c := run(t, "campaign", "/once", "--create", "--once", "-s", addr, "--", "sh", "-c", "trap 'echo stopped; exit 0' TERM; echo started; while :; do sleep 0.01; done")
	c.out.await(t, "a command", func(s string) bool { return s == "started\n" })
	server.Close()
	if code := c.finish(t); code != 125 || !strings.Contains(c.errs.all(), "leadership was in doubt") {
		t.Errorf("exit code %d, want 125; standard error %q, want that leadership was in doubt", code, c.errs.all())
	}
	if got := c.out.all(); got != "started\nstopped\n" {
		t.Errorf("the command printed %q, want that it started and stopped once", got)
	}
}

func startStamper(t *testing.T, addr, path, name string, stamps *stamps, processes int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("electop", "campaign", path, "--create", "--yes", "-s", addr, "--session-timeout", "1s",
		"--grace", "200ms", "--", "stamper", stamps.name, name, strconv.Itoa(processes))
	output := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = output, output, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestCommandEndsIfElectopIsKilledOrSuspended(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t)
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			stamps, path := newStamps(t), unique("dies")
			first := startStamper(t, server.Addr, path, "amber", stamps, 3)
			stamps.awaitAfter(t, "the start", time.Now())
			startStamper(t, server.Addr, path, "birch", stamps, 1)
			if err := first.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			sent := time.Now()
			zktest.Await(t, "birch's command", func() bool { return stamps.awaitAfter(t, "the signal", sent).name == "birch" })
			stamps.check(t)
		})
	}
}

func TestPausedCommandWritesWithOldToken(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.Apache(t)
	stamps := newStamps(t)
	first := startStamper(t, server.Addr, "/paused", "amber", stamps, 1)
	old := stamps.awaitAfter(t, "the start", time.Now())
	startStamper(t, server.Addr, "/paused", "birch", stamps, 1)
	processes := []int{first.Process.Pid}
	out, err := exec.Command("ps", "-A", "-o", "pid=,pgid=").Output()
	if err != nil {
		t.Skip("no ps")
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 && f[1] == strconv.Itoa(old.guard) {
			pid, err := strconv.Atoi(f[0])
			if err != nil {
				t.Fatal(err)
			}
			processes = append(processes, pid)
		}
	}
	if len(processes) != 3 {
		t.Fatalf("got the processes %v, want electop, its guard and the command", processes)
	}
	for _, pid := range processes {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	paused := time.Now()
	var leader commandRun
	zktest.Await(t, "birch's command", func() bool {
		leader = stamps.awaitAfter(t, "the pause", paused)
		return leader.name == "birch"
	})
	command := processes[1] + processes[2] - old.guard // the order of ps is unknown
	if err := syscall.Kill(command, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	zktest.Await(t, "a write that is too late", func() bool {
		stamps.read(t)
		return stamps.runs[0].last > leader.first
	})
	if late := stamps.runs[0]; late.fence >= leader.fence {
		t.Errorf("the fencing token of the late write is %#x, not less than the leader's %#x", late.fence, leader.fence)
	}
	for _, pid := range processes {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	zktest.Await(t, "the end of the paused command", func() bool { return syscall.Kill(-old.guard, 0) != nil })
}

func TestSignalEndsTheCommandFirst(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	for signal, code := range map[syscall.Signal]int{syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			out := newLines()
			cmd := exec.Command("electop", "campaign", unique("command"), "--create", "-s", addr, "--", "sh", "-c", "echo $$; exec sleep 1000")
			cmd.Stdout = out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			pid := 0
			out.await(t, "the command's process", func(s string) bool {
				_, err := fmt.Sscanf(s, "%d\n", &pid)
				return err == nil
			})
			cmd.Process.Signal(signal)
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != code {
				t.Errorf("exit code %d, want %d", got, code)
			}
			if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
				t.Errorf("signal to the command: %v, want no such process", err)
			}
		})
	}
}
