package check

import (
	"time"

	"electop/model"
	"electop/model/units"
	"electop/ui/cli/command"
)

var frozen = Check{
	Name:   "frozen",
	Title:  "a leader that was frozen until its session expired stops leading when it wakes",
	Source: "ZooKeeper Programmer's Guide, Sessions: a paused process cannot renew its session",
	needs:  following,
	do: func(w *world) {
		leader, began := w.start(3), time.Now()
		in := leader.of
		in.signal(model.Frozen, command.Suspend)
		w.takesOver(leader, began, Timeout+tick+grace)
		woke := time.Now()
		in.signal(model.NoFault, command.Continue)
		at, ok := w.stops(in, woke, Timeout/2)
		if !ok {
			w.fail("%s still believes that it leads, %s after it woke", in.id, units.Exact(Timeout/2))
		}
		w.note("for %s after it woke, it believed that it leads", units.Took(at.Sub(woke)))
	},
}
