package model

import (
	"maps"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/units"
	"electop/model/znode"
)

// leaderEnd is the deletion of a leader's znode. Later observations may correct the cause.
type leaderEnd struct {
	at    time.Time // when an observation showed the deletion
	from  dialect.ID
	cause Cause
	alive time.Time // the session cannot expire before this time; zero: unknown

	expired *expiredCount // see expiredCounts.before; nil for none
}

// After endsFor, explain drops a leader's end: by then the session may have ended for another reason.
const (
	endsMax = 16
	endsFor = 2 * time.Minute
)

// foreignEnd returns why a third-party leader's znode was deleted. answers may be nil.
func foreignEnd(c *dialect.Candidate, deleted timeBounds, sessions *session.Tracker, answers *session.Table, now time.Time) (cause Cause, evidence string) {
	if !deleted.known() {
		return CauseUnknown, "its znode was deleted while electop did not observe"
	}
	h := sessions.Of(c.Session)
	switch {
	case c.Unread:
		return CauseUnknown, "its znode was deleted before it was read, so its session is not known"
	case h == nil:
		return CauseUnknown, unreported(answers)
	}
	earliest, latest := deleted.lower(), deleted.latest
	alive := h.Alive()
	d := sessions.Danger(c.Session, now)
	by := earliest // CauseExpired needs a session that could have expired by this time
	if latest.Sub(earliest) <= h.Timeout()/3+session.Slack {
		by = session.Later(earliest, latest)
	}
	var joined time.Time
	if c.Joined {
		joined = c.SeenAt
	}
	switch {
	// A client whose session is about to expire has probably not sent a delete.
	case d != nil && (d.By.IsZero() || !earliest.After(d.By.Add(session.DangerOver))) && !by.Before(alive) && !earliest.Before(h.Likely(joined, sessions.Tick())):
		return CauseExpired, d.Evidence
	case !alive.IsZero() && !latest.IsZero() && latest.Before(alive):
		return CauseLeft, "its session was alive and could not expire before " + units.Clock(alive)
	case !alive.IsZero() && earliest.Before(alive):
		return CauseUnknown, "its session was alive, but could expire from " + units.Clock(alive) + " on; electop saw the deletion of its znode only at " +
			units.Clock(session.Later(latest, deleted.likely))
	}
	return CauseUnknown, h.LastKnown()
}

func unreported(answers *session.Table) string {
	if why := answers.Unrequested(); why != "" {
		return why
	}
	for i := range answers.Servers {
		if s := &answers.Servers[i]; s.Connections.State != session.Answered && s.Connections.State != session.NotRequested {
			return s.Unanswered("connections", s.Connections)
		}
	}
	return "the servers were not queried for connections and sessions while its znode existed"
}

type unexplained map[uint64]leaderEnd

type correction struct {
	from     dialect.ID
	at       time.Time // of the handoff
	cause    Cause
	evidence string
}

func (u *unexplained) add(h *Handoff, tracked func(uint64) *session.Liveness, counts expiredCounts) {
	if h.From == nil || h.From.Session == 0 || h.Cause != CauseUnknown && h.Cause != CauseLeft && h.Cause != CauseExpired {
		return
	}
	if len(*u) >= endsMax {
		var oldest uint64
		for session, end := range *u {
			if o, ok := (*u)[oldest]; !ok || end.at.Before(o.at) || end.at.Equal(o.at) && session < oldest {
				oldest = session
			}
		}
		delete(*u, oldest)
	}
	if *u == nil {
		*u = make(unexplained)
	}
	end := leaderEnd{at: h.At, from: h.From.ID(), cause: h.Cause}
	if x := tracked(h.From.Session); x != nil {
		end.alive = x.Alive()
	}
	end.expired = counts.before(h.Earliest)
	(*u)[h.From.Session] = end
}

func (u unexplained) has(session uint64) bool {
	_, ok := u[session]
	return ok
}

func (u unexplained) explain(t *session.Table, at time.Time) (out []correction) {
	if len(u) == 0 {
		return nil
	}
	clients, exp := t.Conns(), t.Expirer()
	for _, sessionID := range slices.Sorted(maps.Keys(u)) {
		end := u[sessionID]
		if at.Sub(end.at) > endsFor || at.Before(end.at) {
			delete(u, sessionID)
			continue
		}
		if !t.At.After(end.at) {
			continue
		}
		x, connected := clients[sessionID]
		hasDeadline := exp != nil && slices.ContainsFunc(exp.Deadlines, func(d session.Deadline) bool { return d.Session == sessionID })
		c := correction{from: end.from, at: end.at, cause: CauseDeleted}
		switch {
		case connected:
			c.evidence = "its session is alive without its znode, connected to " + x.Server + " at " + units.Clock(x.At)
		case hasDeadline:
			c.evidence = "its session was still alive without its znode at " + units.Clock(wallClock(t.End))
		case exp != nil && !exp.Leftover && end.cause == CauseLeft && wallClock(t.End).Before(end.alive):
			c.cause = CauseLeft
			c.evidence = "its session was over by " + units.Clock(wallClock(t.End)) + ", before it could expire: its client closed the session, maybe after its znode was deleted"
		case end.expired != nil && end.expired.same(expiredIn(t)):
			c.cause = CauseLeft
			c.evidence = end.expired.server + " let no session expire between " + units.Clock(end.expired.from) + " and " + units.Clock(wallClock(t.At))
		default:
			continue
		}
		out = append(out, c)
		delete(u, sessionID)
	}
	return out
}

// survivor returns another child of c's session, nil for none.
func (cs *children) survivor(c *dialect.Candidate) *dialect.Candidate {
	if c.Session == 0 {
		return nil
	}
	same := func(x *dialect.Candidate) bool { return x.Session == c.Session && x.ID() != c.ID() }
	if cs.owns(c.Session) {
		if i := cs.queue.Index(same); i >= 0 {
			return cs.queue.At(i)
		}
	}
	if i := slices.IndexFunc(cs.rest, same); i >= 0 {
		return cs.rest[i]
	}
	return nil
}

func stillOwns(name string) string {
	return "its session is alive without its znode: it owns " + znode.Safe(name, 64)
}

// proveAlive corrects a leader's end, because a session that owns a znode after that end did not expire.
func (j *Journal) proveAlive(sessionID uint64, name string, czxid int64, at time.Time) {
	end, ok := j.unexplained[sessionID]
	if !ok || sessionID == 0 || czxid <= end.from.Czxid {
		return
	}
	delete(j.unexplained, sessionID)
	j.correct(correction{from: end.from, at: end.at, cause: CauseDeleted, evidence: stillOwns(name)}, at)
}

type expiredCount struct {
	server    string
	n         int
	from, end time.Time // when the round of requests began and ended
}

func expiredIn(t *session.Table) *expiredCount {
	exp := t.Expirer()
	if exp == nil || exp.Expired == nil {
		return nil
	}
	return &expiredCount{exp.Addr, *exp.Expired, wallClock(t.At), wallClock(t.End)}
}

func (e *expiredCount) same(later *expiredCount) bool {
	return e != nil && later != nil && later.server == e.server && later.n == e.n
}

// expiredCounts has the last counts, oldest first. Clones of a journal share the elements, which are
// never written.
type expiredCounts []*expiredCount

const (
	expiredCountsMax   = 16
	expiredCountsEvery = time.Second
)

func (e expiredCounts) add(t *session.Table) expiredCounts {
	count := expiredIn(t)
	if n := len(e); count == nil || n > 0 && count.end.Sub(e[n-1].end) < expiredCountsEvery {
		return e
	}
	return append(slices.Clone(e[max(0, len(e)+1-expiredCountsMax):]), count)
}

// expiryCommit bounds the expected time from the count of an expiry to the deletion of the znodes.
const expiryCommit = 3 * time.Second

// before returns the last count that ended more than expiryCommit before t, nil for none.
func (e expiredCounts) before(t time.Time) *expiredCount {
	for _, c := range slices.Backward(e) {
		if !t.IsZero() && c.end.Before(t.Add(-expiryCommit)) {
			return c
		}
	}
	return nil
}

// Returned is a third-party leader whose session expired while its client was connected but silent,
// as in a long pause. After the pause, the client's program may act as the leader until it handles
// the expiry.
type Returned struct {
	Leader  *dialect.Candidate
	Expired time.Time // when an observation showed the deletion of the leader's znode
	Host    string    // the host of the leader's client
	// Sessions are new third-party sessions from Host that own no contender. The client may own one of them.
	Sessions []uint64

	before []uint64 // the sessions from Host that were known at Expired
}

const (
	returnedMax = 8
	returnedFor = 10 * time.Minute
)

// returned has at most returnedMax elements, oldest first. States share the elements, which are never written.
type returned []*Returned

func (r *returned) add(c *dialect.Candidate, at time.Time, v session.View) {
	conn := v.Client(c.Session).Conn
	if conn == nil {
		return
	}
	host := session.HostOf(conn.Addr)
	before, ok := v.From(host)
	if !ok {
		return
	}
	*r = append(slices.Clone((*r)[max(0, len(*r)-returnedMax+1):]), &Returned{Leader: c, Expired: at, Host: host, before: before})
}

func (r *returned) apply(t *session.Table, v session.View, at time.Time, ownsContender func(uint64) bool) {
	if len(*r) == 0 {
		return
	}
	var now returned
	for _, x := range *r {
		if at.Sub(x.Expired) > returnedFor {
			continue
		}
		now = append(now, x)
		all, ok := v.From(x.Host)
		if !ok || !t.At.After(x.Expired) {
			continue
		}
		var newSessions []uint64
		for _, session := range all {
			if !slices.Contains(x.before, session) && !ownsContender(session) && !t.Anchored(session) {
				newSessions = append(newSessions, session)
			}
		}
		if slices.Equal(newSessions, x.Sessions) {
			continue
		}
		y := *x
		y.Sessions = newSessions
		now[len(now)-1] = &y
	}
	*r = now
}
