package model

import "electop/model/dialect"

// ownerCounts counts the contenders in the queue by the session that owns them. It
// is an index, made when it is wanted.
type ownerCounts struct{ count map[uint64]int32 }

// owned notes that c is about to stand in the queue.
func (j *Journal) owned(c *dialect.Candidate) {
	if c.Session == 0 {
		return
	}
	o := &j.owning
	if o.count == nil {
		o.count = make(map[uint64]int32, len(j.queue)+1)
		for _, c := range j.queue {
			o.count[c.Session]++
		}
	}
	o.count[c.Session]++
	if o.count[c.Session] == 2 && (!j.shares() || j.memberOf(c) != nil) {
		j.state.Properties.Ghosts++
	}
}

// disowned notes that c does not stand in the queue any more.
func (j *Journal) disowned(c *dialect.Candidate) {
	o := &j.owning
	if c.Session == 0 || o.count == nil {
		return
	}
	if o.count[c.Session]--; o.count[c.Session] <= 0 {
		delete(o.count, c.Session)
	}
}

// shares reports whether it may be no mistake here that a session stands more
// than once: threads of one process that wait for a lock do. Our members do not.
func (j *Journal) shares() bool {
	if d := j.state.Dialect; d != nil && d.Shares() {
		return true
	}
	return dialect.SessionsShare(j.recipe)
}
