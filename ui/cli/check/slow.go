package check

import (
	"time"

	"electop/model/units"
)

var slow = Check{
	Name:   "slow",
	Title:  "on a slow network there is no busy loop and no false handoff",
	Source: "liveness: a slow network is no failure",
	do: func(w *world) {
		leader := w.start(3)
		for _, in := range w.all() {
			in.link.SetLatency(slowBy, slowBy)
		}
		w.pause(2 * slowBy)
		began := time.Now()
		w.pause(2 * Timeout)
		for _, in := range w.all() {
			if _, elected := in.turned(true, began); elected && in != leader.of || !w.exists(leader) || w.candidate(0).path != leader.path {
				w.fail("with a delay of %s in each direction, %s did not stay the only leader", units.Exact(slowBy), leader.of.id)
			}
			if n := float64(len(in.messages(began))) / time.Since(began).Seconds(); n > busy {
				w.fail("with a delay of %s in each direction, %s sends and receives %.0f messages a second", units.Exact(slowBy), in.id, n)
			}
		}
		if _, stopped := leader.of.turned(false, began); stopped {
			w.note("the leader stopped leading, but kept its znode")
		}
	},
}

const (
	slowBy = 300 * time.Millisecond
	busy   = 3 // messages a second
)
