package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/ui/cli/process"
)

// A command of --exec gets each handoff as the line that --json prints, and neither one
// that hangs nor one that fails stops the events.
func TestExecOnHandoffs(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := zktest.Client(t, addr)
	create(t, raw, "/election", "", 0)
	handoffs := func(out string) (lines []string) {
		for line := range strings.Lines(out) {
			var l struct{ Type string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Type == "handoff" && strings.HasSuffix(line, "\n") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	file := filepath.Join(t.TempDir(), "got")
	good := run(t, "events", "/election", "--json", "--servers", addr, "--exec", "cat >>'"+file+"'; exit 3")
	hangs := run(t, "events", "/election", "--json", "--servers", addr, "--exec", "exec sleep 1000")
	for _, c := range []*command{good, hangs} {
		c.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
	}
	await := func(n int) {
		t.Helper()
		for _, c := range []*command{good, hangs} {
			c.out.await(t, "the handoffs", func(s string) bool { return len(handoffs(s)) == n })
		}
	}
	first := create(t, raw, "/election/n_", "host", contender)
	await(1)
	create(t, raw, "/election/n_", "host", contender)
	if err := raw.Delete(first, -1); err != nil {
		t.Fatal(err)
	}
	await(2)
	good.errs.await(t, "two runs", func(s string) bool { return strings.Count(s, ": exit status 3\n") == 2 })
	got, err := os.ReadFile(file)
	if want := strings.Join(handoffs(good.out.all()), ""); err != nil || string(got) != want {
		t.Errorf("the command got\n%s, %v; want\n%s", got, err, want)
	}
	for _, c := range []*command{good, hangs} {
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("exit code %d: %s", code, c.errs.all())
		}
	}
	if said := hangs.errs.all(); !strings.Contains(said, "killed: electop ends") {
		t.Errorf("of the one that hangs: %s", said)
	}
	for _, args := range [][]string{{"--exec", ""}, {"--exec-timeout", "1s"}, {"--exec", "true", "--exec-timeout", "0s"}} {
		_, errs := once(t, process.ExitUsage, append([]string{"events", "/election", "--servers", addr}, args...)...)
		if !strings.Contains(errs, "--exec") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %s", args, errs)
		}
	}
}

// The command of --exec does not get the credentials of electop, and with --count the
// last handoff's command is waited for.
func TestExecKeepsSecrets(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := zktest.Client(t, addr)
	create(t, raw, "/election", "", 0)
	cmd := exec.Command("electop", "events", "/election", "--servers", addr, "--count", "3", "--json", "--exec", "env; echo the end")
	cmd.Env = append(os.Environ(), "ELECTOP_AUTH=digest:user:s3cret")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := newLines()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		defer lines.end()
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			lines.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	lines.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
	create(t, raw, "/election/n_", "host", contender) // joined, and a handoff from nobody
	<-copied
	err = cmd.Wait()
	if said := errs.String(); err != nil || !strings.Contains(said, "the end\n") || !strings.Contains(said, "exit status 0\n") || strings.Contains(said, "s3cret") {
		t.Errorf("%v, %s", err, said)
	}
}
