package ui

import (
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// newInput returns the input in which a filter is typed.
func newInput() textinput.Model {
	in := textinput.New()
	in.CharLimit = rows.FilterMax
	in.Focus()
	return in
}

// typed is the filter that the keyboard changes: of the elections, or of the
// candidates of the one on the screen.
func (d *dashboard) typed() *string {
	if d.mode == input.ModeElections || d.mode == input.ModeFilter && d.below() == input.ModeElections {
		return &d.elections.Filter
	}
	return &d.Filter
}

// edit changes the filter as a key says. The commands that textinput asks for
// are not run: they blink, or read the clipboard, which the terminal pastes.
func (d *dashboard) edit(msg tea.KeyMsg) {
	if msg.Alt {
		return // a letter with alt is not text; alt-d ends textinput in a panic
	}
	msg.Runes = []rune(znode.Safe(string(msg.Runes), rows.FilterMax))
	d.input, _ = d.input.Update(msg)
	*d.typed() = d.input.Value()
	d.reselect()
}

func (d *dashboard) setFilter(text string) {
	d.input.SetValue(text)
	*d.typed() = text
	d.reselect()
}

// drawInput draws the filter that is being typed, with what it is compared to.
func (d *dashboard) drawInput(f *term.Frame, p *term.Pen) {
	text, at := []rune(d.input.Value()), d.input.Position()
	p.Text(term.Key, "/").Text(term.You, znode.Safe(string(text[:at]), rows.FilterMax)).
		Text(term.You, f.Theme.Glyph.Cursor).Text(term.You, znode.Safe(string(text[at:]), rows.FilterMax))
	what := "name, znode or session contains"
	if d.below() == input.ModeElections {
		what = "path, system or leader contains"
	}
	p.Gap(2).Text(term.Muted, what)
}
