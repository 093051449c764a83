package candidates

import (
	"electop/ui/term"
)

// edgeMost is how far an edge reaches to the right: further away nobody sees
// where it comes from.
const edgeMost = 40

// notice is a line whose candidate is being notified, which may be out of view, and how far the
// notification to it got.
type notice struct {
	y   int
	way float64
}

// edges are those from what was deleted to who watched it, and the notifications on
// them.
type edges struct {
	top, end int  // lines in view
	at       int  // the line of what was deleted
	seen     bool // that is in view
	// From the right of what was deleted to a line that leads up and down, and from there
	// into the rows of who watched it.
	from, bus, to int

	f       *term.Frame
	a       term.Area
	notices []notice
}

// add adds the edge to line y. way is how far the notification got on it.
func (e *edges) add(y int, way float64) { e.notices = append(e.notices, notice{y, way}) }

// draw draws the edges on a.
func (e *edges) draw(f *term.Frame, a term.Area) {
	if len(e.notices) == 0 {
		return
	}
	e.f, e.a = f, a
	g := &e.f.Theme.Glyph
	// How far the edges lead, and how far a notification got on them.
	high, low, reachedHigh, reachedLow := e.at, e.at, e.at, e.at
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
	for y := max(high, e.top); y <= min(low, e.end-1); y++ {
		if y != e.at {
			e.put(e.bus, y, state(y >= reachedHigh && y <= reachedLow), g.V, false)
		}
	}
	if e.seen {
		for x := e.from; x < e.bus; x++ {
			e.put(x, e.at, state(x-e.from < along), g.H, true)
		}
		e.put(e.bus, e.at, state(along >= e.bus-e.from), corner(g, high < e.at, low > e.at), true)
	}
	for _, t := range e.notices {
		x0, y0 := e.place(t)
		if t.y == e.at {
			continue
		}
		e.put(e.bus, t.y, state(y0 == t.y), corner(g, t.y > e.at || high < t.y, t.y < e.at || low > t.y), true)
		for x := e.to + 1; x < e.bus; x++ {
			e.put(x, t.y, state(y0 == t.y && x > x0), g.H, true)
		}
		e.put(e.to, t.y, term.Watch, g.HerdHead, true)
	}
	for _, t := range e.notices {
		x, y := e.place(t)
		if y != e.at || e.seen {
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
func (e *edges) travelled(t notice) int {
	return int(t.way * float64(e.bus-e.from+max(t.y-e.at, e.at-t.y)+e.bus-e.to))
}

// place is where the notification is.
func (e *edges) place(t notice) (x, y int) {
	n := e.travelled(t)
	if n < e.bus-e.from {
		return e.from + n, e.at
	}
	n -= e.bus - e.from
	if v := t.y - e.at; v >= 0 && n < v {
		return e.bus, e.at + n
	} else if v < 0 && n < -v {
		return e.bus, e.at - n
	} else if v < 0 {
		n += v
	} else {
		n -= v
	}
	return max(e.to, e.bus-n), t.y
}

// put draws a cell of an edge if it is in view. What is in its place stays
// unless over is set; the selected row's background does.
func (e *edges) put(x, y int, st term.Style, glyph string, over bool) {
	if y < e.top || y >= e.end || x < 0 || x >= e.a.Width() {
		return
	}
	x, y = x+e.a.Rect.X, y+e.a.Rect.Y
	have, ok := e.f.Cell(x, y)
	if !ok || !over && have.Text != "" && have.Text != " " {
		return
	}
	e.f.Put(x, y, x+1, st|have.Style&term.Selected, glyph)
}
