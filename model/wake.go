package model

import (
	"slices"

	"electop/model/dialect"
)

// Woken is a [Wake] with what the journal knows of the deleted child.
type Woken struct {
	Wake
	// Candidate is the child that was deleted, nil if it was never seen.
	Candidate *dialect.Candidate
	// Leader says that it held the role: this is the wake of a handoff.
	Leader bool
	Recipe string // that was followed then
	// Stood is how many contenders stood when it went, itself included. One that
	// came and went unread does not count.
	Stood int
}

// # Wakes and reads
//
// A server tells of a deletion before anybody can read that the child is gone
// (see [Wake]). So who stood then is in the queue, but for those whose deletion
// was told before and not read yet, and those who were created since the last
// read: the one that shows them comes later, and puts right what was said.

// deletions is what the journal keeps to know that. Nothing in it is written in
// place.
type deletions struct {
	told deletionLog
	// fallen are the contenders in the queue whose deletion was told, in its
	// order: a read of that is to come.
	fallen []*dialect.Candidate
}

// woke applies what a deletion caused: its first word, or later numbers.
func (j *Journal) woke(o *Wake) {
	d := &j.deletions
	if d.told.of(o.Znode, o.Zxid-1) == o.Zxid {
		j.amendWakes(o.Zxid-1, func(w *Woken) bool {
			again := w.Zxid == o.Zxid && w.Znode == o.Znode
			if again {
				w.Wake = *o
			}
			return again
		})
		return
	}
	c := j.known[o.Znode]
	if c != nil && (c.Czxid >= o.Zxid || j.ended(c)) {
		c = nil // another of that name, that nobody read
	}
	w := &Woken{Wake: *o, Candidate: c, Recipe: j.recipe.Name(), Stood: len(j.queue) - len(d.fallen)}
	if j.leads(c) {
		at, _ := Position(j.recipe, j.queue, c)
		ahead, _ := Position(j.recipe, d.fallen, c)
		w.Leader = at == ahead
	}
	// The end of a session deletes all that it owns at once.
	for i := len(j.state.Wakes) - 1; i >= 0 && j.state.Wakes[i].Zxid == o.Zxid; i-- {
		w.Stood, w.Leader = j.state.Wakes[i].Stood, w.Leader && !j.state.Wakes[i].Leader
	}
	d.told = d.told.add(o.Znode, o.Zxid)
	if c != nil {
		j.fell(c)
	}
	j.state.Wakes = remember(j.state.Wakes, w)
}

// fell notes that a child that is there by what was read is not there any more.
func (j *Journal) fell(c *dialect.Candidate) {
	if !j.counts(c) {
		return
	}
	d := &j.deletions
	i, _ := Position(j.recipe, d.fallen, c)
	d.fallen = slices.Insert(slices.Clip(d.fallen), i, c)
}

// refell finds the fallen anew, by another recipe.
func (j *Journal) refell() {
	d := &j.deletions
	d.fallen = nil
	for _, e := range d.told.after(j.state.Parent.Pzxid) {
		if c := j.known[e.name]; j.counts(c) && c.Czxid < e.zxid && !j.ended(c) {
			j.fell(c)
		}
	}
}

// gone takes those out of the fallen that are not in the queue any more.
func (j *Journal) gone() {
	d := &j.deletions
	if len(d.fallen) == 0 {
		return
	}
	d.fallen = slices.DeleteFunc(slices.Clone(d.fallen), func(c *dialect.Candidate) bool {
		now := j.known[c.Name]
		return now == nil || now.Czxid != c.Czxid
	})
}

// ended reports whether a [Wake] told of the deletion of a child that is there
// by what was read.
func (j *Journal) ended(c *dialect.Candidate) bool {
	d := &j.deletions
	if !j.counts(c) {
		return d.told.of(c.Name, c.Czxid) != 0
	}
	_, fell := Position(j.recipe, d.fallen, c)
	return fell
}

// counts reports whether c counts among those who stood. Of what was never read
// nobody knows since when it was there, nor whose it was.
func (j *Journal) counts(c *dialect.Candidate) bool {
	return c != nil && !c.Unread && j.recipe.Contends(c)
}

// leads reports whether c has the role if it is the first.
func (j *Journal) leads(c *dialect.Candidate) bool {
	return j.counts(c) && j.recipe.Holders([]*dialect.Candidate{c}) > 0
}

// led reports whether c, of the queue, was the first when it was deleted at
// zxid.
func (j *Journal) led(c *dialect.Candidate, zxid int64) bool {
	at, _ := Position(j.recipe, j.queue, c)
	return j.leads(c) && !slices.ContainsFunc(j.queue[:at], func(x *dialect.Candidate) bool {
		end := j.deletions.told.of(x.Name, x.Czxid)
		return j.counts(x) && x.Czxid < zxid && (end == 0 || end >= zxid)
	})
}

// since is a zxid at which c was there: it was created then, or in the list that
// was just read.
func (j *Journal) since(c *dialect.Candidate) int64 {
	if c.Unread {
		return j.state.Parent.Pzxid
	}
	return c.Czxid
}

// came puts right what was said, before c was read, of deletions after its
// creation: it stood then.
func (j *Journal) came(c *dialect.Candidate) {
	d := &j.deletions
	from := j.since(c)
	if d.told.newest() <= from {
		return
	}
	counts := j.counts(c)
	end := d.told.of(c.Name, from)
	j.amendWakes(from, func(w *Woken) bool {
		if end == w.Zxid && w.Znode == c.Name {
			if counts && w.Candidate == nil {
				w.Stood++
			}
			w.Candidate = c
			w.Leader = j.led(c, end)
			return true
		}
		if !counts || end != 0 && end < w.Zxid {
			return false
		}
		w.Stood++
		w.Leader = w.Leader && j.order(c, w.Candidate) > 0
		return true
	})
	if end != 0 {
		j.fell(c)
	}
}

// amendWakes changes what is remembered of the deletions after a zxid, as amend
// does, which reports whether it did. States share the old ones.
func (j *Journal) amendWakes(after int64, amend func(w *Woken) bool) {
	old := j.state.Wakes
	var wakes []*Woken
	for i := len(old) - 1; i >= 0 && old[i].Zxid > after; i-- {
		w := *old[i]
		if !amend(&w) {
			continue
		}
		if wakes == nil {
			wakes = make([]*Woken, len(old), cap(old))
			copy(wakes, old)
		}
		wakes[i] = &w
	}
	if wakes != nil {
		j.state.Wakes = wakes
	}
}
