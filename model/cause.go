package model

import (
	"slices"
	"time"
)

// CauseLeft is a leader's znode that went while its session was alive: it was
// deleted, or its session closed; which is not known (yet).
const CauseLeft Cause = "left"

// gone is a leader's end that later tables may explain better.
type gone struct {
	at    time.Time // when its znode was seen to be gone
	from  ID
	cause Cause
	alive time.Time // its session can not have expired before; zero: not known
}

// goneMax and goneFor bound how many such ends are remembered, and how long:
// by then the session is used for something else, or over for another reason.
const (
	goneMax = 16
	goneFor = 2 * time.Minute
)

// foreignEnd says why the znode of somebody else's leader went, as far as the
// servers' tables tell.
func (j *Journal) foreignEnd(c *Candidate, deleted moment) (cause Cause, evidence string) {
	d := &j.doctor
	if !deleted.known() {
		return CauseUnknown, "it went while nobody looked"
	}
	h := d.heard[c.Session]
	switch {
	case j.state.Table == nil:
		return CauseUnknown, "servers not asked"
	case h == nil || d.heardAt.IsZero():
		return CauseUnknown, "the servers were not asked for connections and sessions while it stood"
	}
	// What is said has to be true of any time at which it may have been deleted.
	earliest, latest := deleted.since(), deleted.latest
	r := d.fallen
	if r != nil && r.Candidate.ID() != c.ID() {
		r = nil
	}
	alive := h.alive()
	switch {
	case r != nil && (r.By.IsZero() || !earliest.After(r.By.Add(riskOver))) && !earliest.Before(alive) && !earliest.Before(h.likely(c, d.tick)):
		return CauseExpired, r.Evidence
	case !alive.IsZero() && !latest.IsZero() && latest.Before(alive):
		return CauseLeft, "its session was alive and could not expire before " + clockText(alive)
	case !alive.IsZero() && earliest.Before(alive):
		return CauseUnknown, "its session was alive, but could expire from " + clockText(alive) + " on; its znode was seen to be gone only at " + clockText(later(latest, deleted.likely))
	case !h.absent.IsZero():
		return CauseUnknown, "no connection since " + clockText(h.absent) + ", but whether its session could expire by then is not known"
	case h.conn != nil:
		return CauseUnknown, "connected to " + h.server + " when it was last asked, at " + clockText(h.askedConn)
	}
	return CauseUnknown, "the servers did not tell when its session expires"
}

// explain notes an end to explain it better later.
func (j *Journal) explain(h *Handoff) {
	d := &j.doctor
	if h.From == nil || h.From.Session == 0 || h.Cause != CauseUnknown && h.Cause != CauseLeft && h.Cause != CauseExpired {
		return
	}
	if j.memberOf(h.From) != nil {
		return
	}
	if len(d.ended) >= goneMax {
		var oldest uint64
		for session, g := range d.ended {
			if o := d.ended[oldest]; o == nil || g.at.Before(o.at) || g.at.Equal(o.at) && session < oldest {
				oldest = session
			}
		}
		delete(d.ended, oldest)
	}
	if d.ended == nil {
		d.ended = make(map[uint64]*gone)
	}
	g := &gone{at: h.At, from: h.From.ID(), cause: h.Cause}
	if x := d.heard[h.From.Session]; x != nil {
		g.alive = x.alive()
	}
	d.ended[h.From.Session] = g
}

// reconsider explains ends by a later table: a session that lives on did not
// expire, and neither did one that is over before it could have expired.
func (j *Journal) reconsider(t *ServerTable, at time.Time) {
	d := &j.doctor
	if len(d.ended) == 0 {
		return
	}
	sessions := make([]uint64, 0, len(d.ended))
	for session := range d.ended {
		sessions = append(sessions, session)
	}
	slices.Sort(sessions)
	clients, exp := clientsOf(t), expirer(t)
	for _, session := range sessions {
		g := d.ended[session]
		if at.Sub(g.at) > goneFor || at.Before(g.at) {
			delete(d.ended, session)
			continue
		}
		if !t.At.After(g.at) {
			continue
		}
		x, connected := clients[session]
		counted := exp != nil && slices.ContainsFunc(exp.Deadlines, func(d Deadline) bool { return d.Session == session })
		switch {
		case connected:
			j.amendCause(g, CauseResigned, "its session lives on without its znode, connected to "+x.server+" at "+clockText(x.at))
		case counted:
			j.amendCause(g, CauseResigned, "its session lived on without its znode at "+clockText(wall(t.End)))
		case exp != nil && !exp.Leftover && g.cause == CauseLeft && wall(t.End).Before(g.alive):
			// It may have deleted its znode just before it closed its session.
			j.amendCause(g, CauseLeft, "its session was over by "+clockText(wall(t.End))+", before it could expire: it closed it, if it did not resign first")
		default:
			continue
		}
		delete(d.ended, session)
	}
}

// amendCause puts right what the histories say of an end. The event has gone
// out and stays as it was.
func (j *Journal) amendCause(g *gone, cause Cause, evidence string) {
	hs := j.state.Handoffs
	for i := len(hs) - 1; i >= 0; i-- {
		if hs[i].From == nil || hs[i].From.ID() != g.from || !hs[i].At.Equal(g.at) {
			continue
		}
		h := *hs[i]
		h.Cause, h.Evidence = cause, evidence
		next := make([]*Handoff, len(hs), cap(hs)) // states share the old one
		copy(next, hs)
		next[i] = &h
		j.state.Handoffs = next
		break
	}
	rs := j.state.Reigns
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].Leader.ID() != g.from || !rs[i].To.Equal(g.at) {
			continue
		}
		next := make([]Reign, len(rs), cap(rs))
		copy(next, rs)
		next[i].Cause = cause
		j.state.Reigns = next
		break
	}
}

// Sessions are those that the servers should be asked about, sorted: the
// contenders', and those of leaders whose end is still to be explained.
func (s *State) Sessions() []uint64 {
	out := make([]uint64, 0, len(s.Queue)+len(s.seen.ended))
	for _, c := range s.Queue {
		if c.Session != 0 {
			out = append(out, c.Session)
		}
	}
	out = append(out, s.seen.ended...)
	slices.Sort(out)
	return slices.Compact(out)
}
