package ui

import (
	"time"

	"electop/model"
)

// frame is what the drawing of one picture needs: a canvas, the look, and two
// clocks.
type frame struct {
	*canvas
	th *theme
	// now is the time; picture is the time that the picture shows, which is
	// earlier while it is paused or stale.
	now, picture time.Time
	held         bool // the picture's clock stands
	wake         time.Time
}

// every says that a digit of the picture changes each d. Ticks are on whole
// multiples of d, so that all digits change together and one tick serves all.
func (f *frame) every(d time.Duration) {
	if !f.held {
		f.ticks(d)
	}
}

// ticks is every for digits that move while the picture is held as well.
func (f *frame) ticks(d time.Duration) { f.at(f.now.Truncate(d).Add(d)) }

// at says that the picture changes at t.
func (f *frame) at(t time.Time) {
	if t.After(f.now) && (f.wake.IsZero() || t.Before(f.wake)) {
		f.wake = t
	}
}

// calm is the picture's time for ages: whole seconds, so that all of them
// change at one tick and a frame between two ticks changes none.
func (f *frame) calm() time.Time {
	f.every(tickCalm)
	return f.picture.Truncate(tickCalm)
}

// busy is the picture's time for what counts down.
func (f *frame) busy() time.Time {
	f.every(tickBusy)
	return f.picture.Truncate(tickBusy)
}

// box draws a panel's border with its title and what stands at its right, and
// returns the inside.
func (f *frame) box(r rect, title string, focused bool, tail ...span) area {
	edge := styleBorder
	if focused {
		edge = styleFocus
	}
	g := &f.th.glyph
	whole := area{f.canvas, r}
	for y := 1; y < r.h-1; y++ {
		f.put(r.x, r.y+y, r.x+r.w, edge, g.V)
		f.put(r.x+r.w-1, r.y+y, r.x+r.w, edge, g.V)
	}
	top, bottom := whole.pen(0), whole.pen(r.h-1)
	for i := range r.w {
		corner, low := g.H, g.H
		switch i {
		case 0:
			corner, low = g.TL, g.BL
		case r.w - 1:
			corner, low = g.TR, g.BR
		}
		top.text(edge, corner)
		bottom.text(edge, low)
	}
	p := whole.pen(0).gap(2)
	p.end = r.x + r.w - 2
	name := styleStrong
	if focused {
		name = styleLead
	}
	p.text(edge, " ").text(name, title).text(edge, " ")
	tail = trimSpans(fitSpans(tail, p.room()-4)) // what was last may have left
	if n := spansWidth(tail); n > 0 {
		p.gap(p.room()-n-3).text(edge, " ")
		p.spans(tail).text(edge, " ")
	}
	return area{f.canvas, r.inner()}
}

// span is text in one style.
type span struct {
	style style
	text  string
	// keep orders the spans of a line that is too short: the lowest leaves
	// first. Equal ones leave from the right.
	keep int
}

func spansWidth(spans []span) int {
	n := 0
	for _, s := range spans {
		n += width(s.text)
	}
	return n
}

// fitSpans drops spans until the rest fits into w cells. The last one is cut.
func fitSpans(spans []span, w int) []span {
	spans = append([]span(nil), spans...)
	for len(spans) > 1 && spansWidth(spans) > w {
		least := len(spans) - 1
		for i := len(spans) - 1; i >= 0; i-- {
			if spans[i].keep < spans[least].keep {
				least = i
			}
		}
		spans = append(spans[:least], spans[least+1:]...)
	}
	if len(spans) == 1 {
		spans[0].text = cut(spans[0].text, w)
	}
	return spans
}

// faultGlyph is the sign for what was done to m, "" for nothing.
func (f *frame) faultGlyph(m *model.Member) string {
	switch {
	case m == nil:
		return ""
	case m.Fault == model.Killed:
		return f.th.glyph.Killed
	case m.Fault == model.Frozen:
		return f.th.glyph.Frozen
	case m.Fault == model.Partitioned:
		return f.th.glyph.Parted
	}
	return ""
}

// prose draws a heading and paragraphs from line y on, and returns the line
// after them.
func (f *frame) prose(a area, y int, paragraphs []string) int {
	for i, text := range paragraphs {
		st := styleText
		if i == 0 {
			st = styleHeading
		}
		for _, line := range wrap(text, min(a.width()-2, 76)) {
			a.pen(y).gap(1).text(st, line)
			y++
		}
		if i == 0 && a.height() > 2*len(paragraphs)+3 {
			y++
		}
	}
	return y
}

// clock and stamp format a time as the screen's clock shows it, the latter
// with milliseconds.
func (f *frame) clock(t time.Time) string { return t.In(f.now.Location()).Format(clockFormat) }
func (f *frame) stamp(t time.Time) string { return t.In(f.now.Location()).Format(stampFormat) }
