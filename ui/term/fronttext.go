package term

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/viewport"
)

// Fact is a line of a text in front of the panels: what, and how it is.
// Longer ones are wrapped.
type Fact struct {
	Name  string
	Style Style // of the text
	Text  string
	Label Style // of the name; Text stands for Muted
}

// factNames is the width of the names.
const factNames = 12

// Facts draws a text in front of the panels.
func (f *Frame) Facts(v *viewport.Model, title string, facts []Fact) {
	const wide = 100
	inside := min(f.W-4, wide) - 2 - factNames - 3
	var lines [][]Span
	for _, ft := range facts {
		if ft.Label == Text {
			ft.Label = Muted
		}
		if ft.Text == "" && Width(ft.Name) > factNames {
			lines = append(lines, []Span{{Style: ft.Label, Text: Cut(ft.Name, inside+factNames+1)}})
			continue
		}
		for i, line := range OrBlank(Wrap(ft.Text, inside)) {
			if i > 0 {
				ft.Name = ""
			}
			lines = append(lines, append(Column(factNames, ft.Label, ft.Name), Span{Style: ft.Style, Text: line}))
		}
	}
	f.Overlay(v, title, wide, lines)
}

// Overlay draws a text in front of the panels, as much of it as there is
// room for.
func (f *Frame) Overlay(v *viewport.Model, title string, w int, lines [][]Span) {
	r := InFront(f.W, f.H, w, len(lines))
	f.Blank(r)
	Lay(v, lines, r.H-2)
	var tail []Span
	if n := len(lines); n > v.Height {
		tail = append(tail, Span{Style: Muted, Text: fmt.Sprintf("%d-%d of %d, j k scroll", v.YOffset+1, v.YOffset+v.Height, n)})
	}
	DrawText(f.Box(r, title, true, tail...), v, lines)
}

// Lay puts a text into a viewport of that height, which stays where it was in
// the text as far as it can.
func Lay(v *viewport.Model, lines [][]Span, height int) {
	plain := make([]string, len(lines))
	for i, l := range lines {
		for _, s := range l {
			plain[i] += s.Text
		}
	}
	v.Height = max(1, height)
	v.SetContent(strings.Join(plain, "\n"))
	v.SetYOffset(v.YOffset)
}

// DrawText draws the lines that are in view. The viewport's own picture is a
// string with escapes, and those do not get onto a canvas.
func DrawText(a Area, v *viewport.Model, lines [][]Span) {
	for y, l := range lines[v.YOffset:][:min(v.VisibleLineCount(), len(lines))] {
		a.Pen(y).Gap(1).Spans(l)
	}
}
