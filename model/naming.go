package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

type naming struct {
	given    dialect.Recipe   // configured, or its replacement from a [Switch]; nil: recognise the dialect
	dialect  *dialect.Dialect // nil: not recognised
	switched dialect.Recipe   // from the last [Switch]; nil: the dialect's own recipe
	preset   bool             // a [Switch] gave the dialect, for example at the start of a later file of a recording
	named    bool             // the user named the path as an election
}

func (n *naming) recipe() dialect.Recipe {
	switch {
	case n.given != nil:
		return n.given
	case n.switched != nil:
		return n.switched
	case n.dialect != nil:
		return n.dialect.Recipe
	}
	return dialect.Election()
}

func (n *naming) change(r dialect.Recipe) {
	switch {
	case n.given != nil:
		n.given = r
	case r == dialect.Election():
		n.switched = nil
	default:
		n.switched = r
	}
}

// recognised returns the dialect after r. For the same parent, an unknown dialect replaces no other dialect, because
// a new child may not belong to the election. But if a barrier gets children that show no dialect, the result is nil.
func (n *naming) recognised(r *Read, cs *children, path string, siblings []string, sameParent bool) *dialect.Dialect {
	if n.given != nil || len(r.New) == 0 && sameParent && (n.dialect != nil || len(cs.known) > 0) {
		return n.dialect
	}
	known := n.dialect != nil && cs.queue.Len() > 0 && !n.dialect.Vague()
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
	case !sameParent && len(r.New) == 0, n.dialect.Kind() == dialect.KindBarrier && len(r.New) > 0:
		return nil
	case n.dialect == nil:
		d = e.Unnumbered()
	}
	if d == nil || d.Unknown() && n.dialect != nil && sameParent {
		return n.dialect
	}
	return d
}

func (n *naming) decisive() *dialect.Dialect {
	if n.given != nil {
		return nil
	}
	return n.dialect
}

// shares reports whether a session may own several contenders, for example one for each latch.
func (n *naming) shares() bool {
	return n.dialect != nil && (n.dialect.Shares() || n.dialect.Foreign())
}

func (n *naming) candidate(z znode.Znode, at time.Time, joined bool) *dialect.Candidate {
	c := &dialect.Candidate{Znode: z, SeenAt: at, Joined: joined}
	n.dialect.Interpret(c)
	return c
}

func (n *naming) candidates(zs []znode.Znode, at time.Time, joined bool) []*dialect.Candidate {
	recipe, out := n.recipe(), make([]*dialect.Candidate, len(zs))
	for i := range zs {
		out[i] = n.candidate(zs[i], at, joined)
	}
	slices.SortFunc(out, func(a, b *dialect.Candidate) int { return dialect.Compare(recipe, a, b) })
	return out
}

// recognise must be called before the new children of r are added.
func (j *Journal) recognise(r *Read) {
	if j.naming.preset && !j.began {
		return
	}
	if slices.ContainsFunc(r.New, j.omitsGuid) {
		named := *r
		named.New = slices.DeleteFunc(slices.Clone(r.New), j.omitsGuid)
		r = &named
	}
	if d := j.naming.recognised(r, &j.children, j.cfg.Path, j.directories[znode.Dir(j.cfg.Path)].names(), j.parentRead); d != j.naming.dialect {
		j.interpret(d)
	}
}

func (j *Journal) interpret(d *dialect.Dialect) {
	j.naming.dialect = d
	if j.cfg.AckFollows {
		paths, byData := nonEmpty(j.cfg.AckPath), false
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

func nonEmpty(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

func (j *Journal) preset(id string) {
	if id == "" || j.began || j.naming.given != nil {
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

func (j *Journal) addChild(c *dialect.Candidate) {
	if j.insert(c) && (!j.naming.shares() || j.memberOf(c) != nil) {
		j.properties.Ghosts++
	}
	existed := c.Czxid
	if c.Unread {
		existed = j.parent.Pzxid // its czxid is unknown; a child in a list existed at the list's Pzxid
	}
	j.reported.existed(c, existed)
}

func (j *Journal) renewHead(old, c *dialect.Candidate) {
	if j.head == old {
		j.head = c
		j.past.renew(old, c)
	}
}

const noDialect = "none"
