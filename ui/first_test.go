package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"electop/model/dialect"
	"electop/ui/term"
)

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
