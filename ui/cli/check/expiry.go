package check

import (
	"time"

	"electop/model/units"
)

var expiry = Check{
	Name:   "expiry",
	Title:  "a leader without connection stops leading before the next one leads, and volunteers again",
	Source: "ZooKeeper Programmer's Guide, Sessions: without a connection for the timeout the session expires",
	do: func(w *world) {
		leader, began := w.start(3), time.Now()
		in := leader.of
		in.cut()
		expired := w.awaitGone(leader)
		w.takesOver(leader, began, grace)
		if w.p.Following != nil {
			at, ok := w.stops(in, began, grace)
			w.oneLeader(began)
			if !ok {
				w.fail("%s still believes that it leads, %s after its session expired", in.id, units.Took(time.Since(expired)))
			}
			w.note("stopped %s after the connection was lost", units.Took(at.Sub(began)))
		}
		in.heal()
		if !w.await(Timeout+2*grace, func() bool { return w.takesPart(in) || in.ended() }) {
			w.fail("%s after its session expired, %s has not volunteered again: %s", units.Took(time.Since(expired)), in.id, in.lastOutput())
		}
		if in.ended() {
			w.note("the old leader ended after it had lost its connection: %s", in.how)
		}
		w.needLeading()
		if w.p.Following == nil {
			w.unknown("without --following the output does not show when a leader stops leading")
		}
	},
}
