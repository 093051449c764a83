package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/immutable"
)

// Woken is a [Wake] with what the journal knows of the deleted child.
type Woken struct {
	Wake
	// Candidate is the child that was deleted, nil if it was never seen.
	Candidate *dialect.Candidate
	// Leader says that it held the role: this is the wake of a handoff.
	Leader bool
	Recipe string // that was followed then
	// Contenders is how many contenders there were, itself included. One that was
	// created and deleted unread does not count.
	Contenders int
}

// # Wakes and reads
//
// A server reports a deletion before a read can show that the child is gone (see
// [Wake]). So the contenders of that moment are in the queue, except for those whose
// deletion was reported before and not read yet, and those that were created since
// the last read: the read that shows them comes later, and corrects the record.

// wakes is what the journal keeps to know that. Nothing in it is written in
// place.
type wakes struct {
	last      []*Woken // oldest first, at most [HistoryMax]
	kept      []*Woken // older ones that show what a rule costs: see [State.Costs]
	deletions deletionLog
	// deleted are the contenders in the queue whose deletion was reported, in the
	// order of the queue: no read shows it yet.
	deleted dialect.Queue
}

// add applies what a deletion caused: the first report, or later numbers. It reports
// whether it is the first.
func (w *wakes) add(cs *children, o *Wake) bool {
	if w.deletions.of(o.Znode, o.Zxid-1) == o.Zxid {
		w.amend(o.Zxid-1, func(x *Woken) bool {
			again := x.Zxid == o.Zxid && x.Znode == o.Znode
			if again {
				x.Wake = *o
			}
			return again
		})
		return false
	}
	c := cs.known[o.Znode]
	if c != nil && (c.Czxid >= o.Zxid || w.ended(cs, c)) {
		c = nil // another one of that name, which was not read
	}
	queue := cs.queue
	if cs.unread > 0 {
		queue = immutable.ListOf(slices.DeleteFunc(queue.Slice(), func(c *dialect.Candidate) bool { return c.Unread }))
	}
	x := &Woken{Wake: *o, Candidate: c, Recipe: cs.recipe.Name(), Contenders: queue.Len() - w.deleted.Len()}
	if cs.leads(c) {
		at, _ := Position(cs.recipe, queue, c)
		ahead, _ := Position(cs.recipe, w.deleted, c)
		x.Leader = at == ahead
	}
	// The end of a session deletes all that it owns at once.
	for i := len(w.last) - 1; i >= 0 && w.last[i].Zxid == o.Zxid; i-- {
		x.Contenders, x.Leader = w.last[i].Contenders, x.Leader && !w.last[i].Leader
	}
	w.deletions.add(o.Znode, o.Zxid)
	if c != nil {
		w.addDeleted(cs, c)
	}
	if len(w.last) == HistoryMax {
		w.kept = keepCost(w.kept, w.last[0])
	}
	w.last = remember(w.last, x)
	return true
}

// addDeleted notes that a child that the last read shows is deleted.
func (w *wakes) addDeleted(cs *children, c *dialect.Candidate) {
	if !cs.counts(c) {
		return
	}
	i, _ := Position(cs.recipe, w.deleted, c)
	w.deleted = w.deleted.Insert(i, c)
}

// sort finds the deleted contenders again, by another recipe. read is the parent's
// pzxid at the last read.
func (w *wakes) sort(cs *children, read int64) {
	w.deleted = dialect.Queue{}
	for _, e := range w.deletions.after(read) {
		if c := cs.known[e.name]; cs.counts(c) && c.Czxid < e.zxid && !w.ended(cs, c) {
			w.addDeleted(cs, c)
		}
	}
}

// gone drops the deleted contenders that are no longer in the queue.
func (w *wakes) gone(cs *children) {
	if w.deleted.Len() == 0 {
		return
	}
	var still []*dialect.Candidate
	for _, c := range w.deleted.All() {
		if cs.has(c) {
			still = append(still, c)
		}
	}
	w.deleted = immutable.ListOf(still)
}

// ended reports whether a [Wake] reported the deletion of a child that the last read
// shows.
func (w *wakes) ended(cs *children, c *dialect.Candidate) bool {
	if !cs.counts(c) {
		return w.deletions.of(c.Name, c.Czxid) != 0
	}
	_, found := Position(cs.recipe, w.deleted, c)
	return found
}

// led reports whether c, of the queue, was the first when it was deleted at
// zxid.
func (w *wakes) led(cs *children, c *dialect.Candidate, zxid int64) bool {
	if !cs.leads(c) {
		return false
	}
	for _, x := range cs.queue.All() {
		if cs.order(x, c) >= 0 {
			break
		}
		end := w.deletions.of(x.Name, x.Czxid)
		if cs.counts(x) && x.Czxid < zxid && (end == 0 || end >= zxid) {
			return false
		}
	}
	return true
}

// came corrects the records of deletions that were reported before c was read and
// happened after it was created: c was there.
func (w *wakes) came(cs *children, c *dialect.Candidate, from int64) {
	if len(w.deletions.after(from)) == 0 {
		return
	}
	counts := cs.counts(c)
	end := w.deletions.of(c.Name, from)
	w.amend(from, func(x *Woken) bool {
		if end == x.Zxid && x.Znode == c.Name {
			if counts && x.Candidate == nil {
				x.Contenders++
			}
			x.Candidate = c
			x.Leader = w.led(cs, c, end)
			return true
		}
		if !counts || end != 0 && end < x.Zxid {
			return false
		}
		x.Contenders++
		x.Leader = x.Leader && cs.order(c, x.Candidate) > 0
		return true
	})
	if end != 0 {
		w.addDeleted(cs, c)
	}
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

// amend changes what is remembered of the deletions after a zxid; change reports
// whether it did. States share the old ones.
func (w *wakes) amend(after int64, change func(x *Woken) bool) {
	old := w.last
	var changed []*Woken
	for i := len(old) - 1; i >= 0 && old[i].Zxid > after; i-- {
		x := *old[i]
		if !change(&x) {
			continue
		}
		if changed == nil {
			changed = make([]*Woken, len(old), cap(old))
			copy(changed, old)
		}
		changed[i] = &x
	}
	if changed != nil {
		w.last = changed
	}
}

// keepCost adds a deletion that is no longer in [State.Wakes] to those that are kept
// for [State.Costs], at most [CostsMax] of each rule. States share the old ones.
func keepCost(kept []*Woken, w *Woken) []*Woken {
	if !w.tells() {
		return kept
	}
	same := func(x *Woken) bool { return x.Herd() == w.Herd() }
	next := append(make([]*Woken, 0, len(kept)+1), kept...)
	n := 0
	for _, x := range kept {
		if same(x) {
			n++
		}
	}
	if n == CostsMax {
		i := slices.IndexFunc(next, same)
		next = slices.Delete(next, i, i+1)
	}
	return append(next, w)
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

// tells reports whether it is a handoff that shows what its rule costs.
func (w *Woken) tells() bool {
	if !w.Leader || w.Contenders < 2 || !w.Herd() && w.Recipe != dialect.Election().Name() {
		return false // with one contender, nobody could be notified
	}
	// When the rule has just changed, they still watch by the old one, or do not watch
	// yet.
	n := w.Others()
	return n > 0 && (w.Contenders == 2 || n > 1 == w.Herd())
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

// CostsMax is how many handoffs of each rule are remembered for [State.Costs], however
// many deletions there were since: when all candidates change to another rule, a znode
// of each is deleted.
const CostsMax = 6

// Costs returns the last handoffs of each rule, since a moment, whose effects the server
// counted.
func (s *State) Costs(since time.Time) (c Costs) {
	for _, list := range [][]*Woken{s.Wakes, s.kept} {
		for _, w := range slices.Backward(list) {
			if w.Deleted.Before(since) || !w.tells() || w.Contenders == 2 && s.Queue.Len() > 2 {
				// With one waiting candidate both rules are the same: this says nothing
				// about a longer queue.
				continue
			}
			to := &c.Chain
			if w.Herd() {
				to = &c.Herd
			}
			if len(*to) < CostsMax {
				*to = append(*to, w)
			}
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
