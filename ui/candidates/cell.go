package candidates

import (
	"strconv"

	"electop/ui/rows"
	"electop/ui/term"
	"electop/ui/wording"
)

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

// drawCell draws a cell: a block in its colour, with its sign.
func (v *Panel) drawCell(f *term.Frame, p *term.Pen, i int, w *wave) {
	r, g := v.Rows.At(i), &f.Theme.Glyph
	p.Spot(v.grid.cell, r.Ref())
	sign, glyph := v.cellSign(f, r)
	block := term.Muted
	if c := r.Candidate; c != nil && w.Wave != nil { // else nobody was notified yet
		at := w.phaseIn(c.Session)
		if heat := heats[min(v.State.Notified(c.Session), len(heats)-1)]; heat != term.Text && at == calm {
			block = heat
		}
		block = at.block(block)
		if sign == term.Watch || sign == term.Muted {
			sign, glyph = at.sign(g, sign, glyph)
		}
	}
	mark, st := " ", block
	if i == v.Index {
		p.Choose()
		mark, st = g.Selected, term.Strong
	} else if at, words := wording.Pointed(g, r, v.PointedAt, " "); words != " " {
		mark, st = words, at
	}
	if block == term.Muted || block == term.Good {
		block = sign // no block
	}
	p.Text(st, mark)
	p.Text(block, glyph+term.Blanks(p.Room()-1))
}

// block is the style of a cell in a phase, instead of the usual one.
func (at phase) block(usual term.Style) term.Style {
	switch at {
	case notified:
		return term.Hot
	case reading:
		return term.Warm
	case done:
		return term.Good
	}
	return usual
}

// sign returns a phase's own sign, or the usual one.
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
