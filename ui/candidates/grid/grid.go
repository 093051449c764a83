package grid

import (
	"strconv"

	"electop/ui/term"
)

// Grid is a crowd of candidates as cells. It keeps which columns are in view.
type Grid struct {
	Shown
	rows, columns int // in view
	cell          int // width of a cell
	left          int // first column in view
}

// Widths of a cell, and how many candidates are shown in the least one: a class. A frame
// with more of them would be expensive.
const (
	leastCell, usualCell, widestCell = 2, 5, 11
	leastCellMost                    = 600
)

// Settle takes what to show and where, and brings the selected cell into view. The last
// lines are for the wave, if waves are counted, and for the selected candidate.
func (v *Grid) Settle(x Shown, r term.Rect) {
	v.Shown = x
	below := 1
	if v.counts() {
		below = 2
	}
	n := v.Rows.Len()
	v.rows = max(1, r.H-below)
	need := v.of(n)
	v.cell = usualCell
	if n <= leastCellMost {
		v.cell = max(leastCell, min(widestCell, r.W/max(1, need)))
	}
	v.columns = max(1, min(need, r.W/v.cell))
	v.left = term.Window(v.left, v.Index/v.rows, v.columns, need)
}

// of is how many columns n cells take.
func (v *Grid) of(n int) int { return (n + v.rows - 1) / v.rows }

// Lines is how many cells a column has.
func (v *Grid) Lines() int { return v.rows }

// Draw draws the candidates as cells, what a handoff does to them, and in the last line
// the selected one and which of them are in view.
func (v *Grid) Draw(f *term.Frame, a term.Area) {
	n, first := v.Rows.Len(), v.left*v.rows
	var w wave
	if v.counts() {
		w = shownWave(f, &v.Shown)
	}
	last := min(n, first+v.columns*v.rows)
	for i := first; i < last; i++ {
		p := a.Pen((i - first) % v.rows).Gap((i - first) / v.rows * v.cell)
		p.Limit(v.cell)
		v.drawCell(f, p, i, &w)
	}
	if v.counts() {
		v.drawWave(f, a.Pen(a.Height()-2).Gap(1), &w)
	}
	p := a.Pen(a.Height() - 1).Gap(1)
	if first > 0 || last < n {
		p.Text(term.You, strconv.Itoa(first+1)+"-"+strconv.Itoa(last)+" of "+strconv.Itoa(n)+"   ")
	}
	v.drawChosen(f, p, &w)
}
