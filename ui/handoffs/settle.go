package handoffs

import (
	"time"

	"electop/model"
	"electop/ui/term"
)

// Settle takes what to show and where.
func (v *Panel) Settle(x Shown, r term.Rect) {
	v.Shown, v.place = x, r
	in := r.Inner()
	v.lanes.make(v.band(), max(in.H, 8))
	v.cut = v.Whole != nil && v.lanes.whole.From.After(v.Head)
	if v.cut {
		v.Whole = nil // it does not go back as far
		v.lanes.make(v.band(), max(in.H, 8))
	}
	v.lanes.widths(in.W)
	v.lanes.writes = len(v.lanes.whole.Writes) > 0
	v.settleAxis(in.W - 2)
	room := v.planned(in.H)
	most := 0
	if room > 0 {
		most = v.lanes.choose(v.axis, v.head(), v.Selected, room, v.scroll)
	}
	v.above = min(v.scroll, most)
	if v.plan.lanes = min(room, len(v.lanes.rows)); room > 0 && v.plan.lanes == 0 {
		v.plan.lanes = 1
	}
	if v.plan.pitch = 1; v.plan.lanes > 1 && in.H >= 16 && room >= 2*v.plan.lanes {
		v.plan.pitch = 2
	}
	v.page = max(1, in.H-v.upper())
	if v.plan.lanes == 0 {
		most, v.above = 0, 0
	}
	v.most = most + max(0, len(x.State.Handoffs)-v.page)
	v.scroll = min(v.scroll, v.most)
}

// head is the moment that is shown.
func (v *Panel) head() time.Time {
	if v.Head.IsZero() {
		return v.Now
	}
	return v.Head
}

// planned divides h lines, and returns how many lanes have room.
func (v *Panel) planned(h int) (room int) {
	v.plan = plan{}
	if len(v.lanes.whole.All) == 0 {
		return 0
	}
	v.plan.axis = 1
	if h >= 12 {
		v.plan.axis = 2
	}
	if v.Zoomed && h >= 17 {
		v.plan.words = 3
	}
	list := max(min(2, h-3), h/4)
	room = h - v.plan.axis - v.plan.words - min(list, max(1, len(v.State.Handoffs)))
	if v.lanes.writes {
		room--
	}
	return max(1, room)
}

// upper is how many lines are above the list.
func (v *Panel) upper() int {
	if v.plan.lanes == 0 {
		return 0
	}
	n := v.plan.lanes*v.plan.pitch + v.plan.axis + v.plan.words
	if v.lanes.writes {
		n++
	}
	return n
}

// settleAxis says which time each column has, of a panel of w cells.
func (v *Panel) settleAxis(w int) {
	if len(v.lanes.whole.All) > 0 {
		w -= v.lanes.names + 1
	}
	first, last := v.span()
	reigns := v.band().Reigns
	if len(reigns) == 0 {
		reigns = []model.Reign{{From: first}}
	}
	step := v.step
	switch {
	case w <= 0:
		v.axis = axis{}
		return
	case v.Head.IsZero() && step == 0:
		v.axis = newAxis(reigns, v.Now, w)
		return
	case v.Head.IsZero():
		quarter := time.Duration(max(1, w/4)) * step
		v.axis = axisOf(v.axis, step, first, v.Now.Add(quarter), v.Now, w)
		return
	case step == 0 && !v.Last.IsZero():
		step = fitting(first, last, w)
	case step == 0 && v.axis.step != 0:
		step = v.axis.step
	case step == 0:
		step = newAxis(reigns, v.Now, w).step
	}
	v.axis = axisOf(v.axis, step, first, last, v.Head, w)
}

// span is from when to when there is something to see.
func (v *Panel) span() (first, last time.Time) {
	if !v.Last.IsZero() {
		return v.First, v.Last
	}
	first = v.head()
	for _, l := range v.lanes.whole.All {
		for _, st := range l.Stretches[:min(2, len(l.Stretches))] {
			if !st.From.IsZero() && st.From.Before(first) {
				first = st.From
			}
		}
	}
	if r := v.band().Reigns; len(r) > 0 && beganAt(r[0]).Before(first) {
		first = beganAt(r[0])
	}
	return first, v.Now
}

// Scale makes the cells of the time line stand for less time, or for more.
func (v *Panel) Scale(finer bool) {
	if v.axis.step == 0 {
		return
	}
	first, last := v.span()
	v.step = scaled(v.axis.step, finer, fitting(first, last, max(1, v.axis.w)))
}

// Axis is the axis in words: how much time a cell stands for.
func (v *Panel) Axis() time.Duration { return v.step }
