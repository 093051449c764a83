package model

import (
	"slices"

	"electop/model/dialect"
)

// recognise finds out which system's election it is, before r's new children are
// put in.
func (j *Journal) recognise(r *Read) {
	if j.naming.preset && !j.began {
		return
	}
	if d := j.naming.recognised(r, &j.children, j.cfg.Path, j.siblings(), j.under); d != j.naming.dialect {
		j.interpret(d)
	}
}

// interpret reads all names by another dialect from now on, nil for none.
func (j *Journal) interpret(d *dialect.Dialect) {
	j.naming.dialect = d
	if j.cfg.AckFollows {
		paths, byData := listed(j.cfg.AckPath), false
		if d != nil {
			ack := d.Ack(j.cfg.Path)
			paths, byData = ack.Paths(), ack.ByData
		}
		j.followAck(paths, byData)
	}
	j.children.interpret(d, j.naming.recipe(), j.renewHead)
	j.wakes.sort(&j.children, j.parent.Pzxid)
}

// followAck reads the acknowledgement at other paths from now on; none: there is
// none.
func (j *Journal) followAck(paths []string, byData bool) {
	if slices.Equal(paths, j.ack.paths) {
		return
	}
	j.events.release(nil, nil)
	j.ack = newAcknowledgement(paths, byData, j.cfg.AckExpected)
}

// listed is a list of the path, empty for "".
func listed(path string) []string {
	if path == "" {
		return nil
	}
	return []string{path}
}

// preset says which system's election it is before the first read could show it.
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

// follow sorts the children by the recipe to follow.
func (j *Journal) follow() {
	j.children.follow(j.naming.recipe())
	j.wakes.sort(&j.children, j.parent.Pzxid)
}

// put puts in a child, and counts a session that owns two contenders by mistake.
func (j *Journal) put(c *dialect.Candidate) {
	if j.insert(c) && (!j.naming.shares() || j.memberOf(c) != nil) {
		j.tenure.Ghosts++
	}
}

// came corrects what was said of deletions by a child that was read.
func (j *Journal) came(c *dialect.Candidate) {
	since := c.Czxid // it was there at this zxid
	if c.Unread {
		since = j.parent.Pzxid // listed then
	}
	j.wakes.came(&j.children, c, since)
}

// renewHead puts c in the place of old, which is the same znode, where old leads.
func (j *Journal) renewHead(old, c *dialect.Candidate) {
	if j.head == old {
		j.head = c
		j.past.renew(old, c)
	}
}

// noDialect in [Switch.Dialect] means an election that was not recognised.
const noDialect = "none"
