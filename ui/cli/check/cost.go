package check

import (
	"time"

	"electop/zkwatch/wire"
)

var cost = Check{
	Name:   "cost",
	Title:  "a handoff costs the same with 3 and with 12 instances",
	Source: "recipe Leader Election: only the next candidate is notified, which avoids the herd effect",
	do: func(w *world) {
		notified3, requested3 := w.handoffCost(w.start(3))
		notified12, requested12 := w.handoffCost(w.start(10)) // 12 in all, because one of the first three has left
		w.note("%d and %d notifications, %d and %d requests", notified3, notified12, requested3, requested12)
		// The cost grows if each of the 9 further instances adds half a message or more.
		grow := notified12-notified3 > 4 || requested12-requested3 > 4
		switch {
		case grow && w.p.single != "":
			w.unknown("a single-znode election notifies everybody: %s", w.notes[0])
		case grow:
			w.fail("%s", w.notes[0])
		}
	},
}

func (w *world) handoffCost(leader candidate) (notified, requested int) {
	began := time.Now()
	leader.of.terminate()
	w.takesOver(leader, began, Timeout+grace)
	w.rest()
	for _, in := range w.all() {
		for _, m := range in.messages(began) {
			switch {
			case in == leader.of:
			case m.op == wire.OpNotification:
				notified++
			default:
				requested++
			}
		}
	}
	return notified, requested
}
