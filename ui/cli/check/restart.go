package check

import (
	"time"

	"electop/model/units"
)

var restart = Check{
	Name:   "restart",
	Title:  "after 1 s without connections, as in a restart of the server, there is one leader, and everybody takes part",
	Source: "liveness: sessions survive a restart that keeps the data, or the instances volunteer again",
	do:     func(w *world) { w.recovers(func() { w.pause(time.Second) }) },
}

var restartEmpty = Check{
	Name:   "restart-empty",
	Title:  "after a restart of the server without its data there is one leader, and everybody takes part",
	Source: "liveness: all sessions and znodes are gone, so the instances must volunteer again; CURATOR-724 (the parent is gone, too, if the program creates it)",
	do:     func(w *world) { w.recovers(w.restart) },
}

func (w *world) recovers(down func()) {
	w.start(3)
	began := time.Now()
	for _, in := range w.all() {
		in.link.Cut()
	}
	down()
	up := time.Now()
	for _, in := range w.all() {
		in.link.Heal()
	}
	for _, in := range w.all() {
		if !w.await(time.Until(up.Add(2*Timeout+2*grace)), func() bool { return w.takesPart(in) }) {
			w.fail("%s after the restart, %s does not take part: %s", units.Took(time.Since(up)), in.id, in.lastOutput())
		}
	}
	w.rest()
	why := w.disorder()
	if why != "" && len(w.leaders()) > 1 && w.p.Following == nil {
		w.unknown("without --following the output does not show when a leader stops leading")
	} else if why != "" {
		w.fail("%s after the restart, %s", units.Took(time.Since(up)), why)
	}
	w.oneLeader(began)
	w.needLeading()
}
