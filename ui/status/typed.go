package status

import (
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// Typed is a line of text as it is typed.
type Typed struct{ in textinput.Model }

// NewTyped returns an empty line.
func NewTyped() Typed {
	in := textinput.New()
	in.CharLimit = rows.FilterMax
	in.Focus()
	return Typed{in}
}

// Set replaces the text.
func (l *Typed) Set(text string) {
	l.in.SetValue(text)
	l.in.CursorEnd()
}

// Edit changes the text as a key says. The commands that textinput asks for
// are not run: they blink, or read the clipboard, which the terminal pastes.
func (l *Typed) Edit(msg tea.KeyMsg) {
	if msg.Alt {
		return // a letter with alt is not text; alt-d ends textinput in a panic
	}
	msg.Runes = []rune(znode.Safe(string(msg.Runes), rows.FilterMax))
	l.in, _ = l.in.Update(msg)
}

// Text is what was typed, and At where the cursor is in it, in runes.
func (l *Typed) Text() string { return l.in.Value() }
func (l *Typed) At() int      { return l.in.Position() }

// Draw draws a filter with its cursor, and what it is compared to.
func (l *Typed) Draw(f *term.Frame, r term.Rect, what string) {
	p := f.Area(r).Pen(0).Gap(1)
	text, at := []rune(l.Text()), l.At()
	p.Text(term.Key, "/").Text(term.You, znode.Safe(string(text[:at]), rows.FilterMax)).
		Text(term.You, f.Theme.Glyph.Cursor).Text(term.You, znode.Safe(string(text[at:]), rows.FilterMax))
	p.Gap(2).Text(term.Muted, what)
}
