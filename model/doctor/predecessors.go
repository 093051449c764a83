package doctor

import (
	"cmp"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/immutable"
	"electop/model/session"
)

// predecessors remembers when contenders left, as far as that changed the
// predecessor of another. States share it.
type predecessors struct {
	// before is when the last contender right before another left, in the order of that
	// other's identity.
	before immutable.List[departure]
	// floor is the zxid before which nothing is remembered.
	floor time.Time
	// latest is the zxid of the last departure.
	latest time.Time
}

// departure is when the contender right before one left.
type departure struct {
	before dialect.ID
	at     time.Time
}

// find returns where that of a contender is, or belongs.
func (d *predecessors) find(id dialect.ID) (i int, known bool) {
	return d.before.Find(func(x departure) int {
		if x.before.Czxid != id.Czxid {
			return cmp.Compare(x.before.Czxid, id.Czxid)
		}
		return cmp.Compare(x.before.Name, id.Name)
	})
}

// of returns when the contender right before one left last, zero for never.
func (d *predecessors) of(c *dialect.Candidate) time.Time {
	if i, known := d.find(c.ID()); known {
		return d.before.At(i).at
	}
	return time.Time{}
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
	if d.before.Len() >= predecessorsMax {
		d.forget(at)
	}
	i, known := d.find(next.ID())
	if known {
		d.before = d.before.Delete(i)
	}
	d.before = d.before.Insert(i, departure{next.ID(), at})
}

// forget drops what is remembered: all may have changed at that time.
func (d *predecessors) forget(at time.Time) {
	d.before = immutable.List[departure]{}
	d.floor = session.Later(d.floor, at)
}

// prune drops what is older than from.
func (d *predecessors) prune(from time.Time) {
	old := func(x departure) bool { return x.at.Before(from) }
	if d.before.Index(old) >= 0 {
		d.before = immutable.ListOf(slices.DeleteFunc(d.before.Slice(), old))
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
		at = session.Later(at, d.of(queue.At(k)))
	}
	return at
}
