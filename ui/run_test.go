package ui

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/term"
)

// busySource is always dirty.
type busySource struct {
	source
	asked atomic.Int64
}

func (s *busySource) State() *doctor.State {
	s.asked.Add(1)
	select {
	case s.dirty <- struct{}{}:
	default:
	}
	return s.source.State()
}

func TestPumpIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		src := &busySource{source: source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}}
		src.dirty <- struct{}{}
		sent := 0
		pump(ctx, Options{Source: src}, func(msg tea.Msg) { sent++ })
		quick := 0 // rests that are shorter
		for rest := refreshFirst; rest < refreshEvery; rest *= 2 {
			quick++
		}
		if most := int(10*time.Second/refreshEvery) + 1 + quick; sent < most-2 || sent > most {
			t.Errorf("%d messages in 10 s, want about %d", sent, most)
		}
	})
}

func TestPumpEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}
		notices := make(chan string, 200)
		for range 150 {
			notices <- "x"
		}
		close(notices)
		close(src.dirty)
		var got []tea.Msg
		pump(t.Context(), Options{Source: src, Notices: notices}, func(msg tea.Msg) { got = append(got, msg) })
		lines, ended := 0, 0
		for _, m := range got {
			switch m := m.(type) {
			case noticeMsg:
				lines += 1 + m.more
			case refreshMsg:
				if m.ended && len(m.states) == 1 {
					ended++
				}
			}
		}
		if lines != 150 || ended != 1 {
			t.Errorf("%d notices of 150, %d ends", lines, ended)
		}
		pump(t.Context(), Options{}, func(tea.Msg) { t.Error("a message from nowhere") })
	})
}

// A notice that is there already does not wait while states keep changing: it
// would come to replace what the status line says to a later key.
func TestPumpSendsNoticesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			src := &busySource{source: source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}}
			src.dirty <- struct{}{}
			notices := make(chan string, 1)
			notices <- "hello"
			pump(ctx, Options{Source: src, Notices: notices}, func(msg tea.Msg) {
				if _, ok := msg.(noticeMsg); !ok {
					t.Errorf("%T came before the notice", msg)
				}
				cancel()
			})
		}
	})
}

// writes counts what bubbletea sends to the terminal.
type writes struct {
	mu sync.Mutex
	n  int
	b  bytes.Buffer
}

// screen is what a terminal of that size shows.
func (w *writes) screen(cols, rows int) string {
	e := vt.NewEmulator(cols, rows)
	w.mu.Lock()
	defer w.mu.Unlock()
	e.WriteString(w.b.String())
	return e.String()
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return w.b.Write(p)
}

func (w *writes) count() int { w.mu.Lock(); defer w.mu.Unlock(); return w.n }

// program runs a staged dashboard inside a bubble and hands it to f.
func program(t *testing.T, o Options, f func(send func(tea.Msg), out *writes)) error {
	t.Helper()
	out := new(writes)
	in, typed := io.Pipe()
	o.Output, o.Input = out, in
	o.Renderer, o.Theme = plainRenderer(), term.Mono
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	var p *tea.Program
	ready := make(chan struct{})
	go func() {
		ended <- run(ctx, o, func(a doer) *dashboard { return newDashboard(o, a) },
			append(programOptions(ctx, o), func(made *tea.Program) { p = made; close(ready) })...)
	}()
	<-ready
	synctest.Wait() // the option is applied before the program is complete
	p.Send(tea.WindowSizeMsg{Width: 120, Height: 36})
	synctest.Wait()
	f(p.Send, out)
	p.Send(tea.Quit())
	err := <-ended
	typed.Close()
	synctest.Wait()
	return err
}

// warm starts the runtime's signal goroutine outside of any bubble.
func warm() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

// Where only ages change, a frame is written once a second.
func TestFrameRates(t *testing.T) {
	warm()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("/e", nil, false)
		w.now = time.Now()
		src := &source{world: w.connect().read(nil, nil), dirty: make(chan struct{}, 1)}
		err := program(t, Options{Source: src, Mode: ModeDemo}, func(send func(tea.Msg), out *writes) {
			sent := out.count()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if n := out.count() - sent; n < 9 || n > 11 {
				t.Errorf("%d frames were written in 10 s", n)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Messages that change nothing draw nothing. What was drawn and is the same as
// before shows in the count of frames alone.
func TestNothingNewDrawsNothing(t *testing.T) {
	m, src, _ := stagedWith(nil, ModeDemo)
	before := m.d.frames
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	m.Update(tickMsg{})
	m.Update("a stranger's message")
	if m.d.frames != before {
		t.Errorf("%d frames were drawn", m.d.frames-before)
	}
}

// What is under way when the user quits is cancelled and waited for.
func TestQuitCancelsActions(t *testing.T) {
	warm()
	synctest.Test(t, func(t *testing.T) {
		src := &source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}
		err := program(t, Options{Source: src, Actions: slow{}, Mode: ModeDemo}, func(send func(tea.Msg), out *writes) {
			send(press("s"))
			synctest.Wait()
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestActionTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m, _, _ := stagedWith(slow{}, ModeDemo)
		keys(m, "s")
		if took := time.Since(began); took != actionTimeout {
			t.Errorf("it ends after %v", took)
		}
		says(t, m, "Can't spawn: context deadline exceeded")
	})
}

// A source that panics ends the program, which returns what happened.
func TestPanicInTheFeed(t *testing.T) {
	warm()
	synctest.Test(t, func(t *testing.T) {
		src := &panicSource{source{world: five(dialect.Election()), dirty: make(chan struct{}, 1)}, atomic.Bool{}}
		out := new(writes)
		in, typed := io.Pipe()
		defer typed.Close()
		o := Options{Source: src, Output: out, Input: in, Renderer: plainRenderer()}
		src.dirty <- struct{}{}
		err := run(t.Context(), o, func(a doer) *dashboard {
			d := newDashboard(o, a)
			src.armed.Store(true)
			return d
		}, programOptions(t.Context(), o)...)
		if err == nil || !strings.Contains(err.Error(), "panic while reading the election: no state") {
			t.Errorf("Run returned %v", err)
		}
		if !strings.Contains(out.b.String(), "\x1b[?1049l") {
			t.Error("the alternate screen was not left")
		}
	})
}

type panicSource struct {
	source
	armed atomic.Bool
}

func (s *panicSource) State() *doctor.State {
	if s.armed.Load() {
		panic("no state")
	}
	return s.source.State()
}

func TestRunEndsWithItsContext(t *testing.T) {
	warm()
	synctest.Test(t, func(t *testing.T) {
		in, typed := io.Pipe()
		defer typed.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		o := Options{Output: new(writes), Input: in, Renderer: plainRenderer()}
		ended := make(chan error, 1)
		go func() { ended <- Run(ctx, o) }()
		synctest.Wait()
		cancel(errRefused)
		if err := <-ended; err != errRefused {
			t.Errorf("Run returned %v, want the cause", err)
		}
		if err := Run(ctx, o); err != errRefused {
			t.Errorf("Run with an ended context returned %v", err)
		}
	})
}

// The first frame is on the screen before any time has passed, and what Bubbletea writes on
// its tick is the same.
func TestTheFirstFrameDoesNotWait(t *testing.T) {
	warm()
	synctest.Test(t, func(t *testing.T) {
		src, out := newSource(), new(writes)
		var before string // what is written when work may begin
		defer running(t, src, out, func() { before = out.b.String() })()
		synctest.Wait()
		if entered := strings.Index(out.b.String(), "\x1b[?1049h"); entered < 0 || entered > strings.Index(out.b.String(), "\x1b[H") {
			t.Error("the first frame is not on the alternate screen")
		}
		if !strings.Contains(before, "/election") {
			t.Errorf("before the first frame something else begins: %q", before)
		}
		stays(t, out, "/election")
	})
}

// newSource is a source in which nothing has been seen yet.
func newSource() *source {
	return &source{world: newWorld("/election", nil, false), dirty: make(chan struct{}, 1)}
}

// running starts a dashboard of 120 x 36, and leave ends it.
func running(t *testing.T, src Source, out io.Writer, begin func()) (leave func()) {
	t.Helper()
	in, typed := io.Pipe()
	o := Options{Source: src, Output: out, Input: in, Begin: begin, Renderer: plainRenderer(), Theme: term.Mono, Width: 120, Height: 36}
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	return func() {
		cancel(errRefused)
		if err := <-ended; err != errRefused {
			t.Error(err)
		}
		typed.Close()
	}
}

// stays compares what is on the screen with what is there after the renderer's tick.
func stays(t *testing.T, out *writes, want string) {
	t.Helper()
	at, written := out.screen(120, 36), out.count()
	if !strings.Contains(at, want) {
		t.Errorf("no %q at once on the screen:\n%s", want, at)
	}
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
	if out.count() == written {
		t.Error("Bubbletea wrote nothing on its tick")
	}
	if diff := cmp.Diff(at, out.screen(120, 36)); diff != "" {
		t.Errorf("Bubbletea wrote something else:\n%s", diff)
	}
}

// Two states that come faster than Bubbletea draws leave nothing of the first on the screen.
func TestAStateBetweenTwoTicksLeavesNothing(t *testing.T) {
	warm()
	synctest.Test(t, func(t *testing.T) {
		src, out := newSource(), new(writes)
		defer running(t, src, out, nil)()
		shows := func(w *world) {
			synctest.Wait() // the pump has read the one before
			src.world = w
			src.dirty <- struct{}{}
			synctest.Wait()
		}
		time.Sleep(100 * time.Millisecond)
		shows(five(dialect.Election()))
		time.Sleep(2 * refreshFirst) // which is less than a tick
		shows(newWorld("/election", nil, false))
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if s := out.screen(120, 36); strings.Contains(s, "leads") {
			t.Errorf("what is over is still on the screen:\n%s", s)
		}
	})
}
