package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/ui/input"
	"electop/ui/mainscreen"
)

// What a key does depends on what is settled and never on what was drawn: a
// dashboard that draws each change and one that draws only at the end show the
// same, whatever is pressed at whatever size.
func TestDrawingChangesNothing(t *testing.T) {
	var all []string
	for _, b := range input.Bindings(false) {
		if b.Do != input.CmdQuit && b.Do != input.CmdSuspend {
			all = append(all, b.Keys()...)
		}
	}
	slices.Sort(all)
	rapid.Check(t, func(t *rapid.T) {
		var drawn, settled Model
		n := rapid.SampledFrom([]int{0, 4, 40, 300}).Draw(t, "candidates")
		for _, m := range []*Model{&drawn, &settled} {
			w := five(dialect.Election())
			if n > 4 {
				w = class(n)
			}
			w.wait(time.Minute)
			*m = New(Options{
				Source: &wallSource{source{world: w}, []*world{verifiedAt("/other")}, searched(false)}, Mode: ModeDemo,
				Tutor: teaching(asked), Renderer: plainRenderer(), Now: func() time.Time { return w.now },
			})
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			var msg tea.Msg = tea.WindowSizeMsg{Width: rapid.IntRange(0, 200).Draw(t, "w"), Height: rapid.IntRange(0, 70).Draw(t, "h")}
			if rapid.IntRange(0, 9).Draw(t, "resize") > 0 {
				msg = press(rapid.SampledFrom(all).Draw(t, "key"))
			}
			drawn.Update(msg)
			// Model.Update always draws: only from inside can it be left out.
			settled.d.update(msg)
			settled.d.settle(settled.d.frame())
		}
		msg := tea.WindowSizeMsg{Width: 120, Height: 36}
		drawn.Update(msg)
		settled.Update(msg)
		if drawn.View() != settled.View() {
			t.Fatalf("drawn each time:\n%s\ndrawn at the end:\n%s", ansi.Strip(drawn.View()), ansi.Strip(settled.View()))
		}
	})
}

// Keys that come in one message do what they do one by one.
func TestKeysAtOnce(t *testing.T) {
	var views []string
	for _, msgs := range [][]tea.Msg{
		{tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("zjjj")}, press("right"), press("pgdown")},
		{press("z"), press("j"), press("j"), press("j"), press("right"), press("pgdown")},
	} {
		w := class(300)
		m := New(Options{Source: &source{world: w}, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
		for _, msg := range msgs {
			m.Update(msg)
		}
		views = append(views, m.View())
	}
	if views[0] != views[1] {
		t.Errorf("at once:\n%s\none by one:\n%s", views[0], views[1])
	}
}

// Keys that come before the size of the terminal is known, or while it is too
// small, do no harm.
func TestKeysBeforeASize(t *testing.T) {
	w := five(dialect.Election())
	for _, b := range input.Bindings(false) {
		for _, first := range []string{"", "tab", "e", "L", "?", "X", "enter"} {
			m := New(Options{Source: &source{world: w}, Mode: ModeDemo, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
			for _, k := range append(strings.Fields(first), b.Keys()...) {
				m.Update(press(k))
			}
		}
	}
}

// A terminal can claim a size for which no machine has the memory.
func TestFrameIsBounded(t *testing.T) {
	m := New(Options{Source: &source{world: five(dialect.Election())}, Renderer: plainRenderer(), Width: 2000, Height: 1000})
	for _, msg := range []tea.Msg{nil, tea.WindowSizeMsg{Width: 2000, Height: 1000}} {
		m.Update(msg)
		if w, h := lipgloss.Size(m.View()); w != 1000 || h > 500 {
			t.Errorf("after %T %d x %d", msg, w, h)
		}
	}
}

// Esc leaves a text that tab came to for the panel before it.
func TestTabAndBack(t *testing.T) {
	w := five(dialect.Election())
	m := New(Options{Source: &source{world: w}, Renderer: plainRenderer(), Now: func() time.Time { return w.now }})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	keys(m, "enter", "esc")
	before := m.d.screen.Focus
	for range mainscreen.Panels {
		if keys(m, "tab"); m.d.screen.Focus >= mainscreen.Selected {
			break
		}
		before = m.d.screen.Focus
	}
	if m.d.screen.Focus < mainscreen.Selected {
		t.Fatal("tab comes to no text")
	}
	if keys(m, "esc"); m.d.screen.Focus != before {
		t.Errorf("panel %d has the focus, before the text %d", m.d.screen.Focus, before)
	}
}
