package doctor

import (
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// predecessors remembers when contenders left, as far as that changed the
// predecessor of another. States share it: it is copied before each write.
type predecessors struct {
	// before is when the last contender right before another left, by that other.
	before map[dialect.ID]time.Time
	// floor is the zxid before which nothing is remembered.
	floor time.Time
	// latest is the zxid of the last departure.
	latest time.Time
	shared bool
}

// predecessorsMax bounds what is remembered. What is older than the tables that
// are compared is dropped anyway.
const predecessorsMax = 4096

// scanMax is up to how many contenders between one and whom it watches are
// looked at one by one.
const scanMax = 256

// left notes that the contender before next is gone.
func (d *predecessors) left(at time.Time, next *dialect.Candidate) {
	d.latest = session.Later(d.latest, at)
	if next == nil {
		return
	}
	if len(d.before) >= predecessorsMax {
		d.forget(at)
	}
	d.own()
	d.before[next.ID()] = at
}

// forget drops what is remembered: all may have changed at that time.
func (d *predecessors) forget(at time.Time) {
	d.before, d.shared = nil, false
	d.floor = session.Later(d.floor, at)
}

func (d *predecessors) own() {
	switch {
	case d.before == nil:
		d.before = make(map[dialect.ID]time.Time)
	case d.shared:
		before := make(map[dialect.ID]time.Time, len(d.before)+1)
		for id, at := range d.before {
			before[id] = at
		}
		d.before = before
	}
	d.shared = false
}

// prune drops what is older than from.
func (d *predecessors) prune(from time.Time) {
	for _, at := range d.before {
		if at.Before(from) {
			d.own()
			for id, at := range d.before {
				if at.Before(from) {
					delete(d.before, id)
				}
			}
			return
		}
	}
}

// since returns the time since when, at the latest, the contender at i has had to
// watch the one at t: no contender between them, or before the one at t (rules may
// look for the first of a kind), left later.
func (d *predecessors) since(queue dialect.Queue, t, i int) time.Time {
	at := session.Later(d.floor, session.Later(queue.At(i).SeenAt, queue.At(t).SeenAt))
	if i-t > scanMax {
		return session.Later(at, d.latest)
	}
	for k := min(t, i); k <= i; k++ {
		at = session.Later(at, d.before[queue.At(k).ID()])
	}
	return at
}
