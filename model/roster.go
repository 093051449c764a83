package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/dialect"
)

// roster has our members by ID, and former ones by session.
type roster struct {
	members map[string]*Member
	former  map[uint64]*formerMember
	shown   *rosterView // as they are now; nil: to be made
}

// rosterView is the members by ID, and who owns or owned each session: the present
// members before the former ones. States share it, so it is never written.
type rosterView struct {
	members   []*Member
	bySession map[uint64]*Member
}

// formerMember is a member that is gone, or has another session now,
// while its old session's znode may still be there: that of a killed one is until
// its session expires. It is kept to explain the end of that znode.
type formerMember struct {
	member *Member
	reads  int // since it departed
}

// take takes in what a member says, and returns what it said before, nil for
// nothing.
func (r *roster) take(c *Cast) (old *Member) {
	r.shown = nil
	m, old := c.Member, r.members[c.Member.ID]
	last := old
	if old != nil && old.Session != 0 && old.Znode != "" && (c.Gone || m.Session != old.Session) {
		if m.Session == old.Session {
			last = &m // the latest of it
		}
		r.former[old.Session] = &formerMember{member: last}
	}
	if c.Gone && old == nil && r.former[m.Session] != nil {
		r.former[m.Session] = &formerMember{member: &m} // more is known of its end
	}
	if c.Gone {
		delete(r.members, m.ID)
	} else {
		r.members[m.ID] = &m
	}
	return old
}

// memberOf returns our own member that owns or owned c.
func (r *roster) memberOf(c *dialect.Candidate) *Member {
	if c == nil {
		return nil
	}
	return r.withSession(c.Session)
}

// withSession returns our own member that has or had that session, nil for none.
func (r *roster) withSession(session uint64) *Member {
	if session == 0 {
		return nil
	}
	if r.shown != nil {
		return r.shown.bySession[session]
	}
	var found *Member
	for _, m := range r.members {
		if m.Session == session && (found == nil || m.ID < found.ID) {
			found = m // by ID, for maps have no order
		}
	}
	if found != nil {
		return found
	}
	if d := r.former[session]; d != nil {
		return d.member
	}
	return nil
}

// view returns the members as states show them.
func (r *roster) view() *rosterView {
	if r.shown != nil {
		return r.shown
	}
	members := make([]*Member, 0, len(r.members))
	bySession := make(map[uint64]*Member, len(r.members)+len(r.former))
	for _, m := range r.members {
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b *Member) int { return cmp.Compare(a.ID, b.ID) })
	for _, m := range members {
		if m.Session != 0 && bySession[m.Session] == nil {
			bySession[m.Session] = m
		}
	}
	for session, d := range r.former {
		if bySession[session] == nil {
			bySession[session] = d.member
		}
	}
	r.shown = &rosterView{members, bySession}
	return r.shown
}

// timeouts returns the timeouts of all sessions that members have or had.
func (r *roster) timeouts() map[uint64]time.Duration {
	out := make(map[uint64]time.Duration, len(r.members)+len(r.former))
	for session, d := range r.former {
		out[session] = d.member.Timeout
	}
	for _, m := range r.members {
		out[m.Session] = max(out[m.Session], m.Timeout)
	}
	return out
}

// forget drops the former members whose znodes are gone. One whose znode was not
// seen yet gets two reads, as its create may be on the way.
func (r *roster) forget(cs *children) {
	for session, d := range r.former {
		if d.reads++; d.reads > 2 && !cs.owns(session) {
			delete(r.former, session)
			r.shown = nil
		}
	}
}
