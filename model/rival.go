package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// RivalWait is how long a rival must last before it counts for [MixedClients]. By then a table usually
// shows the watch of a candidate that waits. A rival that is new in a snapshot counts without this wait.
const RivalWait = 3 * time.Second

type rivals struct {
	now       []dialect.Rival
	waiters   []dialect.ID // candidates that watch a lower child, according to a table
	contested []dialect.ID // rivals that counted for [MixedClients], unless Unaware then set a watch; at most [HistoryMax]
}

func (r *rivals) find(d *dialect.Dialect, cs *children, w *watches, path string, since time.Time) {
	was := r.now
	r.now = nil
	if !cs.mixed {
		return
	}
	for _, x := range d.Rivals(cs.queue, cs.rest) {
		id := x.Unaware.ID()
		if !slices.Contains(r.waiters, id) && w.waits(x.Unaware, cs, path) {
			r.waiters = append(slices.DeleteFunc(r.waiters, func(id dialect.ID) bool { return cs.known[id.Name] == nil }), id)
			r.contested = slices.DeleteFunc(r.contested, func(id dialect.ID) bool { return id == x.ID() })
		}
		if slices.Contains(r.waiters, id) {
			continue
		}
		x.Since = since
		for _, old := range was {
			if old.ID() == x.ID() && old.Unaware.ID() == id {
				x.Since = old.Since
			}
		}
		r.now = append(r.now, x)
	}
}

// contest ignores a rival while a message of Unaware is held, because Unaware may be about to set its watch.
func (r *rivals) contest(at time.Time, pace *Pace) (found bool) {
	for _, x := range r.now {
		if at.Sub(x.Since) < RivalWait || pace.Holds(x.Unaware.Session) {
			continue
		}
		found = true
		if id := x.ID(); !slices.Contains(r.contested, id) && len(r.contested) < HistoryMax {
			r.contested = append(r.contested, id)
		}
	}
	return found
}
