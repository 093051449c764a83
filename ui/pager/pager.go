package pager

import (
	"strings"

	"github.com/charmbracelet/bubbles/viewport"

	"electop/ui/input"
	"electop/ui/term"
)

// Pager is a text and the part of it that is in view.
type Pager struct {
	lines [][]term.Span
	view  viewport.Model
}

// Settle takes a text and the height of its place. What was in view stays in
// view as far as possible.
func (p *Pager) Settle(lines [][]term.Span, height int) {
	p.lines = lines
	p.view.Height = max(1, height)
	p.view.SetContent(strings.Repeat("\n", max(0, len(lines)-1))) // it scrolls, and Draw draws
	p.view.SetYOffset(p.view.YOffset)
}

// Move scrolls the text.
func (p *Pager) Move(do input.Command) {
	p.view.SetYOffset(input.Moved(do, p.view.YOffset, p.view.TotalLineCount(), p.view.Height))
}

// Top and Bottom scroll to the ends of the text.
func (p *Pager) Top()    { p.view.GotoTop() }
func (p *Pager) Bottom() { p.view.GotoBottom() }

// From scrolls such that a line, from 0, is the first in view, or the end of the text
// comes into view.
func (p *Pager) From(line int) { p.view.SetYOffset(line) }

// Long reports whether the text is longer than its place.
func (p *Pager) Long() bool { return len(p.lines) > p.view.Height }

// AtBottom reports whether the end of the text is in view.
func (p *Pager) AtBottom() bool { return p.view.AtBottom() }

// InView are the numbers, from 1, of the first and the last line in view of a
// long text, and how many there are.
func (p *Pager) InView() (first, last, of int) {
	return p.view.YOffset + 1, p.view.YOffset + p.view.Height, len(p.lines)
}

// Draw draws the lines in view. The viewport's own picture is a string with
// escapes, and a canvas takes none.
func (p *Pager) Draw(a term.Area) {
	for y, l := range p.lines[p.view.YOffset:][:min(p.view.VisibleLineCount(), len(p.lines))] {
		a.Pen(y).Gap(1).Spans(l)
	}
}
