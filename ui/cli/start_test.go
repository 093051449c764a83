package cli_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// initMax bounds the time to initialize a package. The race detector makes that time about five times as long.
func initMax() time.Duration {
	const most = 5 * time.Millisecond
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return 5 * most
	}
	return most
}

func TestInitializationIsFast(t *testing.T) {
	t.Parallel()
	most := initMax()
	var slow map[string]time.Duration
	// A busy machine adds time, so only a package that is slow in each run counts.
	for run := range 20 {
		cmd := exec.Command("electop", "--version")
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		var trace strings.Builder
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		took := initTimes(trace.String())
		if _, ok := took["electop/ui/cli"]; !ok || len(took) < 50 {
			t.Fatalf("got a trace of %d packages, want at least 50 with electop/ui/cli:\n%s", len(took), trace.String())
		}
		if slow = alwaysSlow(run, slow, took, most); len(slow) == 0 {
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(slow)) {
		t.Errorf("the initialization of %s takes at least %v, want at most %v", name, slow[name], most)
	}
}

func alwaysSlow(run int, slow, took map[string]time.Duration, most time.Duration) map[string]time.Duration {
	still := map[string]time.Duration{}
	for name, d := range took {
		before, ok := slow[name]
		if d > most && (run == 0 || ok) {
			still[name] = d
			if ok {
				still[name] = min(before, d)
			}
		}
	}
	return still
}

// initLine matches a line of GODEBUG=inittrace=1, which package runtime documents.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, `)

func initTimes(trace string) map[string]time.Duration {
	took := map[string]time.Duration{}
	for _, m := range initLine.FindAllStringSubmatch(trace, -1) {
		d, err := time.ParseDuration(m[2] + "ms")
		if err != nil {
			panic(fmt.Sprintf("inittrace: %q: %v", m[0], err))
		}
		took[m[1]] += d
	}
	return took
}

func TestAlwaysSlow(t *testing.T) {
	t.Parallel()
	first := initTimes(`init internal/bytealg @0.004 ms, 0 ms clock, 0 bytes, 0 allocs
init github.com/mattn/go-runewidth @3.1 ms, 11 ms clock, 589832 bytes, 4 allocs
init encoding/gob @15 ms, 14.5 ms clock, 27568 bytes, 328 allocs
electop devel
`)
	second := initTimes(`init github.com/mattn/go-runewidth @2.0 ms, 9.25 ms clock, 589832 bytes, 4 allocs
init encoding/gob @12 ms, 0.19 ms clock, 27568 bytes, 328 allocs
`)
	const most = 5 * time.Millisecond
	slow := alwaysSlow(1, alwaysSlow(0, nil, first, most), second, most)
	if want := (map[string]time.Duration{"github.com/mattn/go-runewidth": 9250 * time.Microsecond}); !maps.Equal(slow, want) {
		t.Errorf("slow packages %v, want %v", slow, want)
	}
}

// buildElectop puts electop into PATH. The test binary would be slower, because it has more packages.
func buildElectop(b *testing.B) {
	dir := b.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "electop"), "electop")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build electop: %v\n%s", err, out)
	}
	b.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// report reports the median and the minimum, because a busy machine changes them least.
func report(b *testing.B, times []time.Duration, unit string) {
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/"+unit)
	b.ReportMetric(float64(times[0].Microseconds())/1000, "ms-least/"+unit)
}

func BenchmarkVersion(b *testing.B) {
	buildElectop(b)
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

func BenchmarkFirstFrame(b *testing.B) {
	buildElectop(b)
	var times []time.Duration
	for b.Loop() {
		times = append(times, firstFrame(b))
	}
	report(b, times, "first-frame")
}

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
