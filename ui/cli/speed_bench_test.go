package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"
)

// program builds electop as the README and .ci/release do and puts it first in the PATH.
// The test binary, which is electop in other tests, has more packages to start, and a
// program that is not static is linked again at each start.
func program(b *testing.B) {
	dir := b.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "electop"), "electop")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build electop: %v\n%s", err, out)
	}
	b.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// report gives the median, and the least, which other work on the machine does not touch.
func report(b *testing.B, times []time.Duration, unit string) {
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/"+unit)
	b.ReportMetric(float64(times[0].Microseconds())/1000, "ms-least/"+unit)
}

// BenchmarkVersion is the shortest command.
func BenchmarkVersion(b *testing.B) {
	program(b)
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		if out, err := exec.Command("electop", "--version").CombinedOutput(); err != nil {
			b.Fatalf("electop --version: %v\n%s", err, out)
		}
		times = append(times, time.Since(began))
	}
	report(b, times, "start")
}

// BenchmarkFirstFrame is the time from starting the demo until the first frame has reached
// the terminal. The terminal answers no query, and what it takes to draw is not in it.
func BenchmarkFirstFrame(b *testing.B) {
	program(b)
	var times []time.Duration
	for b.Loop() {
		times = append(times, firstFrame(b))
	}
	report(b, times, "first-frame")
}

// firstFrame returns when the path was read from the terminal of the demo, which is killed
// then. It comes in one piece.
func firstFrame(b *testing.B) time.Duration {
	p, tty, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	if err := pty.Setsize(p, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("electop", "demo")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "CI=")
	cmd.SysProcAttr = ownTerminal()
	began := time.Now()
	err = cmd.Start()
	tty.Close()
	if err != nil {
		b.Fatal(err)
	}
	late := time.AfterFunc(waitFor, func() { cmd.Process.Kill() })
	defer func() {
		late.Stop()
		cmd.Process.Kill()
		cmd.Wait()
	}()
	var read []byte
	buf := make([]byte, 64<<10)
	for !bytes.Contains(read, []byte("/election")) {
		n, err := p.Read(buf)
		if read = append(read, buf[:n]...); err != nil {
			b.Fatalf("no frame: %v\n%s", err, read)
		}
	}
	return time.Since(began)
}
