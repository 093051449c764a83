package term

// spot is a part of the screen, and what is there: what, or in each cell what at returns.
type spot struct {
	rect Rect
	what any
	at   func(x, y int) any
}

// Spot notes what is in r, for the mouse: so a click means what was drawn. What is noted
// later is in front.
func (c *Canvas) Spot(r Rect, what any) { c.spots = append(c.spots, spot{rect: r, what: what}) }

// Spots is Spot where r has many: at returns what is in a cell, by its place on the canvas, nil
// for nothing. It is asked as long as the frame is shown.
func (c *Canvas) Spots(r Rect, at func(x, y int) any) {
	c.spots = append(c.spots, spot{rect: r, at: at})
}

// SpotAt is what is in front at (x, y), nil for nothing that was noted.
func (c *Canvas) SpotAt(x, y int) any {
	for i := len(c.spots) - 1; i >= 0; i-- {
		switch s := c.spots[i]; {
		case !s.rect.Has(x, y):
		case s.at == nil:
			return s.what
		default:
			if what := s.at(x, y); what != nil {
				return what
			}
		}
	}
	return nil
}

// Spot notes what is in line y of the area.
func (a Area) Spot(y int, what any) {
	if y >= 0 && y < a.Rect.H {
		a.c.Spot(Rect{X: a.Rect.X, Y: a.Rect.Y + y, W: a.Rect.W, H: 1}, what)
	}
}

// Spot notes what is in the next w cells.
func (p *Pen) Spot(w int, what any) {
	if w = min(w, p.end-p.x); w > 0 {
		p.c.Spot(Rect{X: p.x, Y: p.y, W: w, H: 1}, what)
	}
}
