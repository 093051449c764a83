package notice

import (
	"electop/ui/term"
)

// EdgeMost is how far an edge reaches to the right: further away nobody sees
// where it comes from.
const EdgeMost = 40

// notice is a line whose candidate is being notified, which may be out of view, and how far the
// notification to it got.
type notice struct {
	y   int
	way float64
}

// Edges are those from what was deleted to who watched it, and the notifications on
// them.
type Edges struct {
	Top, End int  // lines in view
	At       int  // the line of what was deleted
	Seen     bool // that is in view
	// From the right of what was deleted to a line that leads up and down, and from there
	// into the rows of who watched it.
	From, Bus, To int

	f       *term.Frame
	a       term.Area
	notices []notice
}

// Add adds the edge to line y. way is how far the notification got on it.
func (e *Edges) Add(y int, way float64) { e.notices = append(e.notices, notice{y, way}) }

// Draw draws the edges on a.
func (e *Edges) Draw(f *term.Frame, a term.Area) {
	if len(e.notices) == 0 {
		return
	}
	e.f, e.a = f, a
	g := &e.f.Theme.Glyph
	// How far the edges lead, and how far a notification got on them.
	high, low, reachedHigh, reachedLow := e.At, e.At, e.At, e.At
	along := 0
	for _, t := range e.notices {
		high, low = min(high, t.y), max(low, t.y)
		_, y := e.place(t)
		reachedHigh, reachedLow = min(reachedHigh, y), max(reachedLow, y)
		along = max(along, e.travelled(t))
	}
	state := func(reached bool) term.Style {
		if reached {
			return term.Text
		}
		return term.Faint
	}
	for y := max(high, e.Top); y <= min(low, e.End-1); y++ {
		if y != e.At {
			e.put(e.Bus, y, state(y >= reachedHigh && y <= reachedLow), g.V, false)
		}
	}
	if e.Seen {
		for x := e.From; x < e.Bus; x++ {
			e.put(x, e.At, state(x-e.From < along), g.H, true)
		}
		e.put(e.Bus, e.At, state(along >= e.Bus-e.From), corner(g, high < e.At, low > e.At), true)
	}
	for _, t := range e.notices {
		x0, y0 := e.place(t)
		if t.y == e.At {
			continue
		}
		e.put(e.Bus, t.y, state(y0 == t.y), corner(g, t.y > e.At || high < t.y, t.y < e.At || low > t.y), true)
		for x := e.To + 1; x < e.Bus; x++ {
			e.put(x, t.y, state(y0 == t.y && x > x0), g.H, true)
		}
		e.put(e.To, t.y, term.Watch, g.HerdHead, true)
	}
	for _, t := range e.notices {
		x, y := e.place(t)
		if y != e.At || e.Seen {
			e.put(x, y, term.Lead, g.Notice, true)
		}
	}
}

// corner joins an edge from the left with those up and down.
func corner(g *term.Glyphs, up, down bool) string {
	switch {
	case up && down:
		return g.HerdMore
	case up:
		return g.BR
	}
	return g.TR
}

// travelled is how many cells the notification is along its edge.
func (e *Edges) travelled(t notice) int {
	return int(t.way * float64(e.Bus-e.From+max(t.y-e.At, e.At-t.y)+e.Bus-e.To))
}

// place is where the notification is.
func (e *Edges) place(t notice) (x, y int) {
	n := e.travelled(t)
	if n < e.Bus-e.From {
		return e.From + n, e.At
	}
	n -= e.Bus - e.From
	if v := t.y - e.At; v >= 0 && n < v {
		return e.Bus, e.At + n
	} else if v < 0 && n < -v {
		return e.Bus, e.At - n
	} else if v < 0 {
		n += v
	} else {
		n -= v
	}
	return max(e.To, e.Bus-n), t.y
}

// put draws a cell of an edge if it is in view. What is in its place stays
// unless over is set; the selected row's background does.
func (e *Edges) put(x, y int, st term.Style, glyph string, over bool) {
	if y < e.Top || y >= e.End || x < 0 || x >= e.a.Width() {
		return
	}
	x, y = x+e.a.Rect.X, y+e.a.Rect.Y
	have, ok := e.f.Cell(x, y)
	if !ok || !over && have.Text != "" && have.Text != " " {
		return
	}
	e.f.Put(x, y, x+1, st|have.Style&term.Selected, glyph)
}
