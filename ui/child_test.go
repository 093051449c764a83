package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"electop/model/dialect"
)

// childEnv makes the test binary a program of its own, to be run on a
// terminal.
const childEnv = "ELECTOP_UI_CHILD"

// child is that program.
func child(name string) int {
	fmt.Println("ready")
	o := Options{Source: &source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}, Actions: &allow{}, Mode: ModeDemo, Cluster: "embedded"}
	switch name {
	case "hello":
		return 0
	case "panics":
		src := &panicSource{source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}, atomic.Bool{}}
		src.dirty <- struct{}{}
		d := newDashboard(Options{Source: src}, doer{})
		src.armed.Store(true)
		o.Source = src
		err := run(context.Background(), o, func(doer) *dashboard { return d }, programOptions(context.Background(), o)...)
		fmt.Println("ended:", err != nil)
		return 0
	case "cancelled":
		ctx, cancel := context.WithCancelCause(context.Background())
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGHUP)
		go func() {
			<-told
			cancel(errors.New("enough"))
		}()
		fmt.Println("ended:", Run(ctx, o))
		return 0
	case "signalled":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		fmt.Println("ended:", Run(ctx, o) != nil)
		return 0
	}
	fmt.Println("ended:", Run(context.Background(), o))
	return 0
}

// terminal is a child on a terminal, which is emulated.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	raw  bytes.Buffer
	more chan struct{}
	read chan struct{} // closed when the terminal is
	emu  *vt.Emulator
}

func openTerminal(t *testing.T, name string) *terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+name, "TERM=xterm-256color", "NO_COLOR=", "COLORFGBG=", "CI=")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 36, Cols: 120})
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	x := &terminal{t: t, cmd: cmd, tty: tty, more: make(chan struct{}, 1), read: make(chan struct{}), emu: vt.NewEmulator(120, 36)}
	go func() {
		defer close(x.read)
		buf := make([]byte, 1<<16)
		for {
			n, err := tty.Read(buf)
			x.mu.Lock()
			x.raw.Write(buf[:n])
			x.emu.Write(buf[:n])
			x.mu.Unlock()
			select {
			case x.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		tty.Close()
		<-x.read
		cmd.Wait()
	})
	return x
}

// until waits for what the terminal got, or shows, to be so.
func (x *terminal) until(what string, ok func(raw, screen string) bool) {
	x.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		x.mu.Lock()
		raw, screen := x.raw.String(), x.emu.String()
		x.mu.Unlock()
		if ok(raw, screen) {
			return
		}
		select {
		case <-x.more:
		case <-x.read:
			x.mu.Lock()
			raw, screen = x.raw.String(), x.emu.String()
			x.mu.Unlock()
			if !ok(raw, screen) {
				x.t.Fatalf("the terminal was closed before it %s:\n%q", what, raw[max(0, len(raw)-500):])
			}
			return
		case <-deadline:
			x.t.Fatalf("the terminal never %s:\n%s\n%q", what, screen, raw[max(0, len(raw)-500):])
		}
	}
}

func (x *terminal) shows(text string) {
	x.t.Helper()
	x.until("showed "+text, func(_, screen string) bool { return strings.Contains(screen, text) })
}

func (x *terminal) typed(keys string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

const enterAlt, leaveAlt, showCursor = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"

// restored waits until the program has ended and given the terminal back.
func (x *terminal) restored(how string) {
	x.t.Helper()
	x.until("got its screen and cursor back", func(raw, _ string) bool {
		i := strings.LastIndex(raw, leaveAlt)
		return i > strings.LastIndex(raw, enterAlt) && strings.LastIndex(raw, showCursor) > strings.LastIndex(raw, "\x1b[?25l") && strings.Contains(raw[i:], how)
	})
}

func TestTerminalIsNotAsked(t *testing.T) {
	x := openTerminal(t, "hello")
	x.until("said ready", func(raw, _ string) bool { return strings.Contains(raw, "ready") })
	x.mu.Lock()
	defer x.mu.Unlock()
	if before, _, _ := strings.Cut(x.raw.String(), "ready"); strings.Contains(before, "\x1b]11;?") {
		t.Errorf("the terminal is asked for its background: %q", before)
	}
}

func TestOnATerminal(t *testing.T) {
	x := openTerminal(t, "run")
	x.shows("next volunteer gets 17")
	x.typed("j\r")
	x.shows("Candidate birch")
	x.typed("\x1b")
	x.until("closed the overlay", func(_, screen string) bool { return !strings.Contains(screen, "Candidate birch") })
	x.typed("/emb\r")
	x.shows("1 of 5")
	if err := pty.Setsize(x.tty, &pty.Winsize{Rows: 15, Cols: 50}); err != nil {
		t.Fatal(err)
	}
	x.shows("this terminal is 50x15")
	if err := pty.Setsize(x.tty, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	x.shows("1 of 5")
	x.typed("q")
	x.restored("ended: <nil>")
}

func TestTerminalIsGivenBack(t *testing.T) {
	for _, c := range []struct {
		name, child, keys, how string
		signal                 os.Signal
	}{
		{name: "ctrl-c", child: "run", keys: "\x03", how: "ended: <nil>"},
		{name: "panic", child: "panics", how: "ended: true"},
		{name: "cancelled", child: "cancelled", signal: syscall.SIGHUP, how: "ended: enough"},
		{name: "SIGTERM", child: "signalled", signal: syscall.SIGTERM, how: "ended: true"},
		{name: "SIGINT", child: "signalled", signal: syscall.SIGINT, how: "ended: true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := openTerminal(t, c.child)
			x.until("was taken over", func(raw, _ string) bool { return strings.Contains(raw, enterAlt) })
			if c.keys != "" || c.signal != nil {
				x.shows("next volunteer gets 17")
			}
			x.typed(c.keys)
			if c.signal != nil {
				x.cmd.Process.Signal(c.signal)
			}
			x.restored(c.how)
		})
	}
}
