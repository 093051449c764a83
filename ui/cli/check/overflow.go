package check

import (
	"math"
	"time"
)

var overflow = Check{
	Name:   "overflow",
	Title:  "two candidates with the last sequence number do not lead together",
	Source: "ZooKeeper since 3.6 gives 2147483647 to all later znodes, and lists children in no fixed order",
	needs:  queued | leading,
	next:   math.MaxInt32 - 1, // if next is set, the server also lists the newest child first
	do: func(w *world) {
		began := time.Now()
		leader := w.start(2)
		start := time.Since(began) // the time for two instances, so enough for one
		began = time.Now()
		leader.of.terminate()
		leader = w.takesOver(leader, began, grace)
		if in := w.add(); !w.join(in, start+Timeout+grace) {
			w.note("further instances cannot join: %s", in.lastOutput())
			return
		}
		w.rest()
		if l := w.leaders(); len(l) > 1 {
			w.fail("%s and %s both believe that they lead", l[0].id, l[1].id)
		}
		began = time.Now()
		leader.of.terminate()
		w.takesOver(leader, began, grace)
	},
}
