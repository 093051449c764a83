package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// recognise finds out whose election it is before r's new children come in: at
// the first that show it, and again once the queue is empty. Under the same
// parent a known naming does not give way to an unknown one, which may be but a
// stray child, and while anybody stands it does not change at all, except for a
// wider dialect of which this was all there was to see.
func (j *Journal) recognise(r *Read) {
	if j.cfg.Recipe != nil || len(r.New) == 0 || j.named && !j.began {
		return
	}
	was := j.state.Dialect
	if was != nil && len(j.queue) > 0 {
		j.widen(r.New)
		return
	}
	children := r.New
	if !r.Full {
		children = slices.Clone(r.New)
		for _, c := range j.known {
			children = append(children, c.Znode)
		}
	}
	d := dialect.Recognise(j.cfg.Path, children)
	if d == nil && r.Single {
		d = dialect.SingleZnode()
	}
	if d == nil || d == was || d.Unknown() && was != nil && j.under {
		return
	}
	j.speak(d)
}

// widen changes over to the dialect that the present one is part of, when a new
// child shows it.
func (j *Journal) widen(children []znode.Znode) {
	if d := j.state.Dialect.Widened(children); d != j.state.Dialect {
		j.speak(d)
	}
}

// speak reads all names by another dialect from now on; nil: by none.
func (j *Journal) speak(d *dialect.Dialect) {
	j.state.Dialect = d
	switch {
	case j.cfg.AckFollows && d != nil:
		j.lookForAck(d.AckPath(j.cfg.Path))
	case j.cfg.AckFollows:
		j.lookForAck(j.ownAck)
	}
	for _, list := range [][]*dialect.Candidate{j.queue, j.rest} {
		for i, old := range list {
			c := *old
			j.state.Dialect.Interpret(&c)
			if c.Reads(old) {
				continue
			}
			list[i], j.known[c.Name] = &c, &c
			j.renewHead(old, &c)
		}
	}
	j.follow(j.spoken())
}

// change follows the recipe of a Switch until the next. The plain recipe is no
// other than the election has by itself, where that is recognised.
func (j *Journal) change(r dialect.Recipe) {
	if j.cfg.Recipe != nil {
		j.follow(r)
		return
	}
	j.switched = r
	if r == dialect.Election() {
		j.switched = nil
	}
	j.follow(j.spoken())
}

// spoken is the recipe to follow: that of the last Switch, else the dialect's.
func (j *Journal) spoken() dialect.Recipe {
	switch {
	case j.switched != nil:
		return j.switched
	case j.state.Dialect != nil:
		return j.state.Dialect.Recipe
	}
	return dialect.Election()
}

// candidate makes a child of the election out of a znode.
func (j *Journal) candidate(z znode.Znode, at time.Time, joined bool) *dialect.Candidate {
	c := &dialect.Candidate{Znode: z, SeenAt: at, Joined: joined}
	j.state.Dialect.Interpret(c)
	return c
}

// put puts in a child, and counts a session that owns two contenders by mistake.
func (j *Journal) put(c *dialect.Candidate) {
	if j.insert(c) && (!j.shares() || j.memberOf(c) != nil) {
		j.tenure.Ghosts++
	}
}

// came has what was said of deletions put right by a child that was read.
func (j *Journal) came(c *dialect.Candidate) { j.wakes.came(&j.children, c, j.since(c)) }

// since is a zxid at which c was there: it was created then, or in the list that
// was just read.
func (j *Journal) since(c *dialect.Candidate) int64 {
	if c.Unread {
		return j.state.Parent.Pzxid
	}
	return c.Czxid
}

// follow sorts the children again, by another recipe.
func (j *Journal) follow(r dialect.Recipe) {
	j.children.follow(r)
	j.state.Recipe = r
	j.wakes.sort(&j.children, j.state.Parent.Pzxid)
}

// shares reports whether it may be no mistake here that a session stands more
// than once: threads of one process that wait for a lock do. Our members do not.
func (j *Journal) shares() bool {
	if d := j.state.Dialect; d != nil && d.Shares() {
		return true
	}
	return dialect.SessionsShare(j.recipe)
}

// ordered returns the candidates for a read's new znodes, in queue order.
func (j *Journal) ordered(zs []znode.Znode, at time.Time, joined bool) []*dialect.Candidate {
	cs := make([]*dialect.Candidate, len(zs))
	for i := range zs {
		cs[i] = j.candidate(zs[i], at, joined)
	}
	slices.SortFunc(cs, j.order)
	return cs
}

// renewHead keeps the leader where the same znode is told of again.
func (j *Journal) renewHead(old, c *dialect.Candidate) {
	if j.head != old {
		return
	}
	j.head = c
	if n := len(j.state.Reigns); n > 0 && j.state.Reigns[n-1].Leader == old {
		j.state.Reigns = slices.Clone(j.state.Reigns)
		j.state.Reigns[n-1].Leader = c
	}
}
