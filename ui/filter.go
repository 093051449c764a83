package ui

import (
	"electop/ui/input"
	"electop/ui/layout"
	"electop/ui/term"
)

// filter is the filter that the keyboard changes: of the elections, or of the
// candidates of the one on the screen.
func (d *dashboard) filter() *string {
	if d.modes.Front() == input.ModeElections {
		return &d.elections.Filter
	}
	return &d.candidates.Filter
}

// sort brings what is listed into the next order.
func (d *dashboard) sort() {
	by, first := "", "in the order of the queue"
	if d.modes.Front() == input.ModeElections {
		by, first = d.elections.Sort(), "in the order in which they are watched"
	} else {
		d.candidates.Sort(d.shown())
		by = d.candidates.Order()
		d.screen.Focus = layout.Candidates
	}
	if by == "" {
		d.say(term.Muted, first)
		return
	}
	d.say(term.Muted, "sorted by "+by+": o for the next order")
}

// setFilter makes text the filter that the keyboard changes.
func (d *dashboard) setFilter(text string) {
	d.typed.Set(text)
	*d.filter() = text
	d.reselect()
}
