package background

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// firstOf runs a program on a terminal that never answers, and returns which
// of the two comes first.
func firstOf(t *testing.T, name string, a, b string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/"+name).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", name, err, out)
	}
	cmd := exec.Command(bin)
	// With CI set termenv takes no output for a terminal, and asks nothing.
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "COLORFGBG=", "CI=")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	defer func() {
		cmd.Process.Kill()
		tty.Close()
		cmd.Wait()
	}()
	stop := time.AfterFunc(time.Minute, func() { tty.Close() })
	defer stop.Stop()
	var got []byte
	buf := make([]byte, 4096)
	for {
		n, err := tty.Read(buf)
		got = append(got, buf[:n]...)
		i, j := bytes.Index(got, []byte(a)), bytes.Index(got, []byte(b))
		switch {
		case i >= 0 && (j < 0 || i < j):
			return a
		case j >= 0:
			return b
		case err != nil:
			t.Fatalf("%s wrote only %q: %v", name, got, err)
		}
	}
}

// The question for the background colour is what takes five seconds. That it
// is asked without this package shows that the test can see it.
func TestTerminalIsNotAsked(t *testing.T) {
	const query, ready = "\x1b]11;?", "ready"
	if got := firstOf(t, "bare", query, ready); got != query {
		t.Errorf("without this package the first output is %q; bubbletea no longer asks?", got)
	}
	if got := firstOf(t, "cured", query, ready); got != ready {
		t.Errorf("the terminal is asked for its background: %q", got)
	}
}
