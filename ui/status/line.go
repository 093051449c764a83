// Package status is the line above the keys: what was just done, or what is being typed.
package status

import (
	"time"

	"electop/ui/term"
)

const (
	// shown and TroubleShown are how long the line keeps a result:
	// good news are expected and short, bad news have to be read.
	shown        = 5 * time.Second
	TroubleShown = 15 * time.Second
)

// Line is what the line says of what was done, for as long as it takes to read it.
type Line struct {
	style term.Style
	text  string
	until time.Time // zero: nothing
}

// Say puts text into the line.
func (l *Line) Say(st term.Style, text string, now time.Time) {
	keep := shown
	if st == term.Trouble {
		keep = TroubleShown
	}
	*l = Line{st, text, now.Add(keep)}
}

// Clear says nothing more: it was read, or it is in the way.
func (l *Line) Clear() { *l = Line{} }

// Says is what the line says in a frame, false for nothing.
func (l *Line) Says(f *term.Frame) (st term.Style, text string, ok bool) {
	if !l.until.After(f.Now) {
		return 0, "", false
	}
	f.At(l.until)
	return l.style, l.text, true
}

// Draw draws a line of text.
func Draw(f *term.Frame, r term.Rect, st term.Style, text string) {
	p := f.Area(r).Pen(0).Gap(1)
	p.Text(st, term.Cut(text, p.Room()-1))
}
