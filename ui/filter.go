package ui

import (
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"electop/model/znode"
)

// filterMax bounds what can be typed, in runes: more than any name's
// distinctive part.
const filterMax = 64

// newInput returns the input in which a filter is typed.
func newInput() textinput.Model {
	in := textinput.New()
	in.CharLimit = filterMax
	in.Focus()
	return in
}

// typed is the filter that the keyboard changes: of the elections, or of the
// candidates of the one on the screen.
func (d *dashboard) typed() *string {
	if d.mode == modeElections || d.mode == modeFilter && d.below() == modeElections {
		return &d.wall.filter
	}
	return &d.filter
}

// edit changes the filter as a key says. The commands that textinput asks for
// are not run: they blink, or read the clipboard, which the terminal pastes.
func (d *dashboard) edit(msg tea.KeyMsg) {
	if msg.Alt {
		return // a letter with alt is not text; alt-d ends textinput in a panic
	}
	msg.Runes = []rune(znode.Safe(string(msg.Runes), filterMax))
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
func (d *dashboard) drawInput(f *frame, p *pen) {
	text, at := []rune(d.input.Value()), d.input.Position()
	p.text(styleKey, "/").text(styleYou, znode.Safe(string(text[:at]), filterMax)).
		text(styleYou, f.th.glyph.Cursor).text(styleYou, znode.Safe(string(text[at:]), filterMax))
	what := "name, znode or session contains"
	if d.below() == modeElections {
		what = "path, system or leader contains"
	}
	p.gap(2).text(styleMuted, what)
}
