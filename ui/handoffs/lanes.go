package handoffs

import (
	"cmp"
	"slices"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// lanes are those that the panel shows, from the state of the moment and from what
// came after it.
type lanes struct {
	of    *doctor.State // they were made from it
	most  int
	whole *model.Lanes
	wide  int // the widest of their names

	rows   []*model.Lane // in view, in the order of their znodes
	hidden int           // how many more there are
	names  int           // width of the names
	writes bool          // there is a line for what workers wrote
}

// make takes the lanes of a state; they are made once a state.
func (l *lanes) make(s *doctor.State, most int) {
	if l.of != s || l.most < most {
		l.of, l.most = s, most
		l.whole = s.Lanes(most)
		l.wide = 0
		for _, lane := range l.whole.All {
			l.wide = max(l.wide, term.Width(nameOf(lane)))
		}
	}
}

// choose takes the lanes into view: all that are on the axis in the order of their
// znodes, or of too many those that matter most at the time head. It returns how far
// they can be scrolled.
func (l *lanes) choose(x axis, head time.Time, selected rows.Ref, room, scroll int) (most int) {
	on := make([]*model.Lane, 0, len(l.whole.All))
	end := x.until(x.w - 1)
	for _, lane := range l.whole.All {
		n := len(lane.Stretches)
		if n == 0 || lane.Over() && lane.Stretches[n-1].From.Before(x.start) || lane.Stretches[0].From.After(end) {
			continue
		}
		on = append(on, lane)
	}
	l.hidden = max(0, len(on)-room) + l.whole.More
	most = max(0, len(on)-room)
	if most > 0 {
		type ranked struct{ rank, at int }
		all := make([]ranked, len(on))
		for i, lane := range on {
			all[i] = ranked{l.rank(lane, x, head, selected), i}
		}
		slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.at, b.at)) })
		scroll = min(scroll, most)
		all = all[scroll : scroll+room]
		slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(a.at, b.at) })
		shown := make([]*model.Lane, 0, room)
		for _, r := range all {
			shown = append(shown, on[r.at])
		}
		on = shown
	}
	l.rows = on
	return most
}

// rank is lower for what matters more.
func (l *lanes) rank(lane *model.Lane, x axis, head time.Time, selected rows.Ref) int {
	now, _ := lane.At(head)
	led := time.Time{}
	for i, st := range lane.Stretches {
		if st.Place == model.Holds {
			led = head
			if i+1 < len(lane.Stretches) {
				led = lane.Stretches[i+1].From
			}
		}
	}
	switch {
	case now.Place == model.Holds || believes(now):
		return 0
	case slices.ContainsFunc(lane.Znodes, func(z model.LaneZnode) bool { return z.ID() == selected.Znode }):
		return 1
	case !led.Before(x.start) && !led.IsZero():
		return 2
	case now.Fault != model.NoFault:
		return 3
	case now.Place == model.Queued || lane.Member != "" && !now.Departed:
		return 4
	}
	return 5
}

// believes reports whether a member believes that it leads, and does not.
func believes(s model.Standing) bool {
	return s.Belief == model.Leading && s.Place != model.Holds && s.Fault != model.Killed && !s.Departed
}

// nameOf is what to call a lane.
func nameOf(l *model.Lane) string {
	if l.Member != "" {
		return znode.Safe(cmp.Or(l.Name, l.Member), rows.NameMax)
	}
	return l.Znodes[len(l.Znodes)-1].Label()
}

// Widths of the column of names.
const namesMin, namesMax = 6, 16

// widths gives the names their column: as wide as the widest, also of lanes that are not
// in view now, so that it stays.
func (l *lanes) widths(w int) {
	l.names = max(namesMin, min(l.wide, namesMax, w/5))
}

// laneKind is what a cell of a lane shows. The later wins where several share a cell.
type laneKind uint8

const (
	laneNothing laneKind = iota
	laneNowhere          // no znode, and alive
	laneWaits
	laneUnaware // first in the queue, and does not know yet
	laneSuspended
	laneLed
	laneLeads
	laneSilent // has a znode, and is killed, frozen or cut off
	laneElected
	laneBelieves
	laneBefore // not known: as before electop saw it
	laneUnseen // nobody observed it
	laneCreated
	laneDeleted
	laneFault
	laneNotice
	laneExpired
)

// kindOf is what a standing looks like.
func kindOf(s model.Standing) laneKind {
	there := s.Place != model.NoZnode
	switch {
	case believes(s):
		return laneBelieves
	case there && s.Fault != model.NoFault:
		return laneSilent
	case !there && (s.Belief == "" || s.Departed || s.Fault == model.Killed):
		return laneNothing
	case !there:
		return laneNowhere
	case s.Belief == model.Suspended:
		return laneSuspended
	case s.Place != model.Holds:
		return laneWaits
	case s.Belief == model.Elected:
		return laneElected
	case s.Belief == model.Leading || s.Belief == "" || s.Departed:
		return laneLeads
	}
	return laneUnaware
}

// laneCell is a cell of a lane; fault is the one that begins there.
type laneCell struct {
	kind  laneKind
	fault model.Fault
}

// cells lays a lane out over the axis, up to the time until. head is the time at which who
// leads is gold; those who led before or will are not. Of third-party clients nothing is
// known in the gaps. The cells of the lane are out.
func cells(out []laneCell, l *model.Lane, gaps []model.Gap, x axis, head, until time.Time) []laneCell {
	put := func(i int, c laneCell) {
		if i >= 0 && i < len(out) && c.kind > out[i].kind {
			out[i] = c
		}
	}
	was := model.Standing{}
	for i, st := range l.Stretches {
		to, open := until, true
		if i+1 < len(l.Stretches) {
			to, open = l.Stretches[i+1].From, false
		}
		kind := kindOf(st.Standing)
		if kind == laneLeads && (head.Before(st.From) || !open && !head.Before(to)) {
			kind = laneLed
		}
		if !to.Before(x.start) {
			first, last := x.cell(st.From), x.cell(to.Add(-1))
			for k := max(0, first); k <= min(max(first, last), x.w-1); k++ {
				put(k, laneCell{kind: kind})
			}
			if st.Fault != was.Fault && st.Fault != model.NoFault && (kind == laneSilent || kind == laneBelieves) {
				put(first, laneCell{laneFault, st.Fault})
			}
		}
		was = st.Standing
	}
	for _, gap := range gaps {
		if l.Member != "" {
			break // it says itself what it does
		}
		from, to := x.cell(gap.From), x.cell(until)
		if !gap.To.IsZero() {
			to = x.cell(gap.To.Add(-1))
		}
		for k := max(0, from); k <= min(to, x.w-1); k++ {
			if out[k].kind != laneNothing {
				put(k, laneCell{kind: laneUnseen})
			}
		}
	}
	for _, z := range l.Znodes {
		if z.Joined {
			put(x.cell(z.SeenAt), laneCell{kind: laneCreated})
		} else if l.Member == "" && !z.Ctime.IsZero() { // it existed before electop saw it
			for k := max(0, x.cell(z.Ctime)); k <= min(x.cell(z.SeenAt.Add(-1)), x.w-1); k++ {
				put(k, laneCell{kind: laneBefore})
			}
		}
		switch {
		case z.End.IsZero():
		case z.Cause == model.CauseExpired:
			put(x.cell(z.End), laneCell{kind: laneExpired})
		default:
			put(x.cell(z.End), laneCell{kind: laneDeleted})
		}
	}
	return out
}

// rowOf is the line of a lane among those in view, -1 for none.
func (l *lanes) rowOf(index int) int {
	if index < 0 {
		return -1
	}
	return slices.Index(l.rows, l.whole.All[index])
}
