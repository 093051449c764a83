package model

import (
	"maps"
	"time"
)

// Due is a session's deadline with the moment for which it is known.
type Due struct {
	Deadline
	At time.Time
}

// deadlinesKept is for how long after its end a session's deadline is kept.
const deadlinesKept = time.Minute

// dues returns the deadlines by session after o. A map that a state has is not written.
func dues(known map[uint64]Due, o *Deadlines) map[uint64]Due {
	next := maps.Clone(known)
	if next == nil {
		next = make(map[uint64]Due, len(o.Sessions))
	}
	at := wall(o.At)
	maps.DeleteFunc(next, func(_ uint64, d Due) bool { return at.Sub(d.Expires) > deadlinesKept && at.Sub(d.At) > deadlinesKept })
	for _, d := range o.Sessions[:min(len(o.Sessions), DeadlinesMax)] {
		d.Expires = wall(d.Expires)
		next[d.Session] = Due{d, at}
	}
	return next
}
