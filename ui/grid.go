package ui

import (
	"strconv"

	"electop/model"
	"electop/model/units"
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
	need := (n + g.rows - 1) / g.rows
	if w/least < need {
		least = 2 + seq
	}
	g.columns = max(1, min(need, w/least))
	g.cell = min(w/g.columns, gridMost)
	return g
}

// asGrid reports whether the zoomed candidates are drawn as a grid on r.
func (d *dashboard) asGrid(f *frame, r rect) bool {
	s := d.shown()
	return d.zoomed && d.focus == panelCandidates && d.rows.len() > r.h-3 && s.Phase == model.Live && len(s.Queue) > 0
}

// drawGrid draws the candidates as cells, and in the last line what the
// selected one is.
func (d *dashboard) drawGrid(f *frame, r rect) {
	s := d.shown()
	a := f.box(r, "Candidates", true, d.candidatesTail(f)...)
	n := d.rows.len()
	seq := 3
	for _, i := range [2]int{0, len(s.Queue) - 1} {
		seq = max(seq, len(strconv.FormatInt(s.Queue[i].Sequence, 10)))
	}
	g := gridFor(n, a.width(), a.height()-2, seq)
	d.gridRows, d.page = g.rows, g.rows
	column := d.index / g.rows
	first := window(d.gridLeft, column, g.columns, (n+g.rows-1)/g.rows)
	d.gridLeft = first
	for x := range g.columns {
		for y := range g.rows {
			i := (first+x)*g.rows + y
			if i >= n {
				break
			}
			p := a.pen(y).gap(x * g.cell)
			p.end = min(p.end, p.x+g.cell)
			d.drawCell(f, p, g, i)
		}
	}
	p := a.pen(a.height() - 2).gap(1)
	if last := min(n, (first+g.columns)*g.rows); first > 0 || last < n {
		words := strconv.Itoa(first*g.rows+1) + "-" + strconv.Itoa(last) + " of " + strconv.Itoa(n) + "   "
		p.text(styleYou, words)
	}
	d.drawLegend(f, p)
	d.drawChosen(f, a.pen(a.height()-1).gap(1))
}

// cellSign is the sign of a row in the grid.
func (d *dashboard) cellSign(f *frame, r row) (style, string) {
	s, g := d.shown(), &f.th.glyph
	leads := r.position >= 0 && r.position < holders(s)
	_, troubled := troubleOf(s, r)
	switch {
	case leads && troubled:
		return styleAlarm, g.LeaderLost
	case leads:
		return styleLead, g.Leader
	case f.faultGlyph(r.member) != "":
		return styleAlarm, f.faultGlyph(r.member)
	case troubled:
		return styleAlarm, g.Wrong
	case r.position > 0 && wrongEdge(s.Edge(r.position)):
		return styleTrouble, g.WatchWrong
	case r.candidate == nil:
		return styleMuted, g.Nobody
	case r.member == nil && len(s.Members) > 0:
		return styleMuted, g.Elsewhere
	}
	return styleWatch, g.Watch
}

func (d *dashboard) drawCell(f *frame, p *pen, g grid, i int) {
	r := d.rows.at(i)
	mark := " "
	if i == d.index {
		mark = f.th.glyph.Selected
		p.choose()
	}
	sign, glyph := d.cellSign(f, r)
	seq := "-"
	if r.candidate != nil && r.candidate.HasSequence {
		seq = strconv.FormatInt(r.candidate.Sequence, 10)
	}
	p.text(d.pointed(f, r, mark)).text(sign, glyph)
	st := styleMuted
	if i == d.index {
		st = styleText
	}
	p.right(g.seq, st, seq)
	if p.room() <= gridNames {
		return
	}
	name := styleText
	switch {
	case sign == styleLead || sign == styleAlarm:
		name = sign
	case r.member != nil && r.member.You:
		name = styleYou
	}
	p.gap(1).text(name, short(r.name(), p.room()))
}

// short shortens a name. Of one with a number at its end, that is what tells
// it from the others.
func short(name string, w int) string {
	if last := len(name) - 1; width(name) > w && name[last] >= '0' && name[last] <= '9' {
		return tailOf(name, w)
	}
	return cut(name, w)
}

// drawLegend draws what the signs of the cells mean.
func (d *dashboard) drawLegend(f *frame, p *pen) {
	g := &f.th.glyph
	for _, x := range []struct {
		style style
		sign  string
		words string
	}{
		{styleLead, g.Leader, wordsOf(d.shown()).has}, {styleWatch, g.Watch, "waits"}, {styleMuted, g.Elsewhere, "from elsewhere"},
		{styleAlarm, g.Frozen, "frozen"}, {styleAlarm, g.Killed, "killed"}, {styleAlarm, g.Wrong, "at risk"}, {styleTrouble, g.WatchWrong, "wrong watch"},
	} {
		if x.sign == g.Elsewhere && len(d.shown().Members) == 0 || p.room() < width(x.words)+3 {
			continue
		}
		p.text(x.style, x.sign).text(styleMuted, " "+x.words).gap(2)
	}
}

// drawChosen says in a line who is selected.
func (d *dashboard) drawChosen(f *frame, p *pen) {
	s := d.shown()
	r := d.rows.at(d.index)
	if r.ref() == (ref{}) {
		return
	}
	p.text(styleStrong, cut(r.name(), max(8, p.room()/3)))
	if r.candidate == nil {
		_, words, truth := fate(s, r.member)
		p.text(styleMuted, "  "+words+truth)
		return
	}
	words := "  " + brief(r.candidate)
	if r.position < holders(s) {
		words += ", " + wordsOf(s).has
	} else {
		words += ", waits at position " + strconv.Itoa(r.position+1) + " of " + strconv.Itoa(len(s.Queue))
	}
	if to := target(s, r.position); to != nil {
		words += ", behind " + to.Label()
	}
	if r.member != nil && r.member.Fault != model.NoFault {
		words += ", " + string(r.member.Fault)
	}
	old, exact := r.candidate.Age(f.calm())
	if !exact {
		words += ", " + f.th.glyph.Inferred + units.Age(old)
	} else {
		words += ", " + units.Age(old)
	}
	p.fit(p.room()-1, styleMuted, words)
}

// sideways moves the selection by a column of the grid.
func (d *dashboard) sideways(do command) {
	if !d.zoomed || d.focus != panelCandidates || d.gridRows == 0 {
		return
	}
	to := d.index + d.gridRows
	if do == cmdLeft {
		to = d.index - d.gridRows
	}
	if to >= 0 && to < d.rows.len() {
		d.selectRow(to)
		d.chose()
	}
}
