package check

import (
	"fmt"
	"strings"
	"time"

	"electop/model/units"
)

var deleted = Check{
	Name:   "deleted",
	Title:  "an instance notices that somebody deleted its znode",
	Source: "safety: a znode that is gone gives neither leadership nor a place in the queue; CURATOR-171",
	do: func(w *world) {
		leader := w.start(max(4, w.p.Instances))
		var wrong []string
		if w.p.single == "" {
			waiting := w.candidate(1)
			in, began := waiting.of, w.deleteZnode(waiting)
			// It is enough if the instance notices when its predecessor leaves.
			if !w.await(time.Second, func() bool { return w.back(in) }) {
				leader.of.terminate()
				w.awaitGone(leader)
			}
			if !w.await(Timeout+grace, func() bool { return w.back(in) }) {
				wrong = append(wrong, fmt.Sprintf("%s, which waited, has no znode, %s after somebody deleted its znode", in.id, units.Took(time.Since(began))))
			}
			w.rest()
			leader = w.candidate(0)
		}
		in, began := leader.of, w.deleteZnode(leader)
		w.await(2*Timeout+grace, func() bool { return w.back(in) || w.p.Following != nil && !in.leads() })
		switch back := w.back(in); {
		case !back && in.leads() && w.p.Following != nil:
			wrong = append(wrong, fmt.Sprintf("%s leads without a znode, %s after somebody deleted its znode", in.id, units.Took(time.Since(began))))
			fallthrough
		case len(wrong) > 0:
			w.fail("%s", strings.Join(wrong, "; "))
		case !back && w.p.Following == nil:
			w.unknown("the leader has no znode any more; without --following the output does not show whether it leads")
		}
	},
}

func (w *world) deleteZnode(c candidate) (at time.Time) {
	if err := w.stranger().Delete(w.ctx, c.path, -1); err != nil {
		w.unknown("%v", err)
	}
	return time.Now()
}

func (w *world) back(in *instance) bool { return len(w.candidatesOf(in)) > 0 || in.ended() }
