//go:build unix

package command_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/ui/cli/command"
)

const long = 10 * time.Minute

type run struct {
	*command.Hook
	t      *testing.T
	dir    string
	cancel context.CancelFunc

	mu    sync.Mutex
	notes []string
	out   bytes.Buffer
}

func start(t *testing.T, script string, timeout time.Duration) *run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{Hook: &command.Hook{Command: script, Timeout: timeout}, t: t, dir: t.TempDir(), cancel: cancel}
	r.Start(ctx, r, r.note, []string{"PATH=" + os.Getenv("PATH"), "DIR=" + r.dir})
	t.Cleanup(func() {
		cancel()
		r.Close()
	})
	return r
}

func (r *run) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *run) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Write(b)
}

func (r *run) printed() (notes, output string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.notes, "\n"), r.out.String()
}

func (r *run) awaitNote(want string) {
	r.t.Helper()
	zktest.Await(r.t, want, func() bool {
		notes, _ := r.printed()
		return strings.Contains(notes+"\n", want+"\n")
	})
}

func (r *run) awaitLines(name string, lines int) (all []string) {
	r.t.Helper()
	zktest.Await(r.t, name, func() bool {
		b, _ := os.ReadFile(filepath.Join(r.dir, name))
		all = strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		return strings.Count(string(b), "\n") == lines
	})
	return all
}

func (r *run) awaitEnd(pid string) {
	r.t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		r.t.Fatal(err)
	}
	zktest.Await(r.t, "the end of process "+pid, func() bool {
		if b, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && strings.Contains(string(b), ") Z ") {
			return true // a zombie
		}
		return syscall.Kill(n, 0) == syscall.ESRCH
	})
}

func TestHookInputAndOutput(t *testing.T) {
	t.Parallel()
	r := start(t, `cat; echo done >&2; test "$(cat "$DIR/n" 2>/dev/null)" = x && exit 3; printf x >"$DIR/n"`, long)
	r.Put(7, []byte("{\"n\":7}\n"))
	r.Put(9, []byte("{\"n\":9}\n"))
	r.Close()
	notes, out := r.printed()
	if notes != "--exec: event 7: exit status 0\n--exec: event 9: exit status 3" || out != "{\"n\":7}\ndone\n{\"n\":9}\ndone\n" {
		t.Errorf("notes %q, output %q: want exit status 0, then 3, and done after each event", notes, out)
	}
}

func TestHookTimeout(t *testing.T) {
	t.Parallel()
	r := start(t, `sleep 1000 & echo $! >"$DIR/pids"; echo $$ >>"$DIR/pids"; wait`, 2*time.Second)
	r.Put(1, nil)
	pids := r.awaitLines("pids", 2)
	r.awaitNote("--exec: event 1: killed after 2 s")
	r.awaitEnd(pids[0])
	r.awaitEnd(pids[1])
}

func TestHookKillsRemainingProcesses(t *testing.T) {
	t.Parallel()
	r := start(t, `sleep 1000 & echo $! >"$DIR/pids"`, long)
	r.Put(1, nil)
	r.awaitNote("--exec: event 1: exit status 0")
	r.awaitEnd(r.awaitLines("pids", 1)[0])
}

func TestHookDropsOldest(t *testing.T) {
	t.Parallel()
	r := start(t, `cat >>"$DIR/runs"; while ! test -e "$DIR/go"; do sleep 0.01; done`, long)
	put := func(n int) { r.Put(uint64(n), fmt.Appendln(nil, n)) }
	put(1)
	r.awaitLines("runs", 1)
	for n := 2; n <= 101; n++ {
		put(n)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.Close()
	ran := r.awaitLines("runs", 1+command.WaitingMax)
	if ran[0] != "1" || ran[1] != "86" || ran[command.WaitingMax] != "101" {
		t.Errorf("the command ran for the events %v, want 1 and 86 to 101", ran)
	}
	notes, _ := r.printed()
	if n := strings.Count(notes, " dropped: more than 16 handoffs wait"); n != 84 || !strings.Contains(notes, "event 85 dropped") {
		t.Errorf("%d events were dropped, want 84, the last of them event 85: %s", n, notes)
	}
}

func TestHookWithUnknownCommand(t *testing.T) {
	t.Parallel()
	r := start(t, `no-such-command-anywhere`, long)
	r.Put(1, bytes.Repeat([]byte("x"), 1<<20)) // more than a pipe holds
	r.Close()
	notes, out := r.printed()
	if notes != "--exec: event 1: exit status 127" || !strings.Contains(out, "no-such-command-anywhere") {
		t.Errorf("notes %q, output %q: want exit status 127 and the command's name", notes, out)
	}
}

func TestHookInterrupt(t *testing.T) {
	t.Parallel()
	r := start(t, `echo $$ >"$DIR/pids"; sleep 1000`, long)
	r.Put(1, nil)
	pid := r.awaitLines("pids", 1)[0]
	r.Put(2, nil)
	r.Put(4, nil)
	r.cancel()
	r.Close()
	r.awaitEnd(pid)
	if notes, _ := r.printed(); notes != "--exec: event 1: killed: electop ends\n--exec: event 2 dropped: electop ends\n--exec: event 4 dropped: electop ends" {
		t.Errorf("notes %q: want event 1 killed, events 2 and 4 dropped", notes)
	}
}
