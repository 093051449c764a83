package check

import (
	"slices"
	"time"

	"electop/model/units"
)

var loss = Check{
	Name:   "connection-loss",
	Title:  "after a short loss of the connection a waiting instance keeps its place, and there is no second leader",
	Source: "ZooKeeper Programmer's Guide, Sessions: a session survives a reconnect within its timeout; without a connection a client cannot know whether it still leads",
	do: func(w *world) {
		leader := w.start(w.p.Instances)
		waiting := candidate{of: w.all()[1]}
		if w.p.single == "" {
			waiting = w.candidate(1)
		}
		w.losesConnection(waiting)
		if w.p.single == "" && !w.exists(waiting) {
			w.fail("%s replaced its znode %s, although its session survived", waiting.of.id, waiting.Name)
		}
		in, began := leader.of, w.losesConnection(leader)
		if _, paused := in.turned(false, began); !paused && w.p.Following != nil {
			w.fail("%s believed all the time that it leads, while its connection was lost for %s", in.id, units.Exact(cutFor))
		}
		if !w.exists(leader) {
			w.note("the leader resigned and volunteered again")
			w.takesOver(leader, began, grace)
		} else if w.p.Leading != nil && !w.await(grace, in.leads) {
			w.fail("%s still has the first znode, but it does not lead again", in.id)
		}
	},
}

// cutFor is short, because a Java client waits up to 1 s more before it reconnects.
const cutFor = 200 * time.Millisecond

func (w *world) losesConnection(c candidate) (began time.Time) {
	in, before := c.of, c.of.facts()
	w.await(Timeout, func() bool { return in.facts().pings > before.pings }) // a ping extends the session
	began = time.Now()
	in.cut()
	w.pause(cutFor)
	in.heal()
	opened := func(id int64) bool { return !slices.Contains(before.sessions, id) }
	added := func() []int64 { return in.facts().sessions[len(before.sessions):] }
	continued := func() bool { return slices.Contains(added(), before.session) || in.ended() }
	w.await(Timeout+grace, func() bool { return continued() || slices.ContainsFunc(added(), opened) })
	switch at := in.facts().sessionAt.Sub(began); {
	case continued():
	case at > 0 && at < Timeout/2:
		w.fail("%s opened a new session %s after its connection was lost, although the old one had not expired", in.id, units.Took(at))
	default:
		w.unknown("%s did not reconnect within %s", in.id, units.Exact(Timeout/2))
	}
	w.rest()
	switch n := len(w.candidatesOf(in)); {
	case in.ended():
		w.fail("%s ended when its connection was lost: %s", in.id, in.lastOutput())
	case n > 1:
		w.fail("%s has %d znodes", in.id, n)
	}
	w.oneLeader(began)
	return began
}
