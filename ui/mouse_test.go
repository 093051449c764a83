package ui

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/history"
	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/leadership"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
)

func clicks(t *testing.T, m Model, text string) {
	t.Helper()
	for y, line := range lines(m) {
		if before, _, found := strings.Cut(line, text); found {
			clickAt(m, len([]rune(before)), y)
			return
		}
	}
	t.Fatalf("there is no %q to click:\n%s", text, screen(m))
}

func clickAt(m Model, x, y int) {
	for cmd := sent(m, tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}); cmd != nil; {
		cmd = sent(m, cmd())
	}
}

func wheel(m Model, x, y int, button tea.MouseButton) {
	m.Update(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: button})
}

func TestClickSelects(t *testing.T) {
	for _, name := range []string{"main", "no-znode", "notified", "herd-notified", "crowd", "grid", "filter", "hostile", "killed"} {
		for _, size := range allSizes {
			m := show(samples()[name](), size[0], size[1], term.Mono)
			r, seen := m.d.screen.At.Panel[mainscreen.Candidates], 0
			for y := r.Y; y < r.Y+r.H; y++ {
				if m.d.canvas.SpotAt(2, y) == nil {
					continue
				}
				seen++
				clickAt(m, 2, y)
				if front(m) != onMain { // the row was selected already, so the click opened its panel
					keys(m, "esc")
				}
				if line := []rune(lines(m)[y]); line[1] != '>' {
					t.Errorf("%s at %v: a click does not select line %d:\n%s", name, size, y, screen(m))
				}
				clickAt(m, 2, y)
				if got := m.d.screen.Focus; got != mainscreen.Selected {
					t.Errorf("%s at %v: a second click gives panel %d the focus, want %d", name, size, got, mainscreen.Selected)
				}
				keys(m, "esc")
			}
			if seen == 0 {
				t.Errorf("%s at %v: no row can be clicked", name, size)
			}
		}
	}
}

func TestClickPanelsAndKeys(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1), why: map[action.Kind]string{action.Verify: "not today"}}
	m, _, _ := dashboardWith(acts, ModeDemo)
	for title, want := range map[string]mainscreen.Panel{"Recipe": mainscreen.Recipe, "Handoffs": mainscreen.Handoffs, "Candidates": mainscreen.Candidates} {
		if clicks(t, m, title); m.d.screen.Focus != want {
			t.Errorf("a click on %s: got focus on panel %d, want %d", title, m.d.screen.Focus, want)
		}
	}
	clicks(t, m, "s spawn")
	if got := acts.did(); got.Kind != action.Spawn {
		t.Errorf("a click on the key s: got action %+v, want spawn", got)
	}
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 36})
	clicks(t, m, "v verify")
	shows(t, m, "not today")
	for _, c := range [][2]string{{"? help", "Help"}, {"esc back", onMain}} {
		if clicks(t, m, c[0]); front(m) != c[1] {
			t.Errorf("a click on %s: got %s in front, want %s", c[0], front(m), c[1])
		}
	}
}

func TestWheel(t *testing.T) {
	m := show(samples()["herd-notified"](), 120, 36, term.Mono)
	at := m.d.candidates.Index
	wheel(m, 5, 5, tea.MouseButtonWheelDown)
	wheel(m, 5, 5, tea.MouseButtonWheelDown)
	wheel(m, 5, 5, tea.MouseButtonWheelUp)
	if got := m.d.candidates.Index; got != at+1 {
		t.Errorf("after two notches down and one up: got row %d, want %d", got, at+1)
	}
	wheel(m, 100, 5, tea.MouseButtonWheelDown) // the recipe has nothing to scroll
	wheel(m, 5, 35, tea.MouseButtonWheelDown)  // the footer
	if got := m.d.candidates.Index; got != at+1 {
		t.Errorf("beside the list: got row %d, want %d", got, at+1)
	}
	keys(m, "?")
	wheel(m, 5, 5, tea.MouseButtonWheelDown)
	shows(t, m, "4-")
	if got := m.d.candidates.Index; got != at+1 {
		t.Errorf("with the help in front: got row %d, want %d", got, at+1)
	}
	keys(m, "esc")
	before := m.View()
	for _, e := range []tea.MouseMsg{
		{X: 5, Y: 6, Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft}, {X: 5, Y: 6, Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft},
		{X: 5, Y: 6, Action: tea.MouseActionPress, Button: tea.MouseButtonRight}, {X: -1, Y: 500, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft},
	} {
		m.Update(e)
	}
	if m.View() != before {
		t.Error("a motion, a release, the right button or a click outside the screen changed the screen")
	}
	m.Update(tea.WindowSizeMsg{Width: 20, Height: 5})
	clickAt(m, 3, 3)
	wheel(m, 3, 3, tea.MouseButtonWheelUp)
}

func TestClickInLists(t *testing.T) {
	acts := &fakeActions{done: make(chan action.Action, 1)}
	m, _, _ := dashboardWith(acts, ModeDemo)
	for _, c := range []struct {
		key, row, title string
		did             action.Kind
	}{{"X", " freeze", "Faults of amber", action.Freeze}, {":", "x      kill", "Actions", action.Kill}} {
		keys(m, c.key)
		clicks(t, m, c.row)
		if got := marked(m, c.title); !strings.Contains(got, string(c.did)) || acts.did() != (action.Action{}) {
			t.Fatalf("after one click: got line %q marked, want %s without an action", got, c.did)
		}
		clicks(t, m, c.row)
		if got := acts.did(); got.Kind != c.did || front(m) != onMain {
			t.Errorf("a second click: got action %+v and %s in front, want %s on the main screen", got, front(m), c.did)
		}
	}

	m = show(samples()["elections"](), 120, 36, term.Mono)
	clicks(t, m, "/tasks/nightly")
	if got := m.d.elections.Row().Path; got != "/tasks/nightly" {
		t.Errorf("got %s selected, want /tasks/nightly", got)
	}
	clicks(t, m, "/overseer_elect/election")
	if all := lines(m); !strings.Contains(all[len(all)-2], "is first and has not acknowledged") {
		t.Errorf("got status line %q, want why nobody leads", all[len(all)-2])
	}

	m = show(samples()["lessons"](), 120, 36, term.Mono)
	picked := func() string { e, _ := m.d.lessons.Menu.Selected(); return e.Arg }
	was := picked()
	for y := range lines(m) {
		if _, ok := m.d.canvas.SpotAt(60, y).(overlay.Entry); ok && picked() == was {
			clickAt(m, 60, y)
			if got := []rune(lines(m)[y]); !strings.Contains(string(got), ">") {
				t.Errorf("a click on line %d does not select it: %s", y, string(got))
			}
		}
	}
	if picked() == was {
		t.Error("no click selects another lesson")
	}
	if m.d.modes.Now() != input.ModeLessonMenu {
		t.Errorf("got %s in front, want the menu of lessons", front(m))
	}
}

func TestClickTheTimeLine(t *testing.T) {
	m, _, _, _ := dashboardWithPast(&fakeActions{})
	var at []time.Time
	y := m.d.screen.At.Panel[mainscreen.Handoffs].Y + 1
	for x := range 120 {
		if moment, ok := m.d.canvas.SpotAt(x, y).(leadership.TimeSpot); ok {
			at = append(at, time.Time(moment))
		}
	}
	if len(at) < 10 {
		t.Fatalf("got %d cells of the time line, want at least 10", len(at))
	}
	for x := range 120 {
		moment, ok := m.d.canvas.SpotAt(x, y).(leadership.TimeSpot)
		if !ok {
			continue
		}
		clickAt(m, x, y)
		j := &m.d.past.journey
		if !j.On || !j.Known || front(m) != inPast {
			t.Fatalf("column %d: got travelling %v, known %v and %s in front; want a known moment", x, j.On, j.Known, front(m))
		}
		if j.At.At.After(time.Time(moment)) && !j.At.First {
			t.Errorf("column %d: got moment %v, which is after %v", x, j.At.At, time.Time(moment))
		}
		if next, ok := m.d.o.Past.Seek("/election", j.At.N, history.MoveOn); ok && next.N > j.At.N && !next.At.After(time.Time(moment)) {
			t.Errorf("column %d: got moment %v, want %v, the last one not after %v", x, j.At.At, next.At, time.Time(moment))
		}
		keys(m, "p")
	}

	m, _, _ = dashboardWith(&fakeActions{}, ModeDemo)
	clickAt(m, 40, m.d.screen.At.Panel[mainscreen.Handoffs].Y+1)
	shows(t, m, "no earlier moments of this election are kept")
}
