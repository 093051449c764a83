package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/viewport"
)

// fact is a line of a text in front of the panels: what, and how it is.
// Longer ones are wrapped.
type fact struct {
	name  string
	style style // of the text
	text  string
	label style // of the name; styleText stands for styleMuted
}

// factNames is the width of the names.
const factNames = 12

// drawFacts draws a text in front of the panels.
func (d *dashboard) drawFacts(f *frame, title string, facts []fact) {
	const wide = 100
	inside := min(d.w-4, wide) - 2 - factNames - 3
	var lines [][]span
	for _, ft := range facts {
		if ft.label == styleText {
			ft.label = styleMuted
		}
		if ft.text == "" && width(ft.name) > factNames {
			lines = append(lines, []span{{ft.label, cut(ft.name, inside+factNames+1), 0}})
			continue
		}
		for i, line := range orBlank(wrap(ft.text, inside)) {
			if i > 0 {
				ft.name = ""
			}
			lines = append(lines, append(column(factNames, ft.label, ft.name), span{ft.style, line, 0}))
		}
	}
	d.drawOverlay(f, title, wide, lines)
}

// column is a text in w cells and a blank, before what stands beside it.
func column(w int, st style, text string) []span {
	text = cut(text, w)
	return []span{{st, text, 0}, {styleText, blanks(w + 1 - width(text)), 0}}
}

// drawOverlay draws a text in front of the panels, as much of it as there is
// room for.
func (d *dashboard) drawOverlay(f *frame, title string, w int, lines [][]span) {
	r := overlay(d.w, d.h, w, len(lines))
	f.blank(r)
	v := d.text()
	lay(v, lines, r.h-2)
	var tail []span
	if n := len(lines); n > v.Height {
		tail = append(tail, span{styleMuted, fmt.Sprintf("%d-%d of %d, j k scroll", v.YOffset+1, v.YOffset+v.Height, n), 0})
	}
	drawText(f.box(r, title, true, tail...), v, lines)
}

// lay puts a text into a viewport of that height, which stays where it was in
// the text as far as it can.
func lay(v *viewport.Model, lines [][]span, height int) {
	plain := make([]string, len(lines))
	for i, l := range lines {
		for _, s := range l {
			plain[i] += s.text
		}
	}
	v.Height = max(1, height)
	v.SetContent(strings.Join(plain, "\n"))
	v.SetYOffset(v.YOffset)
}

// scroll moves through a text.
func scroll(v *viewport.Model, do command) {
	v.SetYOffset(moved(do, v.YOffset, v.TotalLineCount(), v.Height))
}

// drawText draws the lines that are in view. The viewport's own picture is a
// string with escapes, and those do not get onto a canvas.
func drawText(a area, v *viewport.Model, lines [][]span) {
	for y, l := range lines[v.YOffset:][:min(v.VisibleLineCount(), len(lines))] {
		a.pen(y).gap(1).spans(l)
	}
}
