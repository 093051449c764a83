package mainscreen

import (
	"time"

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
