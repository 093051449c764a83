package ui

import (
	"time"

	"electop/ui/servers"
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

// heardServers reports the answers of the servers for the elections that wait for them.
func (d *dashboard) heardServers() {
	for _, v := range d.views {
		if v.asked.IsZero() {
			continue
		}
		if !servers.Heard(v.latest.Table, v.asked) {
			if d.o.Now().Sub(v.asked) >= verifyWait {
				v.asked = time.Time{}
				if v == d.view {
					d.say(term.Trouble, "the servers did not tell who watches what")
				}
			}
			continue
		}
		v.asked = time.Time{}
		if v == d.view {
			st, text := servers.Verdict(v.latest)
			d.say(st, text)
		}
	}
}
