package term

import "time"

// Frame is what one picture is drawn with: a canvas, the theme, and two clocks.
type Frame struct {
	*Canvas
	Theme *Theme
	// Now is the time. Picture is the time that the picture shows: earlier while it
	// is paused or stale.
	Now, Picture time.Time
	Held         bool // the picture's clock is stopped
	Wake         time.Time
}

const (
	// TickCalm is how often the picture changes if only ages and the clock do: their
	// last digit is the second.
	TickCalm = time.Second

	// TickBusy is how often it changes while something counts down: often enough to
	// be seen moving, rarely enough to cost nothing.
	TickBusy = 250 * time.Millisecond
)

// Every says that a digit of the picture changes each d. Ticks are at whole multiples
// of d, so that all digits change together.
func (f *Frame) Every(d time.Duration) {
	if !f.Held {
		f.Ticks(d)
	}
}

// Ticks is Every for digits that change even while the picture is held.
func (f *Frame) Ticks(d time.Duration) { f.At(f.Now.Truncate(d).Add(d)) }

// At says that the picture changes at t.
func (f *Frame) At(t time.Time) {
	if t.After(f.Now) && (f.Wake.IsZero() || t.Before(f.Wake)) {
		f.Wake = t
	}
}

// Calm is the picture's time for ages: whole seconds, so that all of them
// change at one tick and a frame between two ticks changes none.
func (f *Frame) Calm() time.Time {
	f.Every(TickCalm)
	return f.Picture.Truncate(TickCalm)
}

// Busy is the picture's time for what counts down.
func (f *Frame) Busy() time.Time {
	f.Every(TickBusy)
	return f.Picture.Truncate(TickBusy)
}

// Area is the part of the frame in r.
func (f *Frame) Area(r Rect) Area { return Area{f.Canvas, r} }

// Box draws a panel's border with its title, and tail at the right of it. It returns
// the inside.
func (f *Frame) Box(r Rect, title string, focused bool, tail ...Span) Area {
	edge := Border
	if focused {
		edge = Focus
	}
	g := &f.Theme.Glyph
	whole := f.Area(r)
	for y := 1; y < r.H-1; y++ {
		f.Put(r.X, r.Y+y, r.X+r.W, edge, g.V)
		f.Put(r.X+r.W-1, r.Y+y, r.X+r.W, edge, g.V)
	}
	top, bottom := whole.Pen(0), whole.Pen(r.H-1)
	for i := range r.W {
		corner, low := g.H, g.H
		switch i {
		case 0:
			corner, low = g.TL, g.BL
		case r.W - 1:
			corner, low = g.TR, g.BR
		}
		top.Text(edge, corner)
		bottom.Text(edge, low)
	}
	p := whole.Pen(0).Gap(2)
	p.end = r.X + r.W - 2
	name := Strong
	if focused {
		name = Lead
	}
	p.Text(edge, " ").Text(name, title).Text(edge, " ")
	tail = TrimSpans(FitSpans(tail, p.Room()-4)) // the last span may have been dropped
	if n := SpansWidth(tail); n > 0 {
		p.Gap(p.Room()-n-3).Text(edge, " ")
		p.Spans(tail).Text(edge, " ")
	}
	return f.Area(r.Inner())
}

// Prose draws a heading and paragraphs from line y on, and returns the line
// after them.
func (f *Frame) Prose(a Area, y int, paragraphs []string) int {
	for i, text := range paragraphs {
		st := Text
		if i == 0 {
			st = Heading
		}
		for _, line := range Wrap(text, min(a.Width()-2, 76)) {
			a.Pen(y).Gap(1).Text(st, line)
			y++
		}
		if i == 0 && a.Height() > 2*len(paragraphs)+3 {
			y++
		}
	}
	return y
}

const (
	ClockFormat = "15:04:05"
	StampFormat = "15:04:05.000"
)

// Clock and Stamp format a time as the screen's clock shows it, Stamp with
// milliseconds.
func (f *Frame) Clock(t time.Time) string { return f.TimeIn(ClockFormat, t) }
func (f *Frame) Stamp(t time.Time) string { return f.TimeIn(StampFormat, t) }

// TimeIn is t in that format, as a text to draw.
func (f *Frame) TimeIn(format string, t time.Time) string {
	var room [len(StampFormat)]byte
	return f.Ink(t.In(f.Now.Location()).AppendFormat(room[:0], format))
}
