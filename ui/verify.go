package ui

import (
	"time"

	"electop/ui/term"
)

// begun notes that an action was started whose result comes with a later
// state, and says so.
func (d *dashboard) begun(a Action) {
	switch a.Kind {
	case Verify:
		d.asked = d.o.Now()
		d.say(term.Muted, "asking the servers who watches what")
	case Discover:
		d.say(term.Muted, "searching for elections")
	}
}

// failed forgets what was waited for.
func (d *dashboard) failed(a Action) {
	switch a.Kind {
	case Verify:
		if i := d.views.at(a.Election); i >= 0 {
			d.views[i].asked = time.Time{}
		}
	case Open:
		if d.opening == a.Target {
			d.opening = ""
		}
	}
}
