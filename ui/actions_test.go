package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// stagedWith is the main scene with these actions, and its model.
func stagedWith(actions Actions, mode string) (Model, *source, *time.Time) {
	w := five(dialect.Election()).wait(time.Minute)
	src := &source{world: w, dirty: make(chan struct{}, 1)}
	now := w.now
	m := New(Options{Source: src, Actions: actions, Mode: mode, Theme: term.Mono, Renderer: plainRenderer(), Now: func() time.Time { return now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	return m, src, &now
}

// doing runs the action that a key's command holds, with all that comes with
// it but the ticks.
func doing(t *testing.T, m Model, key string) {
	t.Helper()
	if cmd := m.d.key(press(key)); cmd != nil {
		m.Update(cmd())
	}
	m.d.dirty = true
	m.d.redraw()
}

func statusLine(m Model) string {
	lines := strings.Split(ansi.Strip(m.View()), "\n")
	return lines[len(lines)-2]
}

func TestActionsHaveTargets(t *testing.T) {
	acts := &allow{done: make(chan Action, 1)}
	m, src, _ := stagedWith(acts, ModeDemo)
	src.world.join("guid-n_", "stranger", 0xbeef)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	for _, c := range []struct {
		keys string
		want Action
	}{
		{"s", Action{Election: "/election", Kind: Spawn}},
		{"x", Action{Election: "/election", Kind: Kill, Target: "amber"}},
		{"jf", Action{Election: "/election", Kind: Freeze, Target: "birch", Arg: ArgFreeze}},
		{"d", Action{Election: "/election", Kind: Resign, Target: "birch"}},
		{"c", Action{Election: "/election", Kind: Campaign, Arg: ArgWithdraw}},
		{"h", Action{Election: "/election", Kind: Herd, Arg: "herd"}},
		{"Gx", Action{Election: "/election", Kind: Kill, Target: "/election/guid-n_0000000017"}},
	} {
		for _, k := range c.keys {
			doing(t, m, string(k))
		}
		select {
		case got := <-acts.done:
			if got != c.want {
				t.Errorf("keys %q do %+v, want %+v", c.keys, got, c.want)
			}
		default:
			t.Errorf("keys %q do nothing, want %+v", c.keys, c.want)
		}
	}
	if m.d.candidates.Selected.Znode.Name != "guid-n_0000000017" {
		t.Errorf("selected is %+v", m.d.candidates.Selected)
	}
}

func TestInspectReadsAgain(t *testing.T) {
	acts := &allow{done: make(chan Action, 1)}
	m, _, now := stagedWith(acts, ModeDemo)
	cmd := m.d.key(press("enter"))
	*now = now.Add(3 * time.Second)
	m.Update(cmd())
	if want, got := (Action{Election: "/election", Kind: Refresh, Target: "amber", Arg: "/election/" + amberZ}), <-acts.done; got != want {
		t.Errorf("enter does %+v, want %+v", got, want)
	}
	if want := "as of " + now.Format(term.ClockFormat); !strings.Contains(ansi.Strip(m.View()), want) {
		t.Errorf("the data is not %q:\n%s", want, m.View())
	}
	// It goes on being shown after its znode is gone, and says so.
	m.d.latest = newWorld("/election", nil, false).connect().read(nil, nil).state()
	m.d.reselect()
	m.Update(tea.ResumeMsg{})
	if !strings.Contains(ansi.Strip(m.View()), "This candidate is gone") {
		t.Errorf("an inspected candidate that is gone:\n%s", m.View())
	}
}

func TestRefusedKeySaysWhy(t *testing.T) {
	acts := &allow{why: map[Kind]string{Kill: "amber is \x1bdead already"}, done: make(chan Action, 1)}
	m, _, _ := stagedWith(acts, ModeDemo)
	doing(t, m, "x")
	if got := statusLine(m); !strings.Contains(got, `kill: amber is \x1bdead already`) {
		t.Errorf("status line: %q", got)
	}
	if len(acts.done) > 0 {
		t.Error("it was done all the same")
	}
	m, _, _ = stagedWith(nil, ModeLive)
	doing(t, m, "s")
	if got := statusLine(m); !strings.Contains(got, "spawn: read-only") {
		t.Errorf("status line without actions: %q", got)
	}
}

func TestFailureIsShown(t *testing.T) {
	m, _, now := stagedWith(&allow{err: errRefused}, ModeDemo)
	doing(t, m, "x")
	if got := statusLine(m); !strings.Contains(got, `kill amber: refused by \x1b[31mtest`) {
		t.Errorf("status line: %q", got)
	}
	*now = now.Add(errorShown)
	m.Update(tickMsg{m.d.gen})
	if got := statusLine(m); !strings.Contains(got, "amber leads") {
		t.Errorf("status line later: %q", got)
	}
}

// slow is [Actions] that end with their context only.
type slow struct{}

func (slow) Why(Action) string { return "" }
func (slow) Do(ctx context.Context, a Action) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestPausedRefusesToAct(t *testing.T) {
	acts := &allow{done: make(chan Action, 1)}
	m, src, _ := stagedWith(acts, ModeDemo)
	doing(t, m, "p")
	src.world.leave(amberZ)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if !strings.Contains(ansi.Strip(m.View()), "5 candidates") && !strings.Contains(ansi.Strip(m.View()), "+2 events waiting") {
		t.Errorf("the picture went on:\n%s", m.View())
	}
	doing(t, m, "x")
	if got := statusLine(m); !strings.Contains(got, "paused") || len(acts.done) > 0 {
		t.Errorf("status line: %q, done: %d", got, len(acts.done))
	}
	doing(t, m, "p")
	if text := ansi.Strip(m.View()); strings.Contains(text, "PAUSED") || !strings.Contains(text, "amber  → birch") {
		t.Errorf("not live again:\n%s", text)
	}
}

func TestReplayIsPausedAtItsSource(t *testing.T) {
	acts := &allow{done: make(chan Action, 1)}
	m, _, _ := stagedWith(acts, ModeReplay)
	doing(t, m, "p")
	if got := <-acts.done; got != (Action{Election: "/election", Kind: Pause}) {
		t.Errorf("p does %+v", got)
	}
	if m.d.paused != nil {
		t.Error("the picture is held as well")
	}
	if !strings.Contains(ansi.Strip(m.View()), "REPLAY  stopped") {
		t.Errorf("it is not said:\n%s", m.View())
	}
}

func TestLiveAsksBeforeOwnCandidacy(t *testing.T) {
	acts := &allow{done: make(chan Action, 1)}
	m, _, _ := stagedWith(acts, ModeLive)
	doing(t, m, "j")
	doing(t, m, "j") // cedar, which is this program's own
	for _, c := range []struct {
		answer string
		done   int
	}{{"n", 0}, {"esc", 0}, {"y", 1}} {
		doing(t, m, "x")
		if got := statusLine(m); !strings.Contains(got, "live cluster?") {
			t.Fatalf("no question: %q", got)
		}
		doing(t, m, "q") // means nothing here
		doing(t, m, c.answer)
		if len(acts.done) != c.done || m.d.modes.Now() != input.ModeNormal {
			t.Errorf("after %q: %d done, mode %v", c.answer, len(acts.done), m.d.modes.Now())
		}
	}
}

func TestFilterByKeyboard(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	for _, k := range []string{"/", "q", "backspace", "c", "e", "enter"} {
		doing(t, m, k)
	}
	if m.d.candidates.Filter != "ce" || m.d.modes.Now() != input.ModeNormal || m.d.candidates.Rows.Len() != 1 || m.d.candidates.Rows.At(0).Name() != "cedar" {
		t.Errorf("filter %q, mode %v, %d rows", m.d.candidates.Filter, m.d.modes.Now(), m.d.candidates.Rows.Len())
	}
	doing(t, m, "esc")
	if m.d.candidates.Filter != "" || m.d.candidates.Rows.Len() != 5 || m.d.candidates.Rows.At(m.d.candidates.Index).Name() != "cedar" {
		t.Errorf("after esc: filter %q, %d rows, selected %s", m.d.candidates.Filter, m.d.candidates.Rows.Len(), m.d.candidates.Rows.At(m.d.candidates.Index).Name())
	}
	for _, k := range []string{"/", "0", "x", "a", "5"} {
		doing(t, m, k)
	}
	if m.d.candidates.Rows.Len() != 1 || m.d.candidates.Rows.At(0).Name() != "ember" {
		t.Errorf("by session: %d rows", m.d.candidates.Rows.Len())
	}
	for range 2 * rows.FilterMax {
		doing(t, m, "y")
	}
	if len(m.d.candidates.Filter) > rows.FilterMax {
		t.Errorf("the filter grew to %d", len(m.d.candidates.Filter))
	}
}

func TestQuitAndSuspend(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	if _, ok := m.d.key(press("q"))().(tea.QuitMsg); !ok {
		t.Error("q does not quit")
	}
	for mode := input.ModeNormal; mode <= input.ModeTeach; mode <<= 1 {
		m.d.modes.Ground(mode)
		if _, ok := m.d.key(press("ctrl+c"))().(tea.QuitMsg); !ok {
			t.Errorf("ctrl-c does not quit in mode %d", mode)
		}
		if _, ok := m.d.key(press("ctrl+z"))().(tea.SuspendMsg); !ok {
			t.Errorf("ctrl-z does not suspend in mode %d", mode)
		}
	}
}

func TestNoticesAreShown(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	m.Update(noticeMsg{"one", "two", "recording: disk full\x07"})
	if got := statusLine(m); !strings.Contains(got, `recording: disk full\x07 (and 2 more)`) {
		t.Errorf("status line: %q", got)
	}
}

func TestThemeKey(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	for _, want := range []string{term.Dark, term.Light, term.Mono} {
		doing(t, m, "T")
		if m.d.theme.Name != want {
			t.Errorf("theme %s, want %s", m.d.theme.Name, want)
		}
	}
}
