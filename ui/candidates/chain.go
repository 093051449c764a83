package candidates

import (
	"electop/model"
	"electop/model/doctor"
	"electop/ui/term"
	"electop/ui/wording"
)

// A link is the part in one row of the edges from who watches to what is watched: a
// line at the left of the list, with an arrow into each watched row.
type link struct {
	from, to bool // it watches another row; another row watches it
	up, down bool // the line leads on above and below
	style    term.Style
	below    term.Style // of an edge from below
}

// linked are the links of the rows from top to last, nil
// where the list does not show the queue as it is. Whom a row far below watches is not
// looked up: a herd is drawn by [Panel.drawRow].
func (v *Panel) linked(top, last int) []link {
	if !v.Rows.Whole() {
		return nil
	}
	links := make([]link, last-top+1)
	for i := max(1, top); i <= min(last+1, v.State.Queue.Len()-1); i++ {
		to, st, ok := v.edgeOf(i)
		if !ok {
			continue
		}
		for k := max(to, top); k <= min(i, last); k++ {
			l := &links[k-top]
			l.from, l.to = l.from || k == i, l.to || k == to
			l.up, l.down = l.up || k > to, l.down || k < i
			if k < i {
				l.below = st
			}
			if k > to {
				l.style = st
			}
		}
	}
	return links
}

// edgeOf is the position of the contender that the one at i watches, as far as is
// known; ok is false for none.
func (v *Panel) edgeOf(i int) (to int, st term.Style, ok bool) {
	s := v.State
	if s.Dialect != nil && s.Dialect.ChildWatch || !s.Dialect.Elects() {
		return 0, 0, false // it watches the list
	}
	r := v.Rows.At(i)
	if to, ok = s.Recipe.Watches(s.Queue, i); !ok || to < 0 || to >= i || r.Candidate == nil {
		return 0, 0, false
	}
	if ghost, _ := wording.GhostOf(s, r); ghost != "" || r.Member != nil && r.Member.Belief == model.Volunteering {
		return 0, 0, false
	}
	switch e := s.Edge(i); {
	case wording.WrongEdge(e):
		return 0, 0, false // the row says what it watches
	case e.State == doctor.Verified, r.Member != nil && r.Member.Watches == s.Queue.At(to).Name:
		return to, term.Watch, true
	}
	return to, term.Muted, true
}

// drawLink draws the part of the edges in a row: an arrow into it or the beginning of
// a line, and the line.
func drawLink(p *term.Pen, g *term.Glyphs, l link) {
	switch {
	case l.to:
		p.Text(l.below, g.HerdHead)
	case l.from:
		p.Text(l.style, g.HerdFrom)
	default:
		p.Gap(1)
	}
	st := l.style
	if !l.up {
		st = l.below
	}
	switch {
	case l.up && l.down && (l.from || l.to):
		p.Text(st, g.HerdMore)
	case l.up && l.down:
		p.Text(st, g.V)
	case l.up:
		p.Text(st, g.HerdLast)
	case l.down:
		p.Text(st, g.TR)
	default:
		p.Gap(1)
	}
}
