package mainscreen

import (
	"time"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

const (
	// goodShown and TroubleShown are how long the line keeps a result:
	// good news is expected and short, bad news has to be read.
	goodShown    = 5 * time.Second
	TroubleShown = 15 * time.Second
)

// Said is what the status line says of what was done, for as long as it takes to read it.
type Said struct {
	style term.Style
	text  string
	until time.Time // zero: nothing
}

// Say puts text into the line.
func (l *Said) Say(st term.Style, text string, now time.Time) {
	keep := goodShown
	if st == term.Trouble {
		keep = TroubleShown
	}
	*l = Said{st, text, now.Add(keep)}
}

// Clear says nothing more: it was read, or it is in the way.
func (l *Said) Clear() { *l = Said{} }

// Says is what the line says in a frame, false for nothing.
func (l *Said) Says(f *term.Frame) (st term.Style, text string, ok bool) {
	if !l.until.After(f.Now) {
		return 0, "", false
	}
	f.At(l.until)
	return l.style, l.text, true
}

// DrawStatus draws the status line.
func DrawStatus(f *term.Frame, r term.Rect, st term.Style, text string) {
	p := f.Area(r).Pen(0).Gap(1)
	p.Text(st, term.Cut(text, p.Room()-1))
}

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
