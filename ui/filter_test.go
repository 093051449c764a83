package ui

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"electop/model/znode"
	"electop/ui/overlay"
	"electop/ui/rows"
)

// A filter is edited as a line: the cursor moves, and letters go where it is.
func TestFilterIsALine(t *testing.T) {
	m, _, _ := stagedWith(nil, ModeDemo)
	keys(m, "/", "c", "d", "left", "e")
	says(t, m, "/ce█d  name", "/ced  1 of 5")
	keys(m, "ctrl+u")
	says(t, m, "/█  name")
	saysNot(t, m, "of 5")
	keys(m, "a", "enter", "/", "m")
	says(t, m, "/am█  name", "/am  1 of 5")
}

// Whatever is typed or pasted into a filter is bounded and safe.
func TestFilterTakesAnything(t *testing.T) {
	special := []tea.KeyType{
		tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyDelete, tea.KeyTab, tea.KeyUp, tea.KeyDown, tea.KeySpace,
		tea.KeyCtrlA, tea.KeyCtrlE, tea.KeyCtrlK, tea.KeyCtrlU, tea.KeyCtrlV, tea.KeyCtrlW, tea.KeyCtrlLeft, tea.KeyCtrlRight, tea.KeyF1,
	}
	rapid.Check(t, func(rt *rapid.T) {
		m, _, _ := stagedWith(nil, ModeDemo)
		keys(m, "/")
		// The screen makes everything safe once more: what the filter really is
		// shows in the line alone.
		line := overlay.NewTyped()
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			msg := tea.KeyMsg{Type: rapid.SampledFrom(special).Draw(rt, "key"), Alt: rapid.Bool().Draw(rt, "alt")}
			if rapid.Bool().Draw(rt, "text") {
				msg.Type, msg.Paste = tea.KeyRunes, rapid.Bool().Draw(rt, "paste")
				msg.Runes = []rune(rapid.OneOf(rapid.StringN(1, 5, -1), rapid.SampledFrom([]string{"d", "\x1b[2J", "e\u0301", "\u202e", "a\nb", strings.Repeat("é", 100)})).Draw(rt, "runes"))
			}
			m.Update(msg)
			line.Edit(msg)
			if text := line.Text(); utf8.RuneCountInString(text) > rows.FilterMax || strings.ContainsFunc(text, znode.Unsafe) {
				rt.Fatalf("filter %q", text)
			}
			if got := statusLine(m); front(m) != inFilter || controls(got) {
				rt.Fatalf("in front is %s, %q", front(m), got)
			}
		}
	})
}
