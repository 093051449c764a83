package ui

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/ui/action"
	"electop/ui/mainscreen"
	"electop/ui/rows"
	"electop/ui/term"
)

// stagedWith is the main scene with these actions, and its model.
func stagedWith(actions Actions, mode string) (Model, *source, *time.Time) {
	return stagedOn(five(dialect.Election()).wait(time.Minute), actions, Options{Mode: mode})
}

func TestActionsHaveTargets(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1)}
	m, src, _ := stagedWith(acts, ModeDemo)
	src.world.join("guid-n_", "stranger", 0xbeef)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	for _, c := range []struct {
		keys string
		want action.Action
	}{
		{"s", action.Action{Election: "/election", Kind: action.Spawn}},
		{"x", action.Action{Election: "/election", Kind: action.Kill, Target: "amber"}},
		{"jf", action.Action{Election: "/election", Kind: action.Freeze, Target: "birch", Arg: action.ArgOn}},
		{"d", action.Action{Election: "/election", Kind: action.Resign, Target: "birch"}},
		{"c", action.Action{Election: "/election", Kind: action.Campaign, Arg: action.ArgOff}},
		{"h", action.Action{Election: "/election", Kind: action.Herd, Arg: action.ArgOn}},
		{"Gx", action.Action{Election: "/election", Kind: action.Kill, Target: "/election/guid-n_0000000017"}},
	} {
		keys(m, strings.Split(c.keys, "")...)
		select {
		case got := <-acts.done:
			if got != c.want {
				t.Errorf("keys %q do %+v, want %+v", c.keys, got, c.want)
			}
		default:
			t.Errorf("keys %q do nothing, want %+v", c.keys, c.want)
		}
	}
	if got := selected(m); got != "17 stranger" {
		t.Errorf("selected is %s", got)
	}
}

func TestInspectReadsAgain(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1)}
	m, src, now := stagedWith(acts, ModeDemo)
	cmd := pressed(m, "enter")
	*now = now.Add(3 * time.Second)
	m.Update(cmd())
	if want, got := (action.Action{Election: "/election", Kind: action.Refresh, Target: "amber", Arg: "/election/" + amberZ}), <-acts.done; got != want {
		t.Errorf("enter does %+v, want %+v", got, want)
	}
	says(t, m, "as of "+now.Format(term.ClockFormat))
	// It shows who is selected.
	src.world = newWorld("/election", nil, false).connect().read(nil, nil)
	m.Update(present(src, false))
	says(t, m, "No candidate is selected.")
}

func TestRefusedKeySaysWhy(t *testing.T) {
	acts := &allow{why: map[action.Kind]string{action.Kill: "amber is \x1bdead already", action.Step: "no server"}, done: make(chan action.Action, 1)}
	m, _, _ := stagedWith(acts, ModeDemo)
	keys(m, "x")
	if got := statusLine(m); !strings.Contains(got, `Can't kill: amber is \x1bdead already`) {
		t.Errorf("status line: %q", got)
	}
	keys(m, ".") // and not that [ slows it down first
	if got := statusLine(m); !strings.Contains(got, "Can't go one step: no server") {
		t.Errorf("status line: %q", got)
	}
	if len(acts.done) > 0 {
		t.Error("it was done all the same")
	}
	m, _, _ = stagedWith(nil, ModeLive)
	keys(m, "s")
	if got := statusLine(m); !strings.Contains(got, "Can't spawn: read-only") {
		t.Errorf("status line without actions: %q", got)
	}
}

func TestFailureIsShown(t *testing.T) {
	m, _, now := stagedWith(&allow{err: errRefused}, ModeDemo)
	keys(m, "x")
	if got := statusLine(m); !strings.Contains(got, `kill amber: refused by \x1b[31mtest`) {
		t.Errorf("status line: %q", got)
	}
	*now = now.Add(mainscreen.TroubleShown)
	look(m)
	if got := statusLine(m); !strings.Contains(got, "amber leads") {
		t.Errorf("status line later: %q", got)
	}
}

// slow is [Actions] that end with their context only.
type slow struct{}

func (slow) Why(action.Action) string { return "" }
func (slow) Do(ctx context.Context, a action.Action) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestPausedRefusesToAct(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1)}
	m, src, _ := stagedWith(acts, ModeDemo)
	keys(m, "p")
	src.world.leave(amberZ)
	m.Update(refreshMsg{states: []*doctor.State{src.State()}})
	if !strings.Contains(ansi.Strip(m.View()), "5 candidates") && !strings.Contains(ansi.Strip(m.View()), "+2 events waiting") {
		t.Errorf("the picture went on:\n%s", m.View())
	}
	keys(m, "x")
	if got := statusLine(m); !strings.Contains(got, "paused") || len(acts.done) > 0 {
		t.Errorf("status line: %q, done: %d", got, len(acts.done))
	}
	keys(m, "p")
	if text := ansi.Strip(m.View()); strings.Contains(text, "PAUSED") || !strings.Contains(text, "amber  → birch") {
		t.Errorf("not live again:\n%s", text)
	}
}

func TestReplayIsPausedAtItsSource(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1)}
	m, src, _ := stagedWith(acts, ModeReplay)
	keys(m, "p")
	if got := <-acts.done; got != (action.Action{Election: "/election", Kind: action.Pause}) {
		t.Errorf("p does %+v", got)
	}
	says(t, m, "REPLAY  stopped")
	src.world.leave(amberZ)
	m.Update(present(src, false))
	says(t, m, "4 candidates") // the picture is not held as well
	saysNot(t, m, "PAUSED")
}

func TestLiveAsksBeforeOwnCandidacy(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1)}
	m, _, _ := stagedWith(acts, ModeLive)
	keys(m, "j")
	keys(m, "j") // cedar, which is this program's own
	for _, c := range []struct {
		answer string
		done   int
	}{{"n", 0}, {"esc", 0}, {"y", 1}} {
		keys(m, "x")
		if got := statusLine(m); !strings.Contains(got, "live cluster?") {
			t.Fatalf("no question: %q", got)
		}
		keys(m, "q") // means nothing here
		keys(m, c.answer)
		if len(acts.done) != c.done || front(m) != onMain {
			t.Errorf("after %q: %d done, in front is %s", c.answer, len(acts.done), front(m))
		}
	}
}

func TestFilterByKeyboard(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	keys(m, "/", "q", "backspace", "c", "e", "enter")
	if got := queue(m); front(m) != onMain || !slices.Equal(got, []string{"14 cedar"}) {
		t.Errorf("in front is %s, shown are %q", front(m), got)
	}
	says(t, m, "/ce  1 of 5")
	keys(m, "esc")
	if got := queue(m); len(got) != 5 || selected(m) != "14 cedar" {
		t.Errorf("after esc: shown are %q, selected %s", got, selected(m))
	}
	saysNot(t, m, "/ce")
	keys(m, "/", "0", "x", "a", "5")
	if got := queue(m); !slices.Equal(got, []string{"16 ember"}) {
		t.Errorf("by session: %q", got)
	}
	for range 2 * rows.FilterMax {
		keys(m, "y")
	}
	if got := typed(m); len(got) != rows.FilterMax {
		t.Errorf("the filter grew to %q", got)
	}
	keys(m, "esc") // no filter, while it is typed
	if got := queue(m); front(m) != onMain || len(got) != 5 {
		t.Errorf("in front is %s, shown are %q", front(m), got)
	}
}

func TestQuitAndSuspend(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	asks := func(key string) tea.Msg {
		if cmd := pressed(m, key); cmd != nil {
			return cmd()
		}
		return nil
	}
	if _, ok := asks("q").(tea.QuitMsg); !ok {
		t.Error("q does not quit")
	}
	if _, ok := asks("ctrl+z").(tea.SuspendMsg); !ok {
		t.Error("ctrl-z does not suspend")
	}
	if _, ok := asks("ctrl+c").(tea.QuitMsg); !ok {
		t.Error("ctrl-c does not quit")
	}
}

func TestNoticesAreShown(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	m.Update(noticeMsg{"recording: disk full\x07", 2})
	if got := statusLine(m); !strings.Contains(got, `recording: disk full\x07 (and 2 more)`) {
		t.Errorf("status line: %q", got)
	}
}

func TestThemeKey(t *testing.T) {
	w := five(dialect.Election())
	m := New(Options{Source: &source{world: w}, Theme: term.Mono, Renderer: profileRenderer(termenv.TrueColor), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	colour := regexp.MustCompile(`38;2;\d+;\d+;\d+`)
	seen := map[string]bool{}
	for _, want := range []string{term.Dark, term.Light, term.Mono} {
		keys(m, "T")
		if got := statusLine(m); !strings.Contains(got, "theme: "+want) {
			t.Errorf("status line: %q, want %s", got, want)
		}
		first := colour.FindString(m.View())
		if seen[first] || (first == "") != (want == term.Mono) {
			t.Errorf("the first colour of theme %s is %q", want, first)
		}
		seen[first] = true
	}
}

// Where nothing is selected, a key that is about something says so.
func TestNothingIsSelected(t *testing.T) {
	m, _, _ := stagedOn(vacant(), &allow{}, Options{Mode: ModeDemo})
	for k, want := range map[string]string{"x": "Can't kill: no candidate is selected", "X": "Can't list faults: no candidate is selected", "enter": "Can't inspect: no candidate is selected"} {
		keys(m, k)
		if got := statusLine(m); !strings.Contains(got, want) || front(m) != onMain {
			t.Errorf("%s says %q, in front is %s", k, got, front(m))
		}
	}
}
