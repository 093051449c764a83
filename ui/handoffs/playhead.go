package handoffs

import (
	"time"

	"electop/ui/term"
)

// A playhead is the moment that is shown on the axis.
type playhead struct {
	at      time.Time // zero: none
	playing string    // how time passes, "" where it does not
}

// drawLabels draws the times in line y, but for those that the playhead hides.
func (h playhead) drawLabels(f *term.Frame, a term.Area, x axis, left, y int) {
	headAt, words := h.words(f, a, x, left)
	x.labels(f.Now.Location(), func(at int, format string, t time.Time) {
		if col := left + at; words == "" || col+len(format)+1 < headAt || col > headAt+term.Width(words) {
			a.Pen(y).Gap(col).Text(term.Border, f.Theme.Glyph.Tick).Text(term.Muted, f.TimeIn(format, t))
		}
	})
}

// words are the playhead with its time, and where they begin; "" for none.
func (h playhead) words(f *term.Frame, a term.Area, x axis, left int) (at int, words string) {
	if h.at.IsZero() || x.step == 0 {
		return 0, ""
	}
	i := x.cell(h.at)
	if i < 0 || i >= x.w {
		return 0, ""
	}
	g := &f.Theme.Glyph
	words = f.Stamp(h.at)[:len(term.ClockFormat)+2]
	if h.playing != "" {
		words += " " + h.playing
	}
	if left+i+1+term.Width(words) < a.Width() {
		return left + i, g.Playhead + words
	}
	return max(0, left+i-term.Width(words)), words + g.Playhead
}

// draw draws the playhead in line y, with the time, and fades what came after the
// moment that is shown.
func (h playhead) draw(f *term.Frame, a term.Area, x axis, left, y int) {
	at, words := h.words(f, a, x, left)
	if words == "" {
		return
	}
	i := x.cell(h.at)
	if after := x.w - i - 1; after > 0 {
		f.Restyle(term.Rect{X: a.Rect.X + left + i + 1, Y: a.Rect.Y, W: after, H: min(y, a.Height())}, func(st term.Style) term.Style {
			if st == term.Alarm {
				st = term.Trouble
			}
			return term.Fade(st)
		})
	}
	a.Pen(y).Gap(at).Text(term.You, words)
}
