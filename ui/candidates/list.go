package candidates

import (
	"electop/model/doctor"
	"electop/ui/rows"
)

// List is where the user is in the candidates: what is shown of them, which
// one is selected, and what is in view.
type List struct {
	Rows     rows.List
	Selected rows.Ref
	Index    int // of the selected row in rows
	stood    int // where it was last in the queue
	top      int // first contender in view
	Page     int // how many were in view
	Filter   string
	// Of the grid of a zoomed crowd: the rows it has, and the first column in
	// view.
	GridRows, gridLeft int
}

// Reselect rebuilds the rows and finds the selected one again. If it is gone,
// whatever stands in its place is selected: in the queue, for one that lost its
// znode first and then went.
func (l *List) Reselect(s *doctor.State) {
	without := l.Index >= l.Rows.Queued()
	l.Rows = rows.New(s, l.Filter)
	if i := l.Rows.Find(l.Selected, l.Index); i >= 0 {
		l.Index = i
		l.Selected = l.Rows.At(i).Ref() // a member may have another znode now
		if i < l.Rows.Queued() {
			l.stood = i
		}
		return
	}
	if without {
		l.SelectRow(l.stood)
		return
	}
	l.SelectRow(l.Index)
}

// SelectRow selects row i, or the nearest there is.
func (l *List) SelectRow(i int) {
	l.Index = max(0, min(i, l.Rows.Len()-1))
	if l.Rows.Len() == 0 {
		// Keep the identity: it may come back, as after a lost connection or
		// under another filter.
		return
	}
	l.Selected = l.Rows.At(l.Index).Ref()
	l.stood = l.Index
}

// Column moves the selection by a column of the grid, and reports whether it
// moved.
func (l *List) Column(by int) bool {
	to := l.Index + by*l.GridRows
	if l.GridRows == 0 || to < 0 || to >= l.Rows.Len() {
		return false
	}
	l.SelectRow(to)
	return true
}
