package pager

import (
	"fmt"

	"electop/ui/term"
)

// Text is what comes in front of the panels.
type Text struct {
	Title string
	Width int // the most it takes, with its border
	Lines [][]term.Span
}

// Front is a text in front of the panels.
type Front struct {
	Pager
	title string
	place term.Rect
}

// Settle gives the text its place on a screen of w by h cells.
func (t *Front) Settle(w, h int, x Text) {
	t.title, t.place = x.Title, term.InFront(w, h, x.Width, len(x.Lines))
	t.Pager.Settle(x.Lines, t.place.H-2)
}

// Click selects nothing: a text is only read.
func (t *Front) Click(any) (again bool) { return false }

// Draw draws the text, as much of it as there is room for.
func (t *Front) Draw(f *term.Frame) {
	f.Blank(t.place)
	var tail []term.Span
	if t.Long() {
		first, last, of := t.InView()
		tail = append(tail, term.Span{Style: term.Muted, Text: fmt.Sprintf("%d-%d of %d, j k scroll", first, last, of)})
	}
	t.Pager.Draw(f.Box(t.place, t.title, true, tail...))
}

// Facts is a text of facts.
func Facts(f *term.Frame, title string, facts []term.Fact) Text {
	const width = 100
	return Text{Title: title, Width: width, Lines: term.FactLines(term.TextWidth(f.W, width), facts)}
}

// DrawFacts draws as many of the facts as there is room for, as a panel. key shows all.
func DrawFacts(f *term.Frame, r term.Rect, title, key string, facts []term.Fact) {
	DrawTop(f, r, title, key, term.FactLines(r.W-4, facts))
}

// DrawTop draws as many of the lines as there is room for, as a panel. key shows all.
func DrawTop(f *term.Frame, r term.Rect, title, key string, lines [][]term.Span) {
	var tail []term.Span
	if room := r.H - 2; len(lines) > room {
		tail = append(tail, term.Span{Style: term.Muted, Text: key + " shows all"})
		lines = lines[:room]
	}
	a := f.Box(r, title, false, tail...)
	for y, l := range lines {
		a.Pen(y).Gap(1).Spans(l)
	}
}
