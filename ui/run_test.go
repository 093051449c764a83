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

type busySource struct {
	source
	calls atomic.Int64
}

func (s *busySource) State() *doctor.State {
	s.calls.Add(1)
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
		shortPauses := 0
		for rest := refreshFirst; rest < refreshEvery; rest *= 2 {
			shortPauses++
		}
		if most := int(10*time.Second/refreshEvery) + 1 + shortPauses; sent < most-2 || sent > most {
			t.Errorf("got %d messages in 10 s, want %d to %d", sent, most-2, most)
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
		noticed, ended := 0, 0
		for _, m := range got {
			switch m := m.(type) {
			case noticeMsg:
				noticed += 1 + m.more
			case refreshMsg:
				if m.ended && len(m.states) == 1 {
					ended++
				}
			}
		}
		if noticed != 150 || ended != 1 {
			t.Errorf("got %d notices and %d ends, want 150 and 1", noticed, ended)
		}
		pump(t.Context(), Options{}, func(tea.Msg) { t.Error("got a message without a source") })
	})
}

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

type writes struct {
	mu sync.Mutex
	n  int
	b  bytes.Buffer
}

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

// inBubble runs f in a synctest bubble. The goroutine of os/signal must start outside the bubble.
func inBubble(t *testing.T, f func(t *testing.T)) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
	synctest.Test(t, f)
}

func startDashboard(t *testing.T, out *writes, o Options) (press func(key string), leave func() error) {
	in, typed := io.Pipe()
	o.Output, o.Input, o.Renderer, o.Theme, o.Width, o.Height = out, in, plainRenderer(), term.Mono, 120, 36
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	synctest.Wait()
	press = func(key string) {
		io.WriteString(typed, key)
		synctest.Wait()
	}
	return press, func() error {
		cancel(errRefused)
		defer typed.Close()
		return <-ended
	}
}

func sourceOf(w *world) *source { return &source{world: w, dirty: make(chan struct{}, 1)} }

func TestOneFrameASecondIfOnlyAgesChange(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		w := newWorld("/e", nil, false)
		w.now = time.Now()
		out := new(writes)
		_, leave := startDashboard(t, out, Options{Source: sourceOf(w.connect().read(nil, nil)), Mode: ModeDemo})
		time.Sleep(time.Second)
		sent := out.count()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := out.count() - sent; n < 9 || n > 11 {
			t.Errorf("got %d frames in 10 s, want about 10", n)
		}
		leave()
	})
}

func TestNoFrameWithoutAChange(t *testing.T) {
	m, src, _ := dashboardWith(nil, ModeDemo)
	before := m.d.frames
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	m.Update(tickMsg{})
	m.Update("an unknown message")
	if m.d.frames != before {
		t.Errorf("got %d frames, want none", m.d.frames-before)
	}
}

func TestQuitCancelsActions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ended := make(chan struct{})
		press, leave := startDashboard(t, new(writes), Options{Source: sourceOf(five(dialect.Election())), Actions: slow{ended}, Mode: ModeDemo})
		press("s")
		press("q")
		select {
		case <-ended:
		case <-time.After(quitTimeout):
			t.Error("the action still runs after q")
		}
		if err := leave(); err != nil {
			t.Errorf("got error %v, want none", err)
		}
	})
}

func TestActionTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m, _, _ := dashboardWith(slow{}, ModeDemo)
		keys(m, "s")
		if took := time.Since(began); took != actionTimeout {
			t.Errorf("the action took %v, want %v", took, actionTimeout)
		}
		shows(t, m, "Can't spawn: context deadline exceeded")
	})
}

type panicSource struct {
	source
	called atomic.Bool
}

func (s *panicSource) State() *doctor.State {
	if s.called.Swap(true) {
		panic("no state")
	}
	return s.source.State()
}

func TestPanicInTheSource(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		src := &panicSource{source: *sourceOf(five(dialect.Election()))}
		src.dirty <- struct{}{}
		out := new(writes)
		_, leave := startDashboard(t, out, Options{Source: src})
		if err := leave(); err == nil || !strings.Contains(err.Error(), "panic while reading the election: no state") {
			t.Errorf("got error %v, want the panic", err)
		}
		if !strings.Contains(out.b.String(), "\x1b[?1049l") {
			t.Error("the alternate screen was not left")
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		_, leave := startDashboard(t, new(writes), Options{})
		if err := leave(); err != errRefused {
			t.Errorf("got error %v, want the cause", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errRefused)
		if err := Run(ctx, Options{}); err != errRefused {
			t.Errorf("with an ended context: got error %v, want the cause", err)
		}
	})
}

func TestFirstFrameIsWrittenBeforeBegin(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		out, beforeBegin := new(writes), ""
		_, leave := startDashboard(t, out, Options{Source: sourceOf(newWorld("/election", nil, false)), Begin: func() { beforeBegin = out.b.String() }})
		defer leave()
		if entered := strings.Index(beforeBegin, "\x1b[?1049h"); entered < 0 || entered > strings.Index(beforeBegin, "\x1b[H") {
			t.Error("the first frame is not on the alternate screen")
		}
		at, written := out.screen(120, 36), out.count()
		if !strings.Contains(beforeBegin, "/election") || !strings.Contains(at, "/election") {
			t.Errorf("before Begin: got %q, want the first frame", beforeBegin)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if out.count() == written {
			t.Error("Bubbletea wrote nothing on its tick")
		}
		if diff := cmp.Diff(at, out.screen(120, 36)); diff != "" {
			t.Errorf("Bubbletea wrote another frame:\n%s", diff)
		}
	})
}

func TestStateReplacedWithinATick(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		src := sourceOf(newWorld("/election", nil, false))
		out := new(writes)
		_, leave := startDashboard(t, out, Options{Source: src})
		defer leave()
		update := func(w *world) {
			synctest.Wait() // the pump has read the previous state
			src.world = w
			src.dirty <- struct{}{}
			synctest.Wait()
		}
		time.Sleep(100 * time.Millisecond)
		update(five(dialect.Election()))
		time.Sleep(2 * refreshFirst) // less than a tick of Bubbletea
		update(newWorld("/election", nil, false))
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if s := out.screen(120, 36); strings.Contains(s, "leads") {
			t.Errorf("the old leader is still on the screen:\n%s", s)
		}
	})
}
