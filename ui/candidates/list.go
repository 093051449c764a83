package candidates

import (
	"electop/model/doctor"
	"electop/ui/rows"
)

// list is where the user is in the candidates: what is shown of them, which
// one is selected, and what is in view.
type list struct {
	Rows     rows.List
	Selected rows.Ref
	Index    int // of the selected row in Rows
	queuedAt int // where it was last in the queue
	top      int // first contender in view
	Filter   string
}

// Reselect rebuilds the rows and finds the selected one again. If it is gone,
// the one in its place is selected: the place in the queue, for one that lost
// its znode first and left then.
func (l *list) Reselect(s *doctor.State) {
	without := l.Index >= l.Rows.Queued()
	l.Rows = rows.New(s, l.Filter)
	if i := l.Rows.Find(l.Selected, l.Index); i >= 0 {
		l.Index = i
		l.Selected = l.Rows.At(i).Ref() // a member may have another znode now
		if i < l.Rows.Queued() {
			l.queuedAt = i
		}
		return
	}
	if without {
		l.SelectRow(l.queuedAt)
		return
	}
	l.SelectRow(l.Index)
}

// SelectRow selects row i, or the nearest there is.
func (l *list) SelectRow(i int) {
	l.Index = max(0, min(i, l.Rows.Len()-1))
	if l.Rows.Len() == 0 {
		// Keep the identity: it may come back, as after a lost connection or
		// under another filter.
		return
	}
	l.Selected = l.Rows.At(l.Index).Ref()
	l.queuedAt = l.Index
}

// Select selects the row with that identity, if it is shown.
func (l *list) Select(id rows.Ref) {
	if i := l.Rows.Find(id, l.Index); i >= 0 {
		l.SelectRow(i)
	}
}

// Row is the selected row, an empty one if there is none.
func (l *list) Row() rows.Row { return l.Rows.At(l.Index) }
