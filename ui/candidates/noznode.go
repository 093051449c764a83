package candidates

import (
	"electop/ui/term"
	"electop/ui/wording"
)

// drawWithout draws our members without a znode: a heading and h-1 rows.
func (v *Panel) drawWithout(f *term.Frame, a term.Area, y, h int) {
	c := v.columnsFor(a.Width())
	a.Pen(y).Gap(gutter).Text(term.Muted, "electop's candidates without a znode")
	n := v.Rows.Queued()
	first := 0
	if v.Index >= n {
		first = max(0, v.Index-n-(h-2))
	}
	for i := range min(h-1, len(v.Rows.NoZnode)-first) {
		at := n + first + i
		r := v.Rows.At(at)
		p := a.Pen(y + 1 + i)
		a.Spot(y+1+i, r.Ref())
		mark := " "
		if at == v.Index {
			p.Choose()
			mark = f.Theme.Glyph.Selected
		}
		p.Text(wording.Pointed(&f.Theme.Glyph, r, v.PointedAt, mark)).Gap(gutter-1).Right(c.seq, term.Muted, "-").Gap(2)
		fate := wording.FateOf(v.State, r.Member)
		name := term.Text
		if fate.Style == term.Trouble {
			name = term.Alarm
		}
		v.drawName(f, p, c.name, name, r)
		p.Gap(2)
		p.Fit(p.Room()-1, fate.Style, fate.Within(p.Room()))
	}
}
