package messages

import (
	"electop/model/doctor"
	"electop/ui/input"
	"electop/ui/rows"
	"electop/ui/term"
)

// Panel is the panel of messages. It keeps how far the user scrolled.
type Panel struct {
	Shown
	place       term.Rect
	left, right lane
	entries     []entry
	held        int // lines for what is held
	page        int // lines for what happened
	back        int // lines of that below the ones in view
}

// Shown is what the panel shows.
type Shown struct {
	State    *doctor.State
	Focused  bool
	Selected rows.Row // the candidate whose messages are wanted
}

// Settle takes what to show and where.
func (v *Panel) Settle(x Shown, r term.Rect) {
	if x.State != v.State || x.Selected != v.Selected { // else it tells the same
		v.left, v.right = lanes(x.State, x.Selected)
		v.entries = entries(x.State, &v.left, &v.right)
	}
	v.Shown, v.place = x, r
	inside := r.Inner().H - headLines
	v.held = 1 // for a line about the pace
	if p := x.State.Pace; p != nil && len(p.Held) > 0 {
		v.held = max(1, min(len(p.Held)+1, inside/3))
	}
	v.page = max(1, inside-v.held)
	v.back = min(v.back, v.most())
}

// most is how many entries cannot be in view.
func (v *Panel) most() int { return max(0, len(v.entries)-v.page) }

// Move scrolls what happened.
func (v *Panel) Move(do input.Command) {
	v.back = v.most() - input.Moved(do, v.most()-v.back, v.most(), v.page)
}

// inView are the entries in view.
func (v *Panel) inView() []entry {
	end := len(v.entries) - v.back
	return v.entries[max(0, end-v.page):end]
}
