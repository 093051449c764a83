package ui

import (
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/layout"
	"electop/ui/rows"
	"electop/ui/term"
)

// filter is the line in which a filter is typed.
type filter struct{ in textinput.Model }

func newFilter() filter {
	in := textinput.New()
	in.CharLimit = rows.FilterMax
	in.Focus()
	return filter{in}
}

// set replaces the text.
func (l *filter) set(text string) {
	l.in.SetValue(text)
	l.in.CursorEnd()
}

// edit changes the text as a key says. The commands that textinput asks for
// are not run: they blink, or read the clipboard, which the terminal pastes.
func (l *filter) edit(msg tea.KeyMsg) {
	if msg.Alt {
		return // a letter with alt is not text; alt-d ends textinput in a panic
	}
	msg.Runes = []rune(znode.Safe(string(msg.Runes), rows.FilterMax))
	l.in, _ = l.in.Update(msg)
}

// draw draws the text with its cursor, and what it is compared to.
func (l *filter) draw(f *term.Frame, p *term.Pen, what string) {
	text, at := []rune(l.in.Value()), l.in.Position()
	p.Text(term.Key, "/").Text(term.You, znode.Safe(string(text[:at]), rows.FilterMax)).
		Text(term.You, f.Theme.Glyph.Cursor).Text(term.You, znode.Safe(string(text[at:]), rows.FilterMax))
	p.Gap(2).Text(term.Muted, what)
}

// typed is the filter that the keyboard changes: of the elections, or of the
// candidates of the one on the screen.
func (d *dashboard) typed() *string {
	if d.modes.Front() == input.ModeElections {
		return &d.elections.Filter
	}
	return &d.candidates.Filter
}

// sort brings what is listed into the next order.
func (d *dashboard) sort() {
	by, first := "", "in the order of the queue"
	if d.modes.Front() == input.ModeElections {
		by, first = d.elections.Sort(), "in the order in which they are watched"
	} else {
		d.candidates.Sort(d.shown())
		by = d.candidates.Order()
		d.focus = layout.Candidates
	}
	if by == "" {
		d.say(term.Muted, first)
		return
	}
	d.say(term.Muted, "sorted by "+by+": o for the next order")
}

// setFilter makes text the filter that the keyboard changes.
func (d *dashboard) setFilter(text string) {
	d.filter.set(text)
	*d.typed() = text
	d.reselect()
}
