package pager

import (
	"fmt"

	"electop/ui/term"
)

// Text is what a panel shows.
type Text struct {
	Title string
	Key   string // shows all of it; "": the panel has the focus, and is scrolled
	Lines [][]term.Span
}

// Panel is a text in a box.
type Panel struct {
	Pager
	title, key string
	place      term.Rect
}

// Settle gives the text its place.
func (t *Panel) Settle(place term.Rect, x Text) {
	t.title, t.key, t.place = x.Title, x.Key, place
	t.Pager.Settle(x.Lines, place.H-2)
}

// Click selects nothing: a text is only read.
func (t *Panel) Click(any) (again bool) { return false }

// Draw draws the text, as much of it as there is room for.
func (t *Panel) Draw(f *term.Frame) {
	f.Blank(t.place)
	var tail []term.Span
	if t.Long() {
		first, last, of := t.InView()
		words := fmt.Sprintf("%d-%d of %d, j k scroll", first, last, of)
		if t.key != "" {
			words = t.key + " shows all"
		}
		tail = append(tail, term.Span{Style: term.Muted, Text: words})
	}
	t.Pager.Draw(f.Box(t.place, t.title, t.key == "", tail...))
}
