package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/creack/pty"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// programs builds electop as the README and .ci/release do, and what it is compared with
// in the same way, and puts them first in the PATH. The test binary, which is electop in
// other tests, has more packages to start, and a program that is not static is linked
// again at each start.
func programs(b *testing.B) {
	dir := b.TempDir()
	for name, source := range map[string]string{"electop": "electop", "nothing": "./testdata/nothing", "bareclient": "./testdata/bareclient"} {
		build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, name), source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("build %s: %v\n%s", source, err, out)
		}
	}
	b.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// took returns how long a command takes from its start to its end.
func took(b *testing.B, command ...string) time.Duration {
	cmd := exec.Command(command[0], command[1:]...)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%q: %v\n%s", command, err, out)
	}
	return time.Since(began)
}

// times are what one thing took, again and again.
type times []time.Duration

// report gives the median, and the least, which other work on the machine does not touch.
func (x times) report(b *testing.B, unit string) {
	slices.Sort(x)
	b.ReportMetric(float64(x[len(x)/2].Microseconds())/1000, "ms/"+unit)
	b.ReportMetric(float64(x[0].Microseconds())/1000, "ms-least/"+unit)
}

// versus reports electop's times and how many times the floor's they are: medians.
func versus(b *testing.B, electop, floor times, unit string) {
	electop.report(b, unit)
	floor.report(b, "floor")
	b.ReportMetric(float64(electop[len(electop)/2])/float64(floor[len(floor)/2]), "x-floor")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkVersion is the shortest command, by turns with a program that does nothing.
func BenchmarkVersion(b *testing.B) {
	programs(b)
	var electop, floor times
	for b.Loop() {
		electop = append(electop, took(b, "electop", "--version"))
		floor = append(floor, took(b, "nothing"))
	}
	versus(b, electop, floor, "start")
}

// BenchmarkStatus reads an election of five candidates once, by turns with a bare client,
// on each server. Only electop asks the server for its watches, sessions and connections;
// without is --admin off. The server has answered a hundred of each before: Apache ZooKeeper
// takes half as long again for the first ones.
func BenchmarkStatus(b *testing.B) {
	programs(b)
	for _, s := range servers {
		b.Run(s.name, func(b *testing.B) {
			addr := s.start(b)
			five(b, addr)
			var electop, without, floor times
			round := func() {
				electop = append(electop, took(b, "electop", "status", "-s", addr))
				without = append(without, took(b, "electop", "status", "-s", addr, "--admin", "off"))
				floor = append(floor, took(b, "bareclient", addr, "/election"))
			}
			for range 100 {
				round()
			}
			electop, without, floor = nil, nil, nil
			for b.Loop() {
				round()
			}
			without.report(b, "without")
			versus(b, electop, floor, "status")
		})
	}
}

var servers = []struct {
	name  string
	start func(testing.TB) string
}{
	{"apache", func(t testing.TB) string { return zktest.NewApache(t, zktest.ForSpeed()).Addr }},
	{"embedded", func(t testing.TB) string {
		_, addr := zkserver.Start(t, zkserver.Options{})
		return addr
	}},
}

// five has five candidates stand at /election.
func five(t testing.TB, addr string) {
	c := rawClient(t, addr)
	create(t, c, "/election", "", 0)
	for i := range 5 {
		create(t, c, "/election/n_", "host-"+strconv.Itoa(i), contender)
	}
}

// BenchmarkFirstFrame is the time from starting the program until the first frame has
// reached the terminal, and the first with the leader. The terminal answers no query, and
// what it takes to draw is not in it. x-start is how many times as long as --version, by
// turns, the first frame takes.
func BenchmarkFirstFrame(b *testing.B) {
	programs(b)
	frames := func(b *testing.B, args ...string) {
		var first, leader, start times
		for b.Loop() {
			x := firstFrames(b, []string{"/election", "leads"}, args...)
			first, leader = append(first, x[0]), append(leader, x[1])
			start = append(start, took(b, "electop", "--version"))
		}
		first.report(b, "first-frame")
		leader.report(b, "leader")
		start.report(b, "start")
		b.ReportMetric(float64(first[len(first)/2])/float64(start[len(start)/2]), "x-start")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("demo", func(b *testing.B) { frames(b, "demo") })
	for _, s := range servers {
		b.Run(s.name, func(b *testing.B) {
			addr := s.start(b)
			five(b, addr)
			frames(b, "/election", "-s", addr)
		})
	}
}

// firstFrames returns when each text was read from the terminal of electop, which is killed
// then. A text comes in one piece.
func firstFrames(b *testing.B, texts []string, args ...string) times {
	p, tty, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	if err := pty.Setsize(p, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("electop", args...)
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
	var at times
	var read []byte
	buf := make([]byte, 64<<10)
	for len(at) < len(texts) {
		n, err := p.Read(buf)
		if read = append(read, buf[:n]...); err != nil {
			b.Fatalf("no %q: %v\n%s", texts[len(at)], err, read)
		}
		for len(at) < len(texts) && bytes.Contains(read, []byte(texts[len(at)])) {
			at = append(at, time.Since(began))
		}
	}
	return at
}
