package candidates

import (
	"time"

	"electop/model/doctor"
	"electop/ui/rows"
	"electop/ui/term"
)

// fuseCells is the width of a fuse: how much of its session timeout a candidate has
// left.
const fuseCells = 8

// drawFuse draws how much of its session timeout r has left: full blocks for what it
// has surely, light ones for what it may have, dots for what has burnt down.
func (v *table) drawFuse(f *term.Frame, p *term.Pen, r rows.Row) {
	g := &f.Theme.Glyph
	x, ok := v.State.Fuse(r.Candidate)
	if !ok {
		p.Fit(fuseCells, term.Muted, g.Unknown)
		return
	}
	least, most := x.Left(f.Picture)
	full, light := fuseFill(least, x.Timeout), fuseFill(most, x.Timeout)
	v.fuseTicks(f, x, least, most)
	st := term.Watch
	if light*2 <= fuseCells {
		st = term.Trouble
	}
	for i := range fuseCells {
		switch {
		case i < full:
			p.Text(st, g.BarDone)
		case i < light:
			p.Text(st, g.BarSure)
		default:
			p.Text(term.Faint, g.BarMaybe)
		}
	}
}

// fuseFill is how many cells are filled: none is empty before the end.
func fuseFill(left, timeout time.Duration) int {
	return int((left*fuseCells + timeout - 1) / timeout)
}

// fuseTicks says when the next cell burns down.
func (v *table) fuseTicks(f *term.Frame, x doctor.Fuse, least, most time.Duration) {
	if x.Held || f.Held {
		return
	}
	for _, left := range []time.Duration{least, most} {
		n := fuseFill(left, x.Timeout)
		if n == 0 || left == x.Timeout && x.Most.IsZero() && left == most {
			continue
		}
		cell := x.Timeout * time.Duration(n-1) / fuseCells
		f.At(f.Now.Add(left - cell).Truncate(time.Millisecond).Add(time.Millisecond))
	}
}
