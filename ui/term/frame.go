package term

import "time"

// Frame holds what drawing one picture needs.
type Frame struct {
	*Canvas
	Theme        *Theme
	Now, Picture time.Time // the clock (in a replay, the recorded time), and the time that the picture shows
	Held         bool      // Picture does not follow Now
	Next         time.Time // earliest moment at which the picture changes; zero: never
}

const (
	TickCalm = time.Second            // ages and the clock change at this interval
	TickBusy = 250 * time.Millisecond // countdowns and tenths of a second change at this interval
)

// Every calls [Frame.At] with the next multiple of d, so that digits change together. If Held is set, it does nothing.
func (f *Frame) Every(d time.Duration) {
	if !f.Held {
		f.Ticks(d)
	}
}

// Ticks is [Frame.Every] for digits that change even if Held is set.
func (f *Frame) Ticks(d time.Duration) { f.At(f.Now.Truncate(d).Add(d)) }

// At notes that the picture changes at t.
func (f *Frame) At(t time.Time) {
	if t.After(f.Now) && (f.Next.IsZero() || t.Before(f.Next)) {
		f.Next = t
	}
}

// Calm returns the picture's time in whole seconds, for ages.
func (f *Frame) Calm() time.Time {
	f.Every(TickCalm)
	return f.Picture.Truncate(TickCalm)
}

// Busy returns the picture's time for countdowns and tenths of a second, in steps of [TickBusy].
func (f *Frame) Busy() time.Time {
	f.Every(TickBusy)
	return f.Picture.Truncate(TickBusy)
}

func (f *Frame) Area(r Rect) Area { return Area{f.Canvas, r} }

// Box draws a panel's border, with title at the left of the top line and tail at the right. It returns the inside.
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
	titleStyle := Strong
	if focused {
		titleStyle = Lead
	}
	p.Text(edge, " ").Text(titleStyle, title).Text(edge, " ")
	tail = TrimSpans(FitSpans(tail, p.Room()-4)) // the last span that fits may end in blanks
	if n := SpansWidth(tail); n > 0 {
		p.Gap(p.Room()-n-3).Text(edge, " ")
		p.Spans(tail).Text(edge, " ")
	}
	return f.Area(r.Inner())
}

// Prose draws paragraphs from line y on, the first as a heading, and returns the next line.
func (f *Frame) Prose(a Area, y int, paragraphs []string) int {
	for i, text := range paragraphs {
		st := Text
		if i == 0 {
			st = Heading
		}
		y = a.Paragraph(y, 1, min(a.Width()-2, 76), st, text)
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

// Clock and Stamp return t for the screen; Stamp has milliseconds.
func (f *Frame) Clock(t time.Time) string { return f.TimeIn(ClockFormat, t) }
func (f *Frame) Stamp(t time.Time) string { return f.TimeIn(StampFormat, t) }

// TimeIn returns t in a format and in the time zone of Now.
func (f *Frame) TimeIn(format string, t time.Time) string {
	var room [len(StampFormat)]byte
	return f.Ink(t.In(f.Now.Location()).AppendFormat(room[:0], format))
}

// Area is a part of a canvas with its own coordinates.
type Area struct {
	c    *Canvas
	Rect Rect
}

func (a Area) Width() int  { return a.Rect.W }
func (a Area) Height() int { return a.Rect.H }

// Inset returns the area without the first and last n columns.
func (a Area) Inset(n int) Area {
	a.Rect.X, a.Rect.W = a.Rect.X+n, max(0, a.Rect.W-2*n)
	return a
}

// From returns the area from line y on.
func (a Area) From(y int) Area {
	a.Rect.Y, a.Rect.H = a.Rect.Y+y, a.Rect.H-y
	return a
}

// Pen returns a pen for line y; outside the area it draws nothing.
func (a Area) Pen(y int) *Pen {
	p := &Pen{c: a.c, x: a.Rect.X, y: a.Rect.Y + y, end: a.Rect.X + a.Rect.W}
	if y < 0 || y >= a.Rect.H {
		p.end = p.x
	}
	return p
}

// Paragraph draws text, wrapped at w cells, from line y on, and returns the next line.
func (a Area) Paragraph(y, indent, w int, st Style, text string) int {
	for _, line := range Lines(text, w) {
		a.Pen(y).Gap(indent).Text(st, line)
		y++
	}
	return y
}

// Pen writes a line from left to right.
type Pen struct {
	c      *Canvas
	x, y   int
	end    int
	chosen Style // Selected on the selected row, otherwise 0
}

// Text writes as much of s as there is room for.
func (p *Pen) Text(st Style, s string) *Pen {
	p.x = p.c.Put(p.x, p.y, p.end, st|p.chosen, s)
	return p
}

// Spans writes as many of the spans as there is room for.
func (p *Pen) Spans(all []Span) *Pen {
	for _, s := range all {
		p.Text(s.Style, s.Text)
	}
	return p
}

// OnSelected keeps the background of the selected row behind the text that the pen writes next.
func (p *Pen) OnSelected() { p.chosen = Selected }

// Choose gives the rest of the line the background of the selected row.
func (p *Pen) Choose() {
	p.chosen = Selected
	p.c.Restyle(Rect{X: p.x, Y: p.y, W: p.end - p.x, H: 1}, func(st Style) Style { return st | Selected })
}

// Fit writes s into the next w cells, cut with an ellipsis if it is longer.
func (p *Pen) Fit(w int, st Style, s string) *Pen {
	end := min(p.end, p.x+max(0, w))
	p.c.Put(p.x, p.y, end, st|p.chosen, Cut(s, end-p.x))
	p.x = end
	return p
}

// Column skips two cells and calls Fit. It does nothing if w is 0.
func (p *Pen) Column(w int, st Style, s string) *Pen {
	if w > 0 {
		p.Gap(2).Fit(w, st, s)
	}
	return p
}

// Right writes s at the right end of w cells.
func (p *Pen) Right(w int, st Style, s string) *Pen {
	s = Cut(s, w)
	return p.Gap(w-Width(s)).Text(st, s)
}

// Gap skips n cells.
func (p *Pen) Gap(n int) *Pen {
	p.x = min(p.end, p.x+max(0, n))
	return p
}

// Limit ends the pen's line after n more cells.
func (p *Pen) Limit(n int) *Pen {
	p.end = min(p.end, p.x+n)
	return p
}

// Room returns the number of cells that are left.
func (p *Pen) Room() int { return p.end - p.x }

// Rect is a part of the screen, in cells. It is empty for a part that is not shown.
type Rect struct{ X, Y, W, H int }

func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Has reports whether (x, y) is in r.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Inner returns r without its border.
func (r Rect) Inner() Rect { return Rect{X: r.X + 1, Y: r.Y + 1, W: max(0, r.W-2), H: max(0, r.H-2)} }

const filledBelow = 100 // an overlay covers all panels of a screen narrower than this

// InFront returns the place of an overlay on a screen of w by h cells.
func InFront(w, h, width, lines int) Rect {
	ow, oh := TextWidth(w, width)+4, min(h-4, lines+2)
	if w < filledBelow {
		oh = h - 3
	}
	return Rect{X: (w - ow) / 2, Y: 1 + max(0, (h-3-oh)/2), W: ow, H: oh}
}

// TextWidth returns the width of a line in an overlay of the given width on a screen of w cells.
func TextWidth(w, width int) int {
	if w < filledBelow {
		return w - 4
	}
	return min(w-4, width) - 4
}

// Window returns the new first line of a list of n lines with page lines in view: it scrolls top to show the cursor.
func Window(top, cursor, page, n int) int {
	return max(0, min(max(min(top, cursor), cursor-page+1), n-page))
}
