package grid

import (
	"strconv"

	"electop/model"
	"electop/model/doctor"
	"electop/ui/term"
)

// Grid is a crowd of candidates as cells. It keeps which columns are in view.
type Grid struct {
	Shown
	grid    grid
	left    int // first column in view
	cells   cells
	costs   model.Costs
	costsOf *doctor.State
}

// Settle takes what to show and where, and brings the selected cell into view.
func (v *Grid) Settle(x Shown, r term.Rect) {
	v.Shown = x
	v.grid = v.layout(r)
	v.left = term.Window(v.left, v.Index/v.grid.rows, v.grid.columns, v.grid.of(v.Rows.Len()))
	v.nameCells()
	if v.costsOf != x.State && v.compares() {
		v.costs, v.costsOf = x.State.Costs(x.Since), x.State
	}
}

// Lines is how many cells a column has.
func (v *Grid) Lines() int { return v.grid.rows }

// Draw draws the candidates as cells, what a handoff does to them and what it costs,
// and in the last line what the selected one is.
func (v *Grid) Draw(f *term.Frame, a term.Area) {
	n, g, first := v.Rows.Len(), v.grid, v.left
	var w wave
	if v.compares() {
		w = shownWave(f, &v.Shown)
	}
	for x := range g.columns {
		for y := range g.rows {
			i := (first+x)*g.rows + y
			if i >= n {
				break
			}
			p := a.Pen(y).Gap(x * g.cell)
			p.Limit(g.cell)
			v.drawCell(f, p, i, &w)
		}
	}
	if v.compares() {
		v.drawComparison(f, a, g.rows, &w, &v.costs)
	}
	v.drawChosen(f, a.Pen(a.Height()-1).Gap(1), &w)
	if g.unexplained {
		return
	}
	p := a.Pen(a.Height() - 2).Gap(1)
	if last := min(n, (first+g.columns)*g.rows); first > 0 || last < n {
		words := strconv.Itoa(first*g.rows+1) + "-" + strconv.Itoa(last) + " of " + strconv.Itoa(n) + "   "
		p.Text(term.You, words)
	}
	v.drawLegend(f, p, &w)
}
