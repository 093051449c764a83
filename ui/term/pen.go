package term

// Area is a part of a canvas with its own coordinates.
type Area struct {
	c    *Canvas
	Rect Rect
}

func (a Area) Width() int  { return a.Rect.W }
func (a Area) Height() int { return a.Rect.H }

// Inset is the area without n columns at either side.
func (a Area) Inset(n int) Area {
	a.Rect.X, a.Rect.W = a.Rect.X+n, max(0, a.Rect.W-2*n)
	return a
}

// From is the area from line y on.
func (a Area) From(y int) Area {
	a.Rect.Y, a.Rect.H = a.Rect.Y+y, a.Rect.H-y
	return a
}

// Pen returns a pen at the start of line y of the area. It draws nothing if there is no
// such line.
func (a Area) Pen(y int) *Pen {
	p := &Pen{c: a.c, x: a.Rect.X, y: a.Rect.Y + y, end: a.Rect.X + a.Rect.W}
	if y < 0 || y >= a.Rect.H {
		p.end = p.x
	}
	return p
}

// Pen writes a line from left to right.
type Pen struct {
	c      *Canvas
	x, y   int
	end    int
	chosen Style // Selected on the selected row, else 0
}

// Text writes as much of s as there is room for.
func (p *Pen) Text(st Style, s string) *Pen {
	p.x = p.c.Put(p.x, p.y, p.end, st|p.chosen, s)
	return p
}

// Spans writes as many of them as there is room for.
func (p *Pen) Spans(all []Span) *Pen {
	for _, s := range all {
		p.Text(s.Style, s.Text)
	}
	return p
}

// OnChosen says that the row already has the background of the selected one.
func (p *Pen) OnChosen() { p.chosen = Selected }

// Choose gives the rest of the line the background of the selected row.
func (p *Pen) Choose() {
	p.chosen = Selected
	p.c.Restyle(Rect{X: p.x, Y: p.y, W: p.end - p.x, H: 1}, func(st Style) Style { return st | Selected })
}

// Fit writes s into exactly w cells, cut with an ellipsis or filled up.
func (p *Pen) Fit(w int, st Style, s string) *Pen {
	end := min(p.end, p.x+max(0, w))
	p.c.Put(p.x, p.y, end, st|p.chosen, Cut(s, end-p.x))
	p.x = end
	return p
}

// Column is Fit after two blanks, in a table. A column of no width is not shown.
func (p *Pen) Column(w int, st Style, s string) *Pen {
	if w > 0 {
		p.Gap(2).Fit(w, st, s)
	}
	return p
}

// Right writes s into w cells, at their right end.
func (p *Pen) Right(w int, st Style, s string) *Pen {
	s = Cut(s, w)
	return p.Gap(w-Width(s)).Text(st, s)
}

// Gap leaves n cells as they are.
func (p *Pen) Gap(n int) *Pen {
	p.x = min(p.end, p.x+max(0, n))
	return p
}

// Limit leaves room for n cells at most.
func (p *Pen) Limit(n int) *Pen {
	p.end = min(p.end, p.x+n)
	return p
}

// Room is how many cells are left.
func (p *Pen) Room() int { return p.end - p.x }
