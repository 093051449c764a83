package candidates

import (
	"strconv"

	"electop/model"
	"electop/model/units"
	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// The grid is the candidates of a crowd, each a cell: the zoomed panel where
// they are too many for rows. Cells go down the columns, so that the next in
// the queue is below, and one that waits for another stands under it.

// gridNames is the least of a name that is worth its cells.
const gridNames = 3

// gridMost is the widest cell: more of a name makes nothing clearer.
const gridMost = 32

// grid is how the cells lie.
type grid struct {
	rows, columns int // in view
	cell          int // width of a cell, with its marker
	seq           int // digits
}

// gridFor lays out n cells on an area. Where they do not all fit with names, as
// many as possible do without.
func gridFor(n, w, h, seq int) grid {
	g := grid{rows: max(1, h), seq: seq}
	least := 2 + seq + 1 + gridNames
	need := g.of(n)
	if w/least < need {
		least = 2 + seq
	}
	g.columns = max(1, min(need, w/least))
	g.cell = min(w/g.columns, gridMost)
	return g
}

// asGrid reports whether the zoomed candidates are drawn as a grid in h lines.
func (v *Panel) asGrid(h int) bool {
	s := v.State
	return v.Zoomed && v.Rows.Len() > h-1 && s.Phase == model.Live && len(s.Queue) > 0
}

// gridIn lays out the candidates in r, of which the last two lines say more.
func (v *Panel) gridIn(r term.Rect) grid {
	seq := 3
	for _, i := range [2]int{0, len(v.State.Queue) - 1} {
		seq = max(seq, len(strconv.FormatInt(v.State.Queue[i].Sequence, 10)))
	}
	return gridFor(v.Rows.Len(), r.W, r.H-2, seq)
}

// of is how many columns n cells take.
func (g grid) of(n int) int { return (n + g.rows - 1) / g.rows }

// drawGrid draws the candidates as cells, and in the last line what the
// selected one is.
func (v *Panel) drawGrid(f *term.Frame) {
	a := f.Box(v.place, "Candidates", true, v.tail()...)
	n, g, first := v.Rows.Len(), v.grid, v.gridLeft
	for x := range g.columns {
		for y := range g.rows {
			i := (first+x)*g.rows + y
			if i >= n {
				break
			}
			p := a.Pen(y).Gap(x * g.cell)
			p.Limit(g.cell)
			v.drawCell(f, p, g, i)
		}
	}
	p := a.Pen(a.Height() - 2).Gap(1)
	if last := min(n, (first+g.columns)*g.rows); first > 0 || last < n {
		words := strconv.Itoa(first*g.rows+1) + "-" + strconv.Itoa(last) + " of " + strconv.Itoa(n) + "   "
		p.Text(term.You, words)
	}
	v.drawLegend(f, p)
	v.drawChosen(f, a.Pen(a.Height()-1).Gap(1))
}

// cellSign is the sign of a row in the grid.
func (v *Panel) cellSign(f *term.Frame, r rows.Row) (term.Style, string) {
	s, g := v.State, &f.Theme.Glyph
	leads := r.Position >= 0 && r.Position < wording.Holders(s)
	_, troubled := wording.ExpiryOf(s, r)
	ghost := ""
	if r.Position == 0 {
		ghost, _ = wording.GhostOf(s, r)
	}
	switch {
	case leads || ghost != "":
		return v.leaderSign(f, r, troubled || ghost != "")
	case wording.FaultGlyph(&f.Theme.Glyph, r.Member) != "":
		return term.Alarm, wording.FaultGlyph(&f.Theme.Glyph, r.Member)
	case troubled:
		return term.Alarm, g.Wrong
	case r.Position > 0 && wording.WrongEdge(s.Edge(r.Position)):
		return term.Trouble, g.WatchWrong
	case r.Candidate == nil:
		return term.Muted, g.Nobody
	case r.Member == nil && len(s.Members) > 0:
		return term.Muted, g.Elsewhere
	}
	return term.Watch, g.Watch
}

func (v *Panel) drawCell(f *term.Frame, p *term.Pen, g grid, i int) {
	r := v.Rows.At(i)
	p.Spot(g.cell, r.Ref())
	mark := " "
	if i == v.Index {
		mark = f.Theme.Glyph.Selected
		p.Choose()
	}
	sign, glyph := v.cellSign(f, r)
	seq := "-"
	if r.Candidate != nil && r.Candidate.HasSequence {
		seq = strconv.FormatInt(r.Candidate.Sequence, 10)
	}
	p.Text(v.pointed(f, r, mark)).Text(sign, glyph)
	st := term.Muted
	if i == v.Index {
		st = term.Text
	}
	p.Right(g.seq, st, seq)
	if p.Room() <= gridNames {
		return
	}
	name := term.Text
	switch {
	case sign == term.Lead || sign == term.Alarm:
		name = sign
	case r.Member != nil && r.Member.You:
		name = term.You
	}
	p.Gap(1).Text(name, short(r.Name(), p.Room()))
}

// short shortens a name. Of one with a number at its end, that is what tells
// it from the others.
func short(name string, w int) string {
	if last := len(name) - 1; term.Width(name) > w && name[last] >= '0' && name[last] <= '9' {
		return term.TailOf(name, w)
	}
	return term.Cut(name, w)
}

// drawLegend draws what the signs of the cells mean.
func (v *Panel) drawLegend(f *term.Frame, p *term.Pen) {
	g := &f.Theme.Glyph
	for _, x := range []struct {
		style term.Style
		sign  string
		words string
	}{
		{term.Lead, g.Leader, wording.RoleOf(v.State).Has}, {term.Watch, g.Watch, "waits"}, {term.Muted, g.Elsewhere, "from elsewhere"},
		{term.Alarm, g.Frozen, "frozen"}, {term.Alarm, g.Killed, "killed"}, {term.Alarm, g.Wrong, "at risk"}, {term.Trouble, g.WatchWrong, "wrong watch"},
	} {
		if x.sign == g.Elsewhere && len(v.State.Members) == 0 || p.Room() < term.Width(x.words)+3 {
			continue
		}
		p.Text(x.style, x.sign).Text(term.Muted, " "+x.words).Gap(2)
	}
}

// drawChosen says in a line who is selected.
func (v *Panel) drawChosen(f *term.Frame, p *term.Pen) {
	s := v.State
	r := v.Rows.At(v.Index)
	if r.Ref() == (rows.Ref{}) {
		return
	}
	p.Text(term.Strong, term.Cut(r.Name(), max(8, p.Room()/3)))
	if r.Candidate == nil {
		fate := wording.FateOf(s, r.Member)
		p.Text(term.Muted, "  "+fate.Text()+fate.Truth)
		return
	}
	words := "  " + wording.Brief(r.Candidate)
	if _, standing := wording.Standing(s, r.Position); r.Position > 0 && r.Position < wording.Holders(s) {
		words += ", " + wording.RoleOf(s).Has
	} else if r.Position < wording.Holders(s) {
		words += ": " + wording.RoleHolders(s)
	} else if standing != "" {
		words += ", " + standing
	} else {
		words += ", waits at position " + strconv.Itoa(r.Position+1) + " of " + strconv.Itoa(len(s.Queue))
	}
	if to := wording.Target(s, r.Position); to != nil {
		words += ", behind " + to.Label()
	}
	if r.Member != nil && r.Member.Fault != model.NoFault {
		words += ", " + string(r.Member.Fault)
	}
	old, exact := r.Candidate.Age(f.Calm())
	if !exact {
		words += ", " + f.Theme.Glyph.Inferred + units.Age(old)
	} else {
		words += ", " + units.Age(old)
	}
	p.Fit(p.Room()-1, term.Muted, words)
}
