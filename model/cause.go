package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
)

// CauseLeft means that a leader's znode was deleted while its session could not
// expire: by a delete, or by closing the session; it is not known (yet) which.
const CauseLeft Cause = "left"

// gone is the end of a leader that later tables may explain better.
type gone struct {
	at    time.Time // when its znode was seen to be gone
	from  dialect.ID
	cause Cause
	alive time.Time // its session cannot have expired before; zero: not known
}

// goneMax and goneFor bound how many such ends are remembered, and how long:
// by then the session is used for something else, or over for another reason.
const (
	goneMax = 16
	goneFor = 2 * time.Minute
)

// foreignEnd says why the znode of a third-party leader was deleted, as far as the
// servers' tables show.
func (j *Journal) foreignEnd(c *dialect.Candidate, deleted timeBounds) (cause Cause, evidence string) {
	if !deleted.known() {
		return CauseUnknown, "its znode was deleted while electop did not observe"
	}
	h := j.sessions.Of(c.Session)
	switch {
	case j.state.Table == nil:
		return CauseUnknown, "servers not asked"
	case h == nil:
		return CauseUnknown, "the servers were not asked for connections and sessions while its znode existed"
	}
	// The cause must hold for every time at which the znode may have been deleted.
	earliest, latest := deleted.since(), deleted.latest
	alive := h.Alive()
	d := j.sessions.Danger(c.Session, j.state.At)
	var joined time.Time
	if c.Joined {
		joined = c.SeenAt
	}
	switch {
	case d != nil && (d.By.IsZero() || !earliest.After(d.By.Add(session.DangerOver))) && !earliest.Before(alive) && !earliest.Before(h.Likely(joined, j.sessions.Tick())):
		return CauseExpired, d.Evidence
	case !alive.IsZero() && !latest.IsZero() && latest.Before(alive):
		return CauseLeft, "its session was alive and could not expire before " + units.Clock(alive)
	case !alive.IsZero() && earliest.Before(alive):
		return CauseUnknown, "its session was alive, but could expire from " + units.Clock(alive) + " on; electop saw only at " + units.Clock(session.Later(latest, deleted.likely)) + " that its znode was gone"
	}
	return CauseUnknown, h.LastKnown()
}

// explain notes an end to explain it better later.
func (j *Journal) explain(h *Handoff) {
	if h.From == nil || h.From.Session == 0 || h.Cause != CauseUnknown && h.Cause != CauseLeft && h.Cause != CauseExpired {
		return
	}
	if j.memberOf(h.From) != nil {
		return
	}
	if len(j.unexplained) >= goneMax {
		var oldest uint64
		for session, g := range j.unexplained {
			if o := j.unexplained[oldest]; o == nil || g.at.Before(o.at) || g.at.Equal(o.at) && session < oldest {
				oldest = session
			}
		}
		delete(j.unexplained, oldest)
	}
	if j.unexplained == nil {
		j.unexplained = make(map[uint64]*gone)
	}
	g := &gone{at: h.At, from: h.From.ID(), cause: h.Cause}
	if x := j.sessions.Of(h.From.Session); x != nil {
		g.alive = x.Alive()
	}
	j.unexplained[h.From.Session] = g
}

// reconsider explains ends by a later table: a session that lives on did not
// expire, and neither did one that is over before it could have expired.
func (j *Journal) reconsider(t *session.Table, at time.Time) {
	if len(j.unexplained) == 0 {
		return
	}
	sessions := make([]uint64, 0, len(j.unexplained))
	for session := range j.unexplained {
		sessions = append(sessions, session)
	}
	slices.Sort(sessions)
	clients, exp := t.Conns(), t.Expirer()
	for _, sessionID := range sessions {
		g := j.unexplained[sessionID]
		if at.Sub(g.at) > goneFor || at.Before(g.at) {
			delete(j.unexplained, sessionID)
			continue
		}
		if !t.At.After(g.at) {
			continue
		}
		x, connected := clients[sessionID]
		counted := exp != nil && slices.ContainsFunc(exp.Deadlines, func(d session.Deadline) bool { return d.Session == sessionID })
		switch {
		case connected:
			j.amendCause(g, CauseResigned, "its session is alive without its znode, connected to "+x.Server+" at "+units.Clock(x.At))
		case counted:
			j.amendCause(g, CauseResigned, "its session was still alive without its znode at "+units.Clock(wall(t.End)))
		case exp != nil && !exp.Leftover && g.cause == CauseLeft && wall(t.End).Before(g.alive):
			// It may have deleted its znode just before it closed its session.
			j.amendCause(g, CauseLeft, "its session was over by "+units.Clock(wall(t.End))+", before it could expire: its client closed it, maybe after it resigned")
		default:
			continue
		}
		delete(j.unexplained, sessionID)
	}
}

// amendCause corrects the cause of an end in the histories. The event was already
// published and stays as it was.
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

// Sessions are the sessions to ask the servers about, sorted: those of the
// contenders, and those of leaders whose end is not explained yet.
func (s *State) Sessions() []uint64 {
	out := make([]uint64, 0, len(s.Queue)+len(s.unexplained))
	for _, c := range s.Queue {
		if c.Session != 0 {
			out = append(out, c.Session)
		}
	}
	out = append(out, s.unexplained...)
	slices.Sort(out)
	return slices.Compact(out)
}
