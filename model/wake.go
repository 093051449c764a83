package model

import (
	"slices"
	"time"

	"electop/model/dialect"
)

// Woken is a [Wake] with what the journal knows of the deleted child.
type Woken struct {
	Wake
	// Candidate is the child that was deleted, nil if it was never seen.
	Candidate *dialect.Candidate
	// Leader says that it was the head of the queue: another one, or nobody, is since.
	Leader bool
	Recipe string // that was followed then
}

// wakes are the last deletions that the server reported: before a read can show that the
// child is gone (see [Wake]). Nothing in it is written in place.
type wakes struct {
	last      []*Woken // oldest first, at most [HistoryMax]
	deletions deletionLog
}

// add applies what a deletion caused: the first report, or later numbers. It reports
// whether it is the first.
func (w *wakes) add(cs *children, o *Wake) bool {
	if w.deletions.of(o.Znode, o.Zxid-1) == o.Zxid {
		w.amend(o.Zxid-1, o.Znode, func(x *Woken) bool {
			again := x.Zxid == o.Zxid
			if again {
				x.Wake = *o
			}
			return again
		})
		return false
	}
	c := cs.known[o.Znode]
	if c != nil && (c.Czxid >= o.Zxid || w.deletions.of(c.Name, c.Czxid) != 0) {
		c = nil // another one of that name, which was not read
	}
	w.deletions.add(o.Znode, o.Zxid)
	w.last = remember(w.last, &Woken{Wake: *o, Candidate: c, Recipe: cs.recipe.Name()})
	return true
}

// existed notes that a child existed at a zxid: if its deletion was reported before it was
// read, it is now known who was deleted.
func (w *wakes) existed(c *dialect.Candidate, from int64) {
	if end := w.deletions.of(c.Name, from); end != 0 {
		w.amend(from, c.Name, func(x *Woken) bool {
			if x.Zxid == end {
				x.Candidate = c
			}
			return x.Zxid == end
		})
	}
}

// led notes that a deleted child was the head of the queue.
func (w *wakes) led(c *dialect.Candidate) {
	w.amend(c.Czxid, c.Name, func(x *Woken) bool {
		x.Leader = x.Candidate != nil && x.Candidate.ID() == c.ID()
		return x.Leader
	})
}

// deletionTime narrows down when a child was deleted, if the server reported it.
func (w *wakes) deletionTime(c *dialect.Candidate, m timeBounds) timeBounds {
	for _, x := range slices.Backward(w.last) {
		if x.Zxid <= c.Czxid {
			break
		}
		if x.Znode == c.Name && x.Candidate != nil && x.Candidate.ID() == c.ID() && !x.Deleted.IsZero() {
			return seenAt(wall(x.Deleted))
		}
	}
	return m
}

// amend changes what is remembered of the deletions of a name after a zxid; change reports
// whether it did. States share the old ones.
func (w *wakes) amend(after int64, name string, change func(x *Woken) bool) {
	for i := len(w.last) - 1; i >= 0 && w.last[i].Zxid > after; i-- {
		if w.last[i].Znode != name {
			continue
		}
		if x := *w.last[i]; change(&x) {
			w.last = replaced(w.last, i, &x)
		}
	}
}

// stale reports whether the znode of the write's leader had been deleted before
// the write. For the counter the two zxids say so. For what has none the order
// of the observations does: a [Wake] comes before all that was done after it.
func (w *wakes) stale(cs *children, o *Write) bool {
	told := &w.deletions
	deleted := told.of(o.Znode, o.Token)
	if deleted == 0 && 0 < o.Token && o.Token <= told.floor {
		// It is older than the log: if it is not there now, it was deleted before.
		if c := cs.known[o.Znode]; c == nil || c.Czxid != o.Token {
			deleted = told.floor
		}
	}
	return deleted != 0 && (o.Zxid == 0 || deleted < o.Zxid)
}

// deletionLog has the deletions that [Wake] observations reported, by their zxids: the last
// deletionsMax. States do not have it.
type deletionLog struct {
	last []deletion // oldest first
	// floor is the zxid up to which deletions may be missing: of the last forgotten one, or
	// of the first read of the election.
	floor int64
}

type deletion struct {
	name string // of the child
	zxid int64
}

const deletionsMax = 4096

func (e *deletionLog) add(name string, zxid int64) {
	if len(e.last) == deletionsMax {
		e.floor = e.last[0].zxid
	}
	e.last = keep(e.last, deletion{name, zxid}, deletionsMax)
}

// of returns when the child of that name was deleted that was created at czxid,
// 0 if that was not reported. A name may be used again.
func (e *deletionLog) of(name string, czxid int64) (zxid int64) {
	for _, d := range e.after(czxid) {
		if d.name == name {
			return d.zxid
		}
	}
	return 0
}

// after returns those after a zxid, oldest first.
func (e *deletionLog) after(zxid int64) []deletion {
	i := len(e.last)
	for i > 0 && e.last[i-1].zxid > zxid {
		i--
	}
	return e.last[i:]
}

// Costs are handoffs that show what a rule costs, newest first, at most [CostsMax] of
// each: with the predecessor rule, and with the herd.
type Costs struct{ Chain, Herd []*Woken }

// CostsMax bounds [Costs].
const CostsMax = 6

// Costs returns the last handoffs of each rule, since a moment, whose effects the server
// counted.
func (s *State) Costs(since time.Time) (c Costs) {
	for _, w := range slices.Backward(s.Wakes) {
		n := w.Others()
		switch {
		case w.Deleted.Before(since) || !w.Leader || n == 0:
		case w.Recipe == dialect.Election().Name() && n == 1 && len(c.Chain) < CostsMax:
			c.Chain = append(c.Chain, w)
		// When the rule has just changed, they still watch by the old one. With one waiting
		// candidate both rules are the same: that says nothing about a longer queue.
		case w.Herd() && (n > 1 || s.Queue.Len() == 2) && len(c.Herd) < CostsMax:
			c.Herd = append(c.Herd, w)
		}
	}
	return c
}

// Herd reports whether everybody watched the leader by the rule of then.
func (w *Woken) Herd() bool { return w.Recipe == dialect.Herd().Name() }

// Others counts who was notified besides the owner of the deleted znode: a leader
// watches its own znode, and is notified when it resigns.
func (w *Woken) Others() int {
	n := len(w.Notified)
	if w.Candidate != nil && w.Candidate.Session != 0 && slices.Contains(w.Notified, w.Candidate.Session) {
		n--
	}
	return n
}

// Notified is how often a session was notified of the deletion of a znode that it
// watched, as far as the server reported.
func (s *State) Notified(session uint64) int { return s.notified[session] }
