package model

import "electop/model/dialect"

// formerMember is a member of ours that is gone, or has another session now,
// while its old session's znode may still stand: a killed one's does until
// its session expires. It is kept for what it tells of that znode's end.
type formerMember struct {
	member *Member
	reads  int // since it departed
}

func (j *Journal) cast(c *Cast) {
	m, old := c.Member, j.members[c.Member.ID]
	j.steps = stepped(j.steps, c, old)
	defer func() { j.tenure.believe(c, old, j.head) }()
	if old != nil && old.Session != 0 && old.Znode != "" && (c.Gone || m.Session != old.Session) {
		if m.Session == old.Session {
			old = &m // the latest of it
		}
		j.departed[old.Session] = &formerMember{member: old}
	}
	if c.Gone && old == nil && j.departed[m.Session] != nil {
		j.departed[m.Session] = &formerMember{member: &m} // more is known of its end
	}
	if c.Gone {
		delete(j.members, m.ID)
		return
	}
	j.members[m.ID] = &m
}

// memberOf returns our own member that owns or owned c.
func (j *Journal) memberOf(c *dialect.Candidate) *Member {
	if c == nil || c.Session == 0 {
		return nil
	}
	var found *Member
	for _, m := range j.members {
		if m.Session == c.Session && (found == nil || m.ID < found.ID) {
			found = m // by ID, for maps have no order
		}
	}
	if found != nil {
		return found
	}
	if d := j.departed[c.Session]; d != nil {
		return d.member
	}
	return nil
}

// forget drops the departed whose znodes are gone. One whose znode was not
// seen yet gets two reads, as its create may be on the way.
func (j *Journal) forget() {
	if len(j.departed) == 0 {
		return
	}
	standing := make(map[uint64]bool, len(j.queue))
	for _, c := range j.queue {
		standing[c.Session] = true
	}
	for session, d := range j.departed {
		if d.reads++; d.reads > 2 && !standing[session] {
			delete(j.departed, session)
		}
	}
}
