package grid

import (
	"strconv"

	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

// cellSign is the sign of a row in the grid.
func (v *Grid) cellSign(f *term.Frame, r rows.Row) (term.Style, string) {
	s, g := v.State, &f.Theme.Glyph
	leads := r.Position >= 0 && r.Position < wording.Holders(s)
	_, troubled := wording.ExpiryOf(s, r)
	ghost := ""
	if r.Position == 0 {
		ghost, _ = wording.GhostOf(s, r)
	}
	switch {
	case leads || ghost != "":
		return wording.LeaderSign(&f.Theme.Glyph, v.State, r, troubled || ghost != "")
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

// heats are the backgrounds of cells, by how often they were notified. It is never
// written.
var heats = [...]term.Style{term.Text, term.Heat1, term.Heat2, term.Heat3}

func (v *Grid) drawCell(f *term.Frame, p *term.Pen, i int, w *wave) {
	r, g := v.Rows.At(i), v.grid
	p.Spot(g.cell, r.Ref())
	mark := " "
	if i == v.Index {
		mark = f.Theme.Glyph.Selected
		p.Choose()
	}
	sign, glyph := v.cellSign(f, r)
	number, name := term.Muted, term.Text
	switch {
	case sign == term.Lead || sign == term.Alarm:
		name = sign
	case r.Member != nil && r.Member.You:
		name = term.You
	}
	if i == v.Index {
		number = term.Text
	}
	seq, times := "-", 0
	if c := r.Candidate; c != nil && c.HasSequence {
		seq = strconv.FormatInt(c.Sequence, 10)
	}
	if c := r.Candidate; c != nil && w.Wave != nil { // else nobody was notified yet
		times = v.State.Notified(c.Session)
		at := w.phaseIn(c.Session)
		if heat := heats[min(times, len(heats)-1)]; heat != term.Text && at == calm {
			number = heat
			if name == term.Text {
				name = heat
			}
		}
		number, name = at.styles(number, name)
		if sign == term.Watch || sign == term.Muted {
			sign, glyph = at.sign(&f.Theme.Glyph, sign, glyph)
		}
	}
	if g.seq == 0 {
		v.drawSign(f, p, r, i, number, sign, glyph)
		return
	}
	p.Text(wording.Pointed(&f.Theme.Glyph, r, v.PointedAt, mark)).Text(sign, glyph)
	plain := number == term.Muted || number == term.Text
	if plain {
		p.Right(g.seq, number, seq)
	} else { // the whole cell has the colour
		p.Text(number, term.Blanks(g.seq-len(seq))).Text(number, seq)
	}
	if v.cells.names == nil {
		return
	}
	all := &f.Theme.Glyph.Times
	count := all[min(times, len(all)-1)]
	if count == "" {
		count = " "
	}
	p.Text(number, count)
	short := v.cells.names[i-v.cells.first]
	if !plain {
		short = term.Fitted(short, g.nameRoom())
	}
	p.Text(name, short)
}

// drawSign draws a cell without a number: a block in its colour.
func (v *Grid) drawSign(f *term.Frame, p *term.Pen, r rows.Row, i int, block, sign term.Style, glyph string) {
	mark, st := " ", block
	if i == v.Index {
		mark, st = f.Theme.Glyph.Selected, term.Strong
	} else if at, words := wording.Pointed(&f.Theme.Glyph, r, v.PointedAt, " "); words != " " {
		mark, st = words, at
	}
	if block == term.Muted || block == term.Text || block == term.Good {
		block = sign // no block
	}
	p.Text(st, mark)
	p.Text(block, glyph+term.Blanks(p.Room()-1))
}

// styles are those of a number and a name in a phase, instead of the usual ones.
func (at phase) styles(number, name term.Style) (term.Style, term.Style) {
	switch at {
	case notified:
		return term.Hot, term.Hot
	case reading:
		return term.Warm, term.Warm
	case done:
		return term.Good, name
	}
	return number, name
}

// sign is that of a phase, instead of the usual one.
func (at phase) sign(g *term.Glyphs, st term.Style, sign string) (term.Style, string) {
	switch at {
	case notified:
		return term.Hot, g.Notice
	case reading:
		return term.Warm, g.Step
	case done:
		return term.Good, g.Yes
	}
	return st, sign
}

// timesOf is how often something happened.
func timesOf(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
