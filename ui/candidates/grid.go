package candidates

import (
	"strconv"

	"electop/ui/term"
)

// grid is a crowd of candidates, each a cell: a heat map of who is notified and of how often
// each was. Cells go down the columns, so that the next in the queue is below, and one that
// waits for another stands under it.
//
// A handoff notifies, and each of the notified reads the list again: that is a wave. The
// Recipe panel shows what it costs.
type grid struct {
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

// settleGrid gives the grid its place, and brings the selected cell into view. The last
// lines are for the wave, if waves are counted, and for the selected candidate.
func (v *Panel) settleGrid(r term.Rect) {
	x := &v.grid
	below := 1
	if v.counts() {
		below = 2
	}
	n := v.Rows.Len()
	x.rows = max(1, r.H-below)
	need := (n + x.rows - 1) / x.rows
	x.cell = usualCell
	if n <= leastCellMost {
		x.cell = max(leastCell, min(widestCell, r.W/max(1, need)))
	}
	x.columns = max(1, min(need, r.W/x.cell))
	x.left = term.Window(x.left, v.Index/x.rows, x.columns, need)
}

// drawGrid draws the candidates as cells, what a handoff does to them, and in the last line
// the selected one and which of them are in view.
func (v *Panel) drawGrid(f *term.Frame, a term.Area) {
	x := &v.grid
	n, first := v.Rows.Len(), x.left*x.rows
	var w wave
	if v.counts() {
		w = v.shownWave(f)
	}
	last := min(n, first+x.columns*x.rows)
	for i := first; i < last; i++ {
		p := a.Pen((i - first) % x.rows).Gap((i - first) / x.rows * x.cell)
		p.Limit(x.cell)
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
