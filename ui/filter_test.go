package ui

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/rows"
)

// A filter is edited as a line: the cursor moves, and letters go where it is.
func TestFilterIsALine(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	keys(t, m, "/", "c", "d", "left", "e")
	if m.d.candidates.Filter != "ced" || !strings.Contains(screen(m), "/ce█d  name") {
		t.Errorf("filter %q:\n%s", m.d.candidates.Filter, statusLine(m))
	}
	keys(t, m, "ctrl+u")
	if m.d.candidates.Filter != "" || !strings.Contains(screen(m), "/█  name") {
		t.Errorf("filter %q:\n%s", m.d.candidates.Filter, statusLine(m))
	}
	keys(t, m, "a", "enter", "/", "m")
	if m.d.candidates.Filter != "am" {
		t.Errorf("typed on: filter %q", m.d.candidates.Filter)
	}
}

// Whatever is typed or pasted into a filter is bounded and safe.
func TestFilterTakesAnything(t *testing.T) {
	special := []tea.KeyType{
		tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyDelete, tea.KeyTab, tea.KeyUp, tea.KeyDown, tea.KeySpace,
		tea.KeyCtrlA, tea.KeyCtrlE, tea.KeyCtrlK, tea.KeyCtrlU, tea.KeyCtrlV, tea.KeyCtrlW, tea.KeyCtrlLeft, tea.KeyCtrlRight, tea.KeyF1,
	}
	rapid.Check(t, func(rt *rapid.T) {
		m, _, _ := stagedWith(nil, ModeDemo)
		keys(t, m, "/")
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			msg := tea.KeyMsg{Type: rapid.SampledFrom(special).Draw(rt, "key"), Alt: rapid.Bool().Draw(rt, "alt")}
			if rapid.Bool().Draw(rt, "text") {
				msg.Type, msg.Paste = tea.KeyRunes, rapid.Bool().Draw(rt, "paste")
				msg.Runes = []rune(rapid.OneOf(rapid.StringN(1, 5, -1), rapid.SampledFrom([]string{"d", "\x1b[2J", "e\u0301", "\u202e", "a\nb", strings.Repeat("é", 100)})).Draw(rt, "runes"))
			}
			m.Update(msg)
			if n := utf8.RuneCountInString(m.d.candidates.Filter); n > rows.FilterMax || strings.ContainsFunc(m.d.candidates.Filter, znode.Unsafe) {
				rt.Fatalf("filter %q of %d", m.d.candidates.Filter, n)
			}
			if line := statusLine(m); m.d.modes.Now() != input.ModeFilter || controls(line) {
				rt.Fatalf("mode %v, %q", m.d.modes.Now(), line)
			}
		}
	})
}
