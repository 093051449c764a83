package check

import (
	"cmp"
	"time"

	"electop/model/units"
)

var idle = Check{
	Name:   "idle",
	Title:  "an election in which nothing happens costs only pings and lease renewals",
	Source: "recipe Leader Election: a candidate waits for a notification; it does not poll",
	do: func(w *world) {
		w.start(3)
		lasts := cmp.Or(w.p.Idle, time.Minute)
		count := func() (pings, renewals float64) {
			for _, in := range w.all() {
				pings, renewals = pings+float64(in.facts().pings), renewals+float64(in.facts().renewals)
			}
			return pings, renewals
		}
		began := time.Now()
		pings0, renewals0 := count()
		w.pause(lasts)
		pings, renewals := count()
		for _, in := range w.all() {
			if m := in.messages(began); len(m) > 0 {
				w.fail("%s sent or received %d messages besides pings and lease renewals in %s, the first about %q", in.id, len(m), units.Exact(lasts), m[0].path)
			}
		}
		w.note("%.1f pings a second from each instance", (pings-pings0)/lasts.Seconds()/float64(len(w.all())))
		if renewals > renewals0 {
			w.note("the leader renews a lease %.1f times a second", (renewals-renewals0)/lasts.Seconds())
		}
	},
}
