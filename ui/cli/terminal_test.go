package cli_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"electop/demo/lessons"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model/lesson"
)

// terminal is a pseudo terminal on which electop runs. Like some real terminals, it answers no query.
type terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	pty    *os.File
	before *term.State
	exited chan error
	read   chan struct{} // closed when all output was read

	mu      sync.Mutex
	screen  *vt.Emulator
	raw     bytes.Buffer
	changed chan struct{}
}

func openTerminal(t testing.TB, cols, rows uint16, args ...string) *terminal {
	t.Helper()
	return openTerminalWith(t, nil, cols, rows, args...)
}

func openTerminalWith(t testing.TB, env []string, cols, rows uint16, args ...string) *terminal {
	t.Helper()
	x := &terminal{t: t, screen: vt.NewEmulator(int(cols), int(rows)), changed: make(chan struct{}), exited: make(chan error, 1), read: make(chan struct{})}
	p, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	x.pty = p
	if err := pty.Setsize(p, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
		t.Fatal(err)
	}
	if x.before, err = term.GetState(p.Fd()); err != nil {
		t.Fatal(err)
	}
	x.cmd = exec.Command("electop", args...)
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = tty, tty, tty
	x.cmd.Env = slices.Concat(os.Environ(), []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "CI="}, env)
	x.cmd.SysProcAttr = ownTerminal()
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var answers, output sync.WaitGroup
	answers.Go(func() { // drops the answers of the emulator to queries
		buf := make([]byte, 1024)
		for {
			if _, err := x.screen.Read(buf); err != nil {
				return
			}
		}
	})
	output.Go(func() {
		defer close(x.read)
		buf := make([]byte, 32<<10)
		for {
			n, err := p.Read(buf)
			x.mu.Lock()
			x.raw.Write(buf[:n])
			x.screen.Write(buf[:n])
			close(x.changed)
			x.changed = make(chan struct{})
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	ended := make(chan struct{})
	go func() {
		x.exited <- x.cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		x.cmd.Process.Kill()
		<-ended
		p.Close()
		output.Wait()
		// Only the pipe is closed, because the emulator's Close has a data race with Read.
		if pipe, ok := x.screen.InputPipe().(io.Closer); ok {
			pipe.Close()
		}
		answers.Wait()
	})
	return x
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.pty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.shown()
}

// shown returns the screen's text. The caller holds the lock. The emulator's own String is slow.
func (x *terminal) shown() string {
	var b strings.Builder
	for row := range x.screen.Height() {
		blanks := 0
		for column := range x.screen.Width() {
			switch cell := x.screen.CellAt(column, row); {
			case cell == nil || cell.Content == "": // second half of a wide character
			case cell.Content == " ":
				blanks++
			default:
				for ; blanks > 0; blanks-- {
					b.WriteByte(' ')
				}
				b.WriteString(cell.Content)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (x *terminal) sees(texts ...string) {
	x.t.Helper()
	x.waits(strings.Join(texts, ", "), func(s string) bool {
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	})
}

func (x *terminal) waits(what string, holds func(string) bool) {
	x.t.Helper()
	deadline := time.After(waitFor)
	for {
		x.mu.Lock()
		s, changed := x.shown(), x.changed
		x.mu.Unlock()
		if holds(s) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			x.t.Fatalf("the screen does not show %s:\n%s", what, s)
		}
	}
}

func (x *terminal) leaves(code int) {
	x.t.Helper()
	select {
	case <-x.exited:
	case <-time.After(waitFor):
		x.t.Fatalf("still running; the screen:\n%s", x.text())
	}
	select {
	case <-x.read:
	case <-time.After(waitFor):
		x.t.Fatal("electop has ended, but its terminal is still open")
	}
	if got := x.cmd.ProcessState.ExitCode(); got != code {
		x.t.Errorf("exit code %d, want %d; the screen:\n%s", got, code, x.text())
	}
	raw := x.output()
	for _, pair := range [][2]string{
		{"\x1b[?1049h", "\x1b[?1049l"}, // alternate screen
		{"\x1b[?25l", "\x1b[?25h"},     // cursor
	} {
		if strings.LastIndex(raw, pair[0]) > strings.LastIndex(raw, pair[1]) {
			x.t.Errorf("the last %q comes after the last %q", pair[0], pair[1])
		}
	}
	if after, err := term.GetState(x.pty.Fd()); err != nil || *after != *x.before {
		x.t.Errorf("the terminal's modes were not restored: %v", err)
	}
}

func (x *terminal) quits(key string) {
	x.t.Helper()
	x.press(key)
	x.leaves(0)
}

func killTheLeader(x *terminal, first string) {
	x.t.Helper()
	x.sees("2 candidates", first, "leads")
	x.press("sss")
	x.sees("5 candidates", "ack")
	x.press("g")
	x.press("x")
	x.sees("is killed", "next")
	x.sees("session expired", "silent", "takeover", "4 candidates")
	x.quits("q")
}

func TestDemoInATerminal(t *testing.T) {
	t.Parallel()
	killTheLeader(openTerminal(t, 120, 36, "demo", "--cast", "2", "--session-timeout", "3s"), "amber")
}

func TestDemoWithoutArguments(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 60, 20)
	x.sees("amber", "ember")
	x.quits("q")
}

func TestLiveInATerminal(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := unique("tty")
		killTheLeader(openTerminal(t, 120, 36, path, "-s", addr, "--cast", "2", "--create", "--session-timeout", "3s"), "amber")
	})
}

func TestKeysOnAReadOnlyDashboard(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 100, 30, "/election", "-s", zktest.Apache(t).Addr)
	x.sees("/election", "does not exist")
	x.press("s")
	x.sees("read-only. Start with")
	x.quits("q")
}

func TestDashboardReconnects(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t)
	x := openTerminal(t, 120, 36, "/election", "-s", server.Addr, "--cast", "2", "--create", "--session-timeout", "4s")
	x.sees("2 candidates", "leads", "connected")
	server.Kill(t)
	x.sees("reconnecting")
	server.Start(t)
	x.waits("two candidates, connected", func(s string) bool {
		return strings.Contains(s, "2 candidates") && strings.Contains(s, "connected") && !strings.Contains(s, "reconnecting")
	})
	x.quits("q")
}

func TestDashboardWithoutServerQuits(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 80, 24, "/election", "-s", "127.0.0.1:1")
	x.sees("/election")
	x.press("?")
	x.press("q")
	x.quits("q")
}

func TestDumbTerminalIsRefused(t *testing.T) {
	t.Parallel()
	x := openTerminalWith(t, []string{"TERM=dumb"}, 120, 24, "demo")
	x.sees("TERM=dumb", "electop status PATH --json", "TERM=xterm-256color")
	x.leaves(2)
}

func TestSignalsRestoreTheTerminal(t *testing.T) {
	t.Parallel()
	for signal, code := range map[syscall.Signal]int{
		syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 129, syscall.SIGQUIT: 131, syscall.SIGABRT: 134,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			x := openTerminal(t, 80, 24, "demo", "--cast", "1")
			x.sees("leads")
			if err := x.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			x.leaves(code)
		})
	}
}

func TestReplayInATerminal(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/recording"
	x := openTerminal(t, 120, 36, "demo", "--cast", "3", "--record", file)
	x.sees("3 candidates", "leads")
	x.press("gd")
	x.sees("resigned", "2 candidates")
	x.quits("q")

	x = openTerminal(t, 120, 36, "replay", file, "--speed", "100")
	x.sees("REPLAY", "resigned")
	x.press("s")
	x.sees("this is a recording")
	x.quits("q")
}

func TestThirdPartyElection(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	create(t, c, "/jobs", "", 0)
	const prefix = "_c_0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f-latch-"
	for _, name := range []string{"host-1", "\x1b]0;owned\x07host-2"} {
		create(t, c, "/jobs/"+prefix, name, contender)
	}

	x := openTerminal(t, 120, 36, "/jobs", "-s", addr, "--cast", "1")
	x.sees("an election of third-party candidates (Curator LeaderLatch): 2 candidates", "queue behind 2 candidates", "Type the path")
	x.press("yes\n")
	x.leaves(1)
	x.sees("not confirmed")

	x = openTerminal(t, 120, 36, "/jobs", "-s", addr, "--cast", "1")
	x.sees("Type the path")
	x.press("/jobs\n")
	x.sees("3 candidates", "amber", "host-1", `\x1b]0;owned`)
	x.press("gx")
	x.sees("this is a third-party candidate. Select one of electop's own")
	x.press("Gx")
	x.sees("amber is killed")
	x.quits("q")
	if children, _, err := c.Children("/jobs"); err != nil || strings.Count(strings.Join(children, " "), prefix) != 2 {
		t.Errorf("got children %q, error %v, want both third-party candidates", children, err)
	}

	x = openTerminal(t, 120, 36, "/jobs", "-s", addr, "--campaign", "--yes")
	x.sees("you", "candidate")
	if children, _, err := c.Children("/jobs"); err != nil || slices.ContainsFunc(children, func(name string) bool { return !strings.HasPrefix(name, "_c_") }) {
		t.Errorf("got the children %q, error %v; want all names to begin with _c_", children, err)
	}
	if exists, _, err := c.Exists("/jobs-leader"); exists || err != nil {
		t.Errorf("acknowledgement in a third-party election: exists %v, error %v; want false, nil", exists, err)
	}
	x.quits("q")
}

func TestQuitWhileTheCastJoins(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, 120, 36, "demo", "--cast", "600")
	x.sees("candidates", "leads")
	x.quits("q")
}

func TestCampaignKeyBeforeTheConnection(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := listener.(*net.TCPListener)
	refusing := make(chan struct{})
	go func() { // reserves the port, and closes every connection
		defer close(refusing)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	x := openTerminal(t, 120, 36, "/election", "-s", l.Addr().String(), "--campaign", "--yes", "--create", "--connect-timeout", "100ms")
	x.sees("Not connected yet")
	x.press("c")
	x.sees("not known yet whether this election has third-party candidates")
	l.SetDeadline(time.Unix(1, 0))
	<-refusing
	l.SetDeadline(time.Time{})
	server := zkserver.New(zkserver.Options{})
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	x.sees("1 candidate", "you", "leads")
	x.quits("q")
}

func TestRepeatedSignalsEndABlockedCommand(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	create(t, c, "/e", "", 0)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("electop", "events", "/e", "-s", addr, "--json")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	exited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-exited
	})
	for range 40 { // more than a pipe holds
		create(t, c, "/e/n_", strings.Repeat("x", 4000), contender)
	}
	r.Read(make([]byte, 1)) // waits until the command writes
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(waitFor)
	for {
		cmd.Process.Signal(syscall.SIGTERM) // programs that a script starts in the background ignore SIGINT
		select {
		case <-exited:
			return
		case <-tick.C:
		case <-deadline:
			t.Fatal("still running")
		}
	}
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// TestKeysInATerminal also checks that Esc works although the terminal answers no query.
func TestKeysInATerminal(t *testing.T) {
	t.Parallel()
	x := openTerminalWith(t, []string{"NO_COLOR=", "COLORFGBG=", "ELECTOP_THEME="}, 80, 24, "demo", "--cast", "2")
	x.sees("1/2", "leads")
	x.press("?")
	x.sees("On a first visit")
	x.press("\x1b")
	x.waits("the main screen", func(s string) bool { return !strings.Contains(s, "On a first visit") })
	x.quits("q")
	if strings.Contains(x.output(), "\x1b]11;?") {
		t.Error("electop queries the terminal's background")
	}
	if !strings.Contains(x.output(), "38;2;242;193;78") {
		t.Error("no colour of the dark theme was written")
	}
}

func TestCopyInATerminal(t *testing.T) {
	t.Parallel()
	x := openTerminalWith(t, []string{"TMUX=", "STY="}, 80, 24, "demo", "--cast", "2")
	x.sees("1/2", "leads")
	x.press("jy")
	x.sees("path sent to the terminal's clipboard")
	sent := regexp.MustCompile("\x1b]52;c;([A-Za-z0-9+/=]*)\a").FindStringSubmatch(x.output())
	if sent == nil {
		t.Fatal("nothing was sent")
	}
	if path, err := base64.StdEncoding.DecodeString(sent[1]); err != nil || !regexp.MustCompile(`^/election/\S+n_0000000001$`).Match(path) {
		t.Errorf("the clipboard got %q (error %v), want the path of candidate 1", path, err)
	}
	x.quits("q")
}

func TestMouseInATerminal(t *testing.T) {
	t.Parallel()
	const on = "\x1b[?1002h"
	x := openTerminal(t, 80, 24, "demo", "--cast", "4")
	x.sees("1/4", "leads")
	x.press("\x1b[<0;15;6M\x1b[<0;15;6m")
	x.sees("3/4")
	x.press("\x1b[<64;15;6M") // the wheel, up
	x.sees("2/4")
	x.press("\x1b[<0;1") // a click in two pieces
	x.press("5;7M")
	x.sees("4/4")
	x.quits("q")
	if raw := x.output(); !strings.Contains(raw, on) || strings.LastIndex(raw, on) > strings.LastIndex(raw, "\x1b[?1002l") {
		t.Error("the mouse was never turned on, or was not turned off at the end")
	}

	for _, with := range []struct{ env, flag string }{{"ELECTOP_NO_MOUSE=true", "--cast=4"}, {"ELECTOP_NO_MOUSE=", "--no-mouse"}} {
		x = openTerminalWith(t, []string{with.env}, 80, 24, "demo", with.flag)
		x.sees("leads")
		x.quits("q")
		if strings.Contains(x.output(), on) {
			t.Errorf("%v: the mouse is on", with)
		}
	}
}

func TestSeveralElectionsInATerminal(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := zktest.Client(t, addr)
		root := unique("several")
		create(t, c, root, "", 0)
		for _, name := range []string{"one", "two", "three"} {
			create(t, c, root+"/"+name, "", 0)
			create(t, c, root+"/"+name+"/n_", "who-"+name, contender)
		}
		x := openTerminal(t, 140, 40, "/one", "/two", "-s", addr+root, "--admin", "4lw")
		x.sees("/one", "who-one", "leads")
		x.press("ej\r")
		x.sees("/two", "who-two", "leads")
		x.press("ek\r")
		x.sees("who-one")
		x.press("e")
		x.sees("/three")
		x.press("G\r")
		x.sees("(3/3)", "Candidate who-three")
		x.press("vS")
		x.sees("standalone", "sessions every 2 s")
		x.quits("\x03")
	})
}

func TestObserveOnlyOffersNoActions(t *testing.T) {
	t.Parallel()
	addr := zktest.Apache(t).Addr
	path := unique("observe")
	create(t, zktest.Client(t, addr), path, "", 0)
	x := openTerminal(t, 120, 36, path, "-s", addr, "--observe-only")
	x.sees(path, "connected", "quit")
	if s := x.text(); strings.Contains(s, "spawn") || strings.Contains(s, "campaign") {
		t.Errorf("the dashboard offers actions:\n%s", s)
	}
	x.press("?")
	x.sees("query the servers now")
	if s := x.text(); strings.Contains(s, "become a candidate") {
		t.Errorf("the help has keys for actions:\n%s", s)
	}
	x.quits("\x03")
}

func TestDemoVerifiesWatches(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	x := openTerminal(t, 120, 36, "demo", "--cast", "3")
	x.sees("↑ 0 ✓", "↑ 1 ✓")
	x.press("s")
	x.sees("↑ 2 ✓")
	x.press("gd")
	x.sees("resigned", "↑ 1 ✓", "↑ 2 ✓")
	x.press("e")
	x.sees("1 watched, 1 found")
	x.quits("\x03")
}

func TestDashboardWithAndWithoutPath(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	for _, path := range []string{"/none", "/one", "/one/locks", "/two", "/two/east", "/two/west", "/cast", "/odd", "/odd/group", "/odd/jobs", "/odd/more", "/one/servers"} {
		create(t, c, path, "", 0)
	}
	for _, path := range []string{"/one/locks", "/two/east", "/two/west"} {
		create(t, c, path+"/n_", "who-"+path[5:], contender)
	}
	create(t, c, "/odd/group/member_", "who-group", contender)
	create(t, c, "/one/servers/member_", "who-server", contender)
	for range 2 {
		create(t, c, "/odd/jobs/job-", "who-job", contender)
		create(t, c, "/odd/more/job-", "who-more", contender)
	}
	// Nothing shows that /odd/jobs and /odd/more are elections, and the user named no PATH.
	t.Run("of an unknown kind", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/odd")
		x.sees("1 watched, 2 found", "/jobs", "/more", "unknown")
		x.press("G\r")
		x.sees("who-more", "unknown kind", "unknown whether this is an election")
		x.quits("\x03")
	})
	t.Run("several", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/two")
		x.sees("1 watched, 2 found", "/east", "/west", "who-west")
		x.press("G\r")
		x.sees("who-west", "leads")
		x.quits("\x03")
	})
	t.Run("one, and a list of members", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/one")
		x.sees("/locks", "who-locks", "leads")
		if s := x.text(); strings.Contains(s, "Elections") {
			t.Errorf("the dashboard lists a single election:\n%s", s)
		}
		x.quits("\x03")
	})
	t.Run("with a PATH above the elections", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr, "/two")
		x.sees("No election seen here", "2 children are no candidates")
		if s := x.text(); strings.Contains(s, "leads at once") {
			t.Errorf("the dashboard describes the next candidate:\n%s", s)
		}
		x.quits("\x03")
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/none")
		x.sees("no election found on "+addr+"/none", "give the PATH")
		x.leaves(1)
	})
	t.Run("unreachable", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", "127.0.0.1:1", "--connect-timeout", "300ms")
		x.sees("no server of 127.0.0.1:1 reached")
		x.leaves(3)
	})
	t.Run("with a cast", func(t *testing.T) {
		t.Parallel()
		x := openTerminal(t, 120, 36, "-s", addr+"/cast", "--cast", "1", "--create")
		x.sees("/election", "leads")
		x.quits("\x03")
	})
}

func TestLessonInATerminal(t *testing.T) {
	t.Parallel()
	all, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	state, first := t.TempDir(), all[0]
	progress := []string{"XDG_STATE_HOME=" + state}
	x := openTerminalWith(t, progress, 120, 40, "lesson", first.ID)
	x.sees(fmt.Sprintf("Lesson 1 of %d: %s", len(all), first.Title))
	for n := range first.Parts {
		x.completes(n, first)
	}
	x.sees("Lesson complete")
	x.quits("q")
	b, err := os.ReadFile(filepath.Join(state, "electop", "lessons.json"))
	if err != nil || !strings.Contains(string(b), `"`+first.ID+`"`) {
		t.Errorf("the progress is %s, error %v; want that lesson %s is done", b, err, first.ID)
	}

	x = openTerminalWith(t, progress, 120, 36, "lesson")
	x.sees(fmt.Sprintf("Lesson 2 of %d", len(all)), "part 1")
	x.press("L")
	x.sees(fmt.Sprintf("1 of %d done", len(all)), "1  ✓ "+first.Title, "on now")
	x.press("G")
	x.press("k\r")
	x.sees(fmt.Sprintf("Lesson %d of %d: ", len(all), len(all)), "part 1")
	x.quits("q")
}

const yourTurn, waitingFor, goOn, readOn = "Your turn.", "Waiting for this to happen", "space go on", "space read on"

func (x *terminal) completes(n int, l *lesson.Lesson) {
	x.t.Helper()
	part := l.Parts[n]
	x.sees(fmt.Sprintf("part %d of %d", n+1, len(l.Parts)))
	if q := part.Question; q != nil {
		x.waits("the question", func(s string) bool { return !strings.Contains(s, goOn) && !strings.Contains(s, yourTurn) })
		x.press(fmt.Sprint(1 + n%len(q.Options)))
	}
	if part.Act != nil {
		x.waits("the task", func(s string) bool { return strings.Contains(s, yourTurn) && !strings.Contains(s, goOn) })
		if part.Act.Target == "last" {
			x.press("G")
		}
		for _, key := range part.Act.Keys {
			x.press(key)
		}
	}
	x.readsOn()
	x.press(" ")
}

func (x *terminal) readsOn() {
	x.t.Helper()
	for {
		var was string
		// goOn and readOn are in the footer, which is drawn last: if one is shown, the lines above are complete.
		x.waits("the end of the part", func(s string) bool {
			was = s
			return !strings.Contains(s, yourTurn) && !strings.Contains(s, waitingFor) && (strings.Contains(s, goOn) || strings.Contains(s, readOn))
		})
		if !strings.Contains(was, readOn) {
			return
		}
		x.press(" ")
		x.waits("the next lines", func(s string) bool { return s != was })
	}
}
