package check

import (
	"time"

	"electop/model/units"
	"electop/zkwatch/wire"
)

var takeover = Check{
	Name:   "takeover",
	Title:  "the next one leads after the leader resigns, crashes or loses its session",
	Source: "recipe Leader Election: when the watched znode is deleted, read the children again; if the own znode is the smallest, lead",
	do: func(w *world) {
		leader := w.start(max(4, w.p.Instances))
		for _, act := range []struct {
			what  string
			do    func(candidate)
			limit time.Duration
		}{
			{"SIGTERM", func(c candidate) { c.of.terminate() }, grace},
			{"SIGKILL", func(c candidate) { c.of.kill() }, Timeout + tick + grace},
			{"expiry", func(c candidate) { _ = w.server.ExpireSession(c.Owner) }, grace},
		} {
			began := time.Now()
			act.do(leader)
			if !w.await(Timeout+grace, func() bool { return !w.exists(leader) }) {
				w.fail("%s after %s, %s still has its znode", units.Took(time.Since(began)), act.what, leader.of.id)
			}
			if act.what == "SIGTERM" {
				w.leavesCleanly(leader, began)
			}
			leader = w.takesOver(leader, began, act.limit)
			w.note("%s %s", act.what, units.Took(time.Since(began)))
			w.rest()
		}
		w.needLeading()
	},
}

func (w *world) leavesCleanly(leader candidate, began time.Time) {
	in := leader.of
	for _, m := range in.messages(began) {
		if m.op == wire.OpCloseSession || m.op == wire.OpMulti || m.op == wire.OpDelete && m.path == leader.path {
			return
		}
	}
	w.fail("after SIGTERM %s did not close its session: its znode stayed until the session expired", in.id)
}
