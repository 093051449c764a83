package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// naming has the system of the election, and the recipe to follow.
type naming struct {
	fixed    dialect.Recipe   // from the configuration; nil: recognise the dialect
	dialect  *dialect.Dialect // nil: not recognised
	switched dialect.Recipe   // from the last [Switch], nil for the dialect's own
	preset   bool             // a [Switch] gave the dialect, as in a later part of a recording
	named    bool             // the user named the path as an election
}

// recipe returns the recipe to follow.
func (n *naming) recipe() dialect.Recipe {
	switch {
	case n.fixed != nil:
		return n.fixed
	case n.switched != nil:
		return n.switched
	case n.dialect != nil:
		return n.dialect.Recipe
	}
	return dialect.Election()
}

// change switches to another recipe. If the election is recognised, the plain recipe means
// its dialect's own.
func (n *naming) change(r dialect.Recipe) {
	switch {
	case n.fixed != nil:
		n.fixed = r
	case r == dialect.Election():
		n.switched = nil
	default:
		n.switched = r
	}
}

// recognised returns the dialect that the children, with r's new ones, show, the present one
// if they show no other. Under the same parent (under) an unknown dialect does not replace a
// known one, because the child may be a stray one. While the queue is not empty, a known
// dialect changes only to a wider one, and an unknown one only as [dialect.Dialect.Guess] does.
func (n *naming) recognised(r *Read, cs *children, path string, siblings []string, under bool) *dialect.Dialect {
	if n.fixed != nil || len(r.New) == 0 && (n.dialect != nil || len(cs.known) > 0) {
		return n.dialect
	}
	known := n.dialect != nil && cs.queue.Len() > 0
	if known && n.dialect.Kind() != dialect.KindUnknown {
		return n.dialect.Widened(r.New)
	}
	shown := r.New
	if !r.Full {
		shown = slices.Clone(r.New)
		for _, c := range cs.known {
			shown = append(shown, c.Znode)
		}
	}
	e := dialect.Evidence{Path: path, Children: shown, Parent: r.Parent, Siblings: siblings, Markers: r.Markers}
	if known {
		return n.dialect.Widened(r.New).Guess(n.named && e.Alike())
	}
	d := dialect.Recognise(e).Guess(n.named && e.Alike())
	switch {
	case d != nil:
	case r.Single:
		d = dialect.SingleZnode(n.named)
	case n.dialect == nil:
		d = e.Unnumbered()
	}
	if d == nil || d.Unknown() && n.dialect != nil && under {
		return n.dialect
	}
	return d
}

// decisive returns the dialect by which the children show who leads, nil if the configuration
// gave the recipe.
func (n *naming) decisive() *dialect.Dialect {
	if n.fixed != nil {
		return nil
	}
	return n.dialect
}

// shares reports whether a session may own several contenders here, for example one for each
// latch of a client. With electop's own naming it may not.
func (n *naming) shares() bool {
	return n.dialect != nil && (n.dialect.Shares() || n.dialect.Foreign())
}

// candidate makes a candidate from a znode.
func (n *naming) candidate(z znode.Znode, at time.Time, joined bool) *dialect.Candidate {
	c := &dialect.Candidate{Znode: z, SeenAt: at, Joined: joined}
	n.dialect.Interpret(c)
	return c
}

// candidates makes candidates from the znodes, in the recipe's order.
func (n *naming) candidates(zs []znode.Znode, at time.Time, joined bool) []*dialect.Candidate {
	recipe, out := n.recipe(), make([]*dialect.Candidate, len(zs))
	for i := range zs {
		out[i] = n.candidate(zs[i], at, joined)
	}
	slices.SortFunc(out, func(a, b *dialect.Candidate) int { return dialect.Compare(recipe, a, b) })
	return out
}

// recognise recognises the dialect, before r's new children are added.
func (j *Journal) recognise(r *Read) {
	if j.naming.preset && !j.began {
		return
	}
	if slices.ContainsFunc(r.New, j.nameless) {
		named := *r
		named.New = slices.DeleteFunc(slices.Clone(r.New), j.nameless)
		r = &named
	}
	if d := j.naming.recognised(r, &j.children, j.cfg.Path, j.directories[znode.Dir(j.cfg.Path)].names(), j.under); d != j.naming.dialect {
		j.interpret(d)
	}
}

// interpret switches to another dialect, nil for none.
func (j *Journal) interpret(d *dialect.Dialect) {
	j.naming.dialect = d
	if j.cfg.AckFollows {
		paths, byData := listed(j.cfg.AckPath), false
		if d != nil {
			ack := d.Ack(j.cfg.Path)
			paths, byData = ack.Paths(), ack.ByData
		}
		if !slices.Equal(paths, j.ack.paths) {
			j.events.release(nil, nil)
			j.ack = newAcknowledgement(paths, byData, j.cfg.AckExpected)
		}
	}
	j.children.interpret(d, j.naming.recipe(), j.renewHead)
}

// listed returns a list with the path, an empty one for "".
func listed(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

// preset sets the dialect, by ID, before the first read.
func (j *Journal) preset(id string) {
	if id == "" || j.began || j.naming.fixed != nil {
		return
	}
	d, ok := dialect.ByID(id)
	if !ok && id != noDialect {
		return
	}
	j.naming.preset = true
	if d != j.naming.dialect {
		j.interpret(d)
	}
}

// addChild adds a child, and counts a ghost if its session now owns two contenders by
// mistake.
func (j *Journal) addChild(c *dialect.Candidate) {
	if j.insert(c) && (!j.naming.shares() || j.memberOf(c) != nil) {
		j.properties.Ghosts++
	}
	existed := c.Czxid // a zxid at which it existed
	if c.Unread {
		existed = j.parent.Pzxid // of the list with its name
	}
	j.wakes.existed(c, existed)
}

// renewHead replaces old by c, which is the same znode, if old is the head.
func (j *Journal) renewHead(old, c *dialect.Candidate) {
	if j.head == old {
		j.head = c
		j.past.renew(old, c)
	}
}

// noDialect in [Switch.Dialect] means an election that was not recognised.
const noDialect = "none"
