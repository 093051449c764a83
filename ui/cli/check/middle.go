package check

import (
	"slices"
	"time"

	"electop/model/units"
)

var middle = Check{
	Name:   "middle",
	Title:  "when a waiting instance in the middle crashes, the one behind it watches the new predecessor",
	Source: "recipe Leader Election: otherwise watch the new predecessor",
	do: func(w *world) {
		w.start(max(4, w.p.Instances))
		began := time.Now()
		watched := true
		if w.p.single != "" {
			w.all()[2].kill()
			w.pause(Timeout + tick)
		} else {
			second, third, fourth := w.candidate(1), w.candidate(2), w.candidate(3)
			watched = slices.Contains(third.Watchers, fourth.Owner)
			third.of.kill()
			w.awaitGone(third)
			watches := func() bool { return slices.Contains(w.candidate(1).Watchers, fourth.Owner) }
			if watched && !w.await(grace, watches) {
				w.fail("%s after %s was deleted, %s does not watch %s", units.Exact(grace), third.Name, fourth.of.id, second.Name)
			}
		}
		w.rest()
		for _, in := range w.all() {
			if at, ok := in.turned(true, began); ok {
				w.fail("%s began to lead, %s after another waiting instance crashed", in.id, units.Took(at.Sub(began)))
			}
		}
		if !watched {
			w.unknown("nobody else began to lead, but the next instance did not watch the one that crashed")
		}
	},
}
