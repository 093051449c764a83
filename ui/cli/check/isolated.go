package check

import (
	"time"

	"electop/model/units"
)

var isolated = Check{
	Name:   "isolated",
	Title:  "a leader whose server no longer answers stops leading before its session expires",
	Source: "ZooKeeper Programmer's Guide, Sessions: a client that gets no answer must expect that its session expires",
	needs:  following,
	do: func(w *world) {
		leader, began := w.start(3), time.Now()
		in := leader.of
		in.isolate()
		expired := w.awaitGone(leader)
		at, ok := w.stops(in, began, grace)
		in.heal()
		switch {
		case !ok:
			w.fail("%s still believes that it leads, %s after its session expired", in.id, units.Took(time.Since(expired)))
		case at.After(expired.Add(jitter)):
			w.fail("for %[2]s after its session had expired, %[1]s still believed that it leads", in.id, units.Took(at.Sub(expired)))
		case !at.After(expired):
			w.note("stopped %s before the expiry", units.Took(expired.Sub(at)))
		}
	},
}
