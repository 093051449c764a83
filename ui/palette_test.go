package ui

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"electop/ui/action"
	"electop/ui/input"
	"electop/ui/overlay"
	"electop/ui/term"
)

// typing types a text, a letter at a time.
func typing(m Model, text string) { keys(m, strings.Split(text, "")...) }

// Every action that a key can do is in the list, with its key and the reason why it cannot
// be done, and so is everything else with a key but movements.
func TestPaletteHasAll(t *testing.T) {
	m, _, _ := stagedWith(&allow{why: map[action.Kind]string{action.Kill: "refused"}}, ModeDemo)
	keys(m, ":")
	all := m.d.actionsShown().All
	has := func(fits func(e overlay.Entry) bool) bool { return slices.ContainsFunc(all, fits) }
	for i := range action.Table {
		d := &action.Table[i]
		if (d.Key != "" || slices.Contains(action.Faults(), d.Kind)) && !has(func(e overlay.Entry) bool { return e.Kind == d.Kind && (e.Arg == d.Arg || d.Key == "") }) {
			t.Errorf("the list lacks %s %s", d.Kind, d.Arg)
		}
	}
	for _, b := range input.Bindings(false) {
		if b.Modes&input.ModeNormal != 0 && b.Do.Named() && !has(func(e overlay.Entry) bool {
			return e.Do == b.Do && e.Kind == b.Kind && strings.HasSuffix(e.Key, b.Help().Key)
		}) {
			t.Errorf("the list lacks %s", b.Help().Desc)
		}
	}
	for _, e := range all {
		if e.Name == "" || e.Key == "" || e.About == "" || (e.Why != "") != (e.Kind == action.Kill || e.Kind == action.Step) {
			t.Errorf("incomplete: %+v", e)
		}
	}
	m = stage(scene{world: scenes()["main"]().world, o: Options{ObserveOnly: true}}, 120, 36, term.Mono)
	keys(m, ":")
	for _, e := range m.d.actionsShown().All {
		if e.Kind.Changes() {
			t.Errorf("read-only, and the list has %s", e.Name)
		}
	}
}

// enter does what is selected, of the selected candidate, and closes the list.
func TestPaletteRuns(t *testing.T) {
	acts := &allow{done: make(chan action.Action, 1), why: map[action.Kind]string{action.Freeze: "too cold"}}
	m, _, _ := stagedWith(acts, ModeDemo)
	keys(m, "j", ":")
	typing(m, "expire")
	keys(m, "enter")
	select {
	case a := <-acts.done:
		if a.Kind != action.Expire || a.Target != "birch" {
			t.Errorf("it does %+v", a)
		}
	default:
		t.Error("nothing is done")
	}
	if got := front(m); got != onMain {
		t.Errorf("in front is %s", got)
	}

	// What cannot be done says why, and the list stays.
	keys(m, ":")
	typing(m, "freeze")
	says(t, m, "Not now: too cold")
	keys(m, "enter")
	says(t, m, "freeze: too cold")
	if got := front(m); got != "Actions" || len(acts.done) > 0 {
		t.Errorf("in front is %s, done are %d", got, len(acts.done))
	}

	// A name is completed, erased, and what is no letter of a name does nothing.
	keys(m, "ctrl+u")
	typing(m, "serv")
	keys(m, "tab")
	says(t, m, ":servers")
	keys(m, "enter")
	if got := front(m); !strings.HasPrefix(got, "Servers") && !strings.HasPrefix(got, "Ensemble") {
		t.Errorf("in front is %s", got)
	}
	keys(m, "esc", ":")
	typing(m, "qqq")
	says(t, m, "nothing is called so")
	keys(m, "enter", "down", "tab")
	if got := front(m); got != "Actions" {
		t.Errorf("in front is %s", got)
	}
	keys(m, "backspace", "backspace")
	typing(m, "uit")
	if cmd := pressed(m, "enter"); cmd == nil {
		t.Error("quit does not quit")
	} else if _, quits := cmd().(tea.QuitMsg); !quits {
		t.Error("quit does not quit")
	}

	m, _, _ = stagedWith(acts, ModeDemo)
	keys(m, ":", "x", "esc", ":")
	saysNot(t, m, ":x")
	keys(m, "esc")
	if got := front(m); got != onMain || len(acts.done) > 0 {
		t.Errorf("in front is %s, done are %d", got, len(acts.done))
	}
}

// The selection is an action, also where others come and go, and the first match where
// something else is typed.
func TestPaletteSelection(t *testing.T) {
	acts := &allow{why: map[action.Kind]string{}}
	m, src, _ := stagedWith(acts, ModeDemo)
	keys(m, ":", "down", "down", "down")
	e, _ := m.d.palette.Selected()
	acts.why[e.Kind] = "not now"
	src.world.join("guid-n_", "stranger", 0xbeef)
	m.Update(refreshMsg{states: present(src, false).states})
	if now, _ := m.d.palette.Selected(); now.Kind != e.Kind || now.Why != "not now" {
		t.Errorf("selected was %s, and is %s (%s)", e.Kind, now.Kind, now.Why)
	}
	typing(m, "zoom")
	if now, _ := m.d.palette.Selected(); now.Do != input.CmdZoom {
		t.Errorf("selected is %+v", now)
	}
	m.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	keys(m, "ctrl+u", "up", "up")
	for range 100 {
		keys(m, "down")
	}
	last := m.d.actionsShown().All[len(m.d.actionsShown().All)-1]
	if now, _ := m.d.palette.Selected(); now.Name != last.Name || !strings.Contains(screen(m), last.Name) {
		t.Errorf("the last is %s, selected is %s", last.Name, now.Name)
	}
}

// At another moment the list says why nothing can be done there.
func TestPaletteInThePast(t *testing.T) {
	sc := scenes()["past"]()
	sc.keys = append(sc.keys, ":", "k", "i", "l", "l")
	m := stage(sc, 120, 36, term.Mono)
	says(t, m, "> x", "Not now: this is")
	keys(m, "enter")
	if got := front(m); got != "Actions" {
		t.Errorf("in front is %s", got)
	}
	keys(m, "esc")
	if got := front(m); got != inPast {
		t.Errorf("in front is %s", got)
	}
}
