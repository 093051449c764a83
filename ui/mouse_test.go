package ui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"electop/model/history"
	"electop/ui/action"
	"electop/ui/handoffs"
	"electop/ui/input"
	"electop/ui/mainscreen"
	"electop/ui/overlay"
	"electop/ui/term"
)

// clicks clicks where the screen has text, and runs the commands.
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

// clicksRow clicks a candidate's name in its panel.
func clicksRow(t *testing.T, m Model, name string) {
	t.Helper()
	r := m.d.screen.At.Panel[mainscreen.Candidates]
	for y := r.Y; y < r.Y+r.H; y++ {
		if queueRow := regexp.MustCompile(`^.{3,}[0-9]  ` + name); queueRow.MatchString(lines(m)[y]) {
			clickAt(m, r.X+12, y)
			return
		}
	}
	t.Fatalf("there is no %q to click:\n%s", name, screen(m))
}

func clickAt(m Model, x, y int) {
	for cmd := sent(m, tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft}); cmd != nil; {
		cmd = sent(m, cmd())
	}
}

func wheel(m Model, x, y int, button tea.MouseButton) {
	m.Update(tea.MouseMsg{X: x, Y: y, Action: tea.MouseActionPress, Button: button})
}

// A click selects the row that is drawn there, whatever the filter and the size;
// a second one opens it.
func TestClickSelects(t *testing.T) {
	for _, size := range allSizes {
		m, _, _ := stagedWith(&allow{}, ModeDemo)
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, name := range []string{"delta", "birch", "ember", "amber", "cedar"} {
			clicksRow(t, m, name)
			if got := m.d.candidates.Row().Name(); got != name || front(m) != onMain {
				t.Errorf("at %v: %s is selected, not %s; in front is %s", size, got, name, front(m))
			}
		}
		keys(m, "g", "/", "e", "r")
		clicksRow(t, m, "ember")
		if got := m.d.candidates.Row().Name(); got != "ember" || front(m) != onMain || m.d.candidates.Filter != "er" {
			t.Errorf("at %v, filtered: %s is selected, in front is %s", size, got, front(m))
		}
		clicksRow(t, m, "ember")
		if got := m.d.screen.Focus; got != mainscreen.Selected || !strings.Contains(screen(m), "Candidate ember") {
			t.Errorf("at %v: a second click gives panel %d the focus", size, got)
		}
	}
}

// In a scene in which rows are more than the queue, each row is where it is drawn.
func TestEachRowIsWhereItIsDrawn(t *testing.T) {
	for _, name := range []string{"homeless", "told", "storm", "crowd", "grid", "filter", "hostile", "killed"} {
		for _, size := range allSizes {
			m := stage(scenes()[name](), size[0], size[1], term.Mono)
			all := lines(m)
			seen := 0
			for y := range all {
				x := 2
				before := m.d.candidates.Index
				if m.d.canvas.SpotAt(x, y) == nil {
					continue
				}
				if at, ok := m.d.screen.At.PanelAt(x, y); !ok || at != mainscreen.Candidates {
					continue
				}
				seen++
				clickAt(m, x, y)
				if front(m) != onMain { // it was selected already
					keys(m, "esc")
				}
				line := []rune(lines(m)[y])
				if line[1] != '>' {
					t.Errorf("%s at %v: line %d is clicked, from row %d, and row %d is selected:\n%s", name, size, y, before, m.d.candidates.Index, screen(m))
				}
			}
			if seen == 0 {
				t.Errorf("%s at %v: no row can be clicked", name, size)
			}
		}
	}
}

// A click gives a panel the focus, and presses a key of the last line.
func TestClickPanelsAndKeys(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1), why: map[action.Kind]string{action.Verify: "not today"}}
	m, _, _ := stagedWith(acts, ModeDemo)
	for title, want := range map[string]mainscreen.Panel{"Recipe": mainscreen.Recipe, "Handoffs": mainscreen.Handoffs, "Candidates": mainscreen.Candidates} {
		if clicks(t, m, title); m.d.screen.Focus != want {
			t.Errorf("%s is clicked, and panel %d has the focus", title, m.d.screen.Focus)
		}
	}
	clicks(t, m, "s spawn")
	select {
	case a := <-acts.done:
		if a.Kind != action.Spawn {
			t.Errorf("it does %+v", a)
		}
	default:
		t.Error("a click on a key presses none")
	}
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 36})
	clicks(t, m, "v verify")
	says(t, m, "not today")
	clicks(t, m, "? help")
	if got := front(m); got != "Help" {
		t.Errorf("in front is %s", got)
	}
	clicks(t, m, "esc back")
	if got := front(m); got != onMain {
		t.Errorf("in front is %s", got)
	}
}

// The wheel scrolls what is under the pointer, whatever has the focus, or what is in front.
func TestWheel(t *testing.T) {
	m := stage(scenes()["storm"](), 120, 36, term.Mono)
	at := m.d.candidates.Index
	wheel(m, 5, 5, tea.MouseButtonWheelDown)
	wheel(m, 5, 5, tea.MouseButtonWheelDown)
	wheel(m, 5, 5, tea.MouseButtonWheelUp)
	if got := m.d.candidates.Index; got != at+1 {
		t.Errorf("row %d is selected, after row %d", got, at)
	}
	wheel(m, 100, 5, tea.MouseButtonWheelDown) // nothing to scroll in the recipe
	wheel(m, 5, 35, tea.MouseButtonWheelDown)  // the last line
	if got := m.d.candidates.Index; got != at+1 {
		t.Errorf("row %d is selected", got)
	}
	keys(m, "?")
	wheel(m, 5, 5, tea.MouseButtonWheelDown)
	says(t, m, "4-")
	if got := m.d.candidates.Index; got != at+1 {
		t.Errorf("behind the help row %d is selected", got)
	}
	// What is no press of the left button or the wheel does nothing.
	keys(m, "esc")
	before := m.View()
	for _, e := range []tea.MouseMsg{
		{X: 5, Y: 6, Action: tea.MouseActionMotion, Button: tea.MouseButtonLeft}, {X: 5, Y: 6, Action: tea.MouseActionRelease, Button: tea.MouseButtonLeft},
		{X: 5, Y: 6, Action: tea.MouseActionPress, Button: tea.MouseButtonRight}, {X: -1, Y: 500, Action: tea.MouseActionPress, Button: tea.MouseButtonLeft},
	} {
		m.Update(e)
	}
	if m.View() != before {
		t.Error("something was done")
	}
	m.Update(tea.WindowSizeMsg{Width: 20, Height: 5})
	clickAt(m, 3, 3)
	wheel(m, 3, 3, tea.MouseButtonWheelUp)
}

// Lists in front: a click selects, a second one does what enter does.
func TestClickInLists(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1)}
	m, _, _ := stagedWith(acts, ModeDemo)
	keys(m, "X")
	clicks(t, m, " freeze")
	if got := marked(m, "Faults of amber"); !strings.Contains(got, "freeze") || len(acts.done) > 0 {
		t.Fatalf("marked is %q", got)
	}
	clicks(t, m, " freeze")
	if len(acts.done) != 1 || (<-acts.done).Kind != action.Freeze {
		t.Error("a second click does nothing")
	}

	keys(m, ":")
	clicks(t, m, "x      kill")
	if e, _ := m.d.palette.Selected(); e.Kind != action.Kill || len(acts.done) > 0 {
		t.Errorf("selected is %+v", e)
	}
	clicks(t, m, "x      kill")
	if len(acts.done) != 1 || (<-acts.done).Kind != action.Kill || front(m) != onMain {
		t.Error("a second click does nothing")
	}

	m = stage(scenes()["wall"](), 120, 36, term.Mono)
	clicks(t, m, "/tasks/nightly")
	if got := m.d.elections.Row().Path; got != "/tasks/nightly" {
		t.Errorf("selected is %s", got)
	}
	clicks(t, m, "/overseer_elect/election") // its row has no room for the reason
	if all := lines(m); !strings.Contains(all[len(all)-2], "is first and has not acknowledged") {
		t.Errorf("why nobody leads: %s", all[len(all)-2])
	}

	m = stage(scenes()["lessons"](), 120, 36, term.Mono)
	picked := func() string { e, _ := m.d.course.Menu.Selected(); return e.Arg }
	was := picked()
	for y := range lines(m) {
		if _, ok := m.d.canvas.SpotAt(60, y).(overlay.Entry); ok && picked() == was {
			clickAt(m, 60, y)
			if got := []rune(lines(m)[y]); !strings.Contains(string(got), ">") {
				t.Errorf("line %d is clicked: %s", y, string(got))
			}
		}
	}
	if picked() == was {
		t.Error("no other lesson can be selected")
	}
	if m.d.modes.Now() != input.ModeLessons {
		t.Errorf("in front is %s", front(m))
	}
}

// A click on the time line goes to what was so then, and on its end to the last moment; a
// question is not answered by a click beside its keys.
func TestClickTheTimeLine(t *testing.T) {
	m, _, _, _ := stagedPast(&allow{})
	var at []time.Time
	y := m.d.screen.At.Panel[mainscreen.Handoffs].Y + 1
	for x := range 120 {
		if moment, ok := m.d.canvas.SpotAt(x, y).(handoffs.Moment); ok {
			at = append(at, time.Time(moment))
		}
	}
	if len(at) < 10 {
		t.Fatalf("the time line has %d cells", len(at))
	}
	for x := range 120 {
		moment, ok := m.d.canvas.SpotAt(x, y).(handoffs.Moment)
		if !ok {
			continue
		}
		clickAt(m, x, y)
		j := &m.d.past.journey
		if !j.On || !j.Known || front(m) != inPast {
			t.Fatalf("column %d: on %v, known %v, in front is %s", x, j.On, j.Known, front(m))
		}
		if j.At.At.After(time.Time(moment)) && !j.At.First {
			t.Errorf("column %d: it is %v, after %v", x, j.At.At, time.Time(moment))
		}
		if next, ok := m.d.o.Past.Seek("/election", j.At.N, history.MoveOn); ok && next.N > j.At.N && !next.At.After(time.Time(moment)) {
			t.Errorf("column %d: %v is nearer to %v than %v", x, next.At, time.Time(moment), j.At.At)
		}
		keys(m, "p")
	}

	m, _, _ = stagedWith(&allow{}, ModeDemo) // without a past
	clickAt(m, 40, m.d.screen.At.Panel[mainscreen.Handoffs].Y+1)
	says(t, m, "no earlier moments are kept here")
}
