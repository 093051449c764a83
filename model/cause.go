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

// gone is the end of a leader that later tables may explain better.
type gone struct {
	at    time.Time // when its znode was seen to be gone
	from  dialect.ID
	cause Cause
	alive time.Time // its session cannot have expired before; zero: not known
	// expired is how many sessions the server that lets them expire had let expire by
	// then; nil: not known.
	expired *expiredCount
}

// goneMax and goneFor bound how many such ends are remembered, and for how long:
// after that the session may have ended for another reason.
const (
	goneMax = 16
	goneFor = 2 * time.Minute
)

// foreignEnd returns why the znode of a third-party leader was deleted, as far as
// the servers' tables show. answers are the last ones, nil if the servers were not
// asked.
func foreignEnd(c *dialect.Candidate, deleted timeBounds, sessions *session.Tracker, answers *session.Table, now time.Time) (cause Cause, evidence string) {
	if !deleted.known() {
		return CauseUnknown, "its znode was deleted while electop did not observe"
	}
	h := sessions.Of(c.Session)
	switch {
	case c.Unread:
		return CauseUnknown, "its znode was deleted before it was read, so its session is not known"
	case h == nil:
		return CauseUnknown, untold(answers)
	}
	// The cause must hold for every time at which the znode may have been deleted. A
	// client that is known to be silent has been so for longer than a third of its
	// timeout, so it cannot have deleted its znode since, unless it continued just then;
	// that is taken back if the servers count the sessions that expire.
	earliest, latest := deleted.since(), deleted.latest
	alive := h.Alive()
	d := sessions.Danger(c.Session, now)
	by := earliest // when it could expire
	if latest.Sub(earliest) <= h.Timeout()/3+session.Slack {
		by = session.Later(earliest, latest)
	}
	var joined time.Time
	if c.Joined {
		joined = c.SeenAt
	}
	switch {
	case d != nil && (d.By.IsZero() || !earliest.After(d.By.Add(session.DangerOver))) && !by.Before(alive) && !earliest.Before(h.Likely(joined, sessions.Tick())):
		return CauseExpired, d.Evidence
	case !alive.IsZero() && !latest.IsZero() && latest.Before(alive):
		return CauseLeft, "its session was alive and could not expire before " + units.Clock(alive)
	case !alive.IsZero() && earliest.Before(alive):
		return CauseUnknown, "its session was alive, but could expire from " + units.Clock(alive) + " on; electop saw only at " + units.Clock(session.Later(latest, deleted.likely)) + " that its znode was gone"
	}
	return CauseUnknown, h.LastKnown()
}

// untold says why nothing is known of a session, and what would tell.
func untold(answers *session.Table) string {
	if why := answers.Unasked(); why != "" {
		return why
	}
	for i := range answers.Servers {
		if s := &answers.Servers[i]; s.Connections.State != session.Answered && s.Connections.State != session.NotAsked {
			return s.Unanswered("connections", s.Connections)
		}
	}
	return "the servers were not asked for connections and sessions while its znode existed"
}

// unexplained are the ends of third-party leaders that later tables may explain
// better, by session.
type unexplained map[uint64]gone

// correction is a better cause of the end of a leader's reign.
type correction struct {
	from     dialect.ID
	at       time.Time // when its znode was seen to be gone
	cause    Cause
	evidence string
}

// add notes the end of h's old leader, if there is more to learn of it. tracked
// returns what is known of a session.
func (u *unexplained) add(h *Handoff, tracked func(uint64) *session.Liveness, counts expiredCounts) {
	if h.From == nil || h.From.Session == 0 || h.Cause != CauseUnknown && h.Cause != CauseLeft && h.Cause != CauseExpired {
		return
	}
	if len(*u) >= goneMax {
		var oldest uint64
		for session, g := range *u {
			if o, ok := (*u)[oldest]; !ok || g.at.Before(o.at) || g.at.Equal(o.at) && session < oldest {
				oldest = session
			}
		}
		delete(*u, oldest)
	}
	if *u == nil {
		*u = make(unexplained)
	}
	g := gone{at: h.At, from: h.From.ID(), cause: h.Cause}
	if x := tracked(h.From.Session); x != nil {
		g.alive = x.Alive()
	}
	g.expired = counts.before(h.Earliest)
	(*u)[h.From.Session] = g
}

// has reports whether a session is of such a leader.
func (u unexplained) has(session uint64) bool {
	_, ok := u[session]
	return ok
}

// sessions returns all such sessions, sorted.
func (u unexplained) sessions() []uint64 {
	if len(u) == 0 {
		return nil
	}
	out := slices.AppendSeq(make([]uint64, 0, len(u)), maps.Keys(u))
	slices.Sort(out)
	return out
}

// explain returns what a later table explains: a session that still exists did
// not expire, and neither did one that ended before it could have expired.
func (u unexplained) explain(t *session.Table, at time.Time) (out []correction) {
	if len(u) == 0 {
		return nil
	}
	clients, exp := t.Conns(), t.Expirer()
	for _, sessionID := range u.sessions() {
		g := u[sessionID]
		if at.Sub(g.at) > goneFor || at.Before(g.at) {
			delete(u, sessionID)
			continue
		}
		if !t.At.After(g.at) {
			continue
		}
		x, connected := clients[sessionID]
		counted := exp != nil && slices.ContainsFunc(exp.Deadlines, func(d session.Deadline) bool { return d.Session == sessionID })
		c := correction{from: g.from, at: g.at, cause: CauseDeleted}
		switch {
		case connected:
			c.evidence = "its session is alive without its znode, connected to " + x.Server + " at " + units.Clock(x.At)
		case counted:
			c.evidence = "its session was still alive without its znode at " + units.Clock(wall(t.End))
		case exp != nil && !exp.Leftover && g.cause == CauseLeft && wall(t.End).Before(g.alive):
			c.cause = CauseLeft
			c.evidence = "its session was over by " + units.Clock(wall(t.End)) + ", before it could expire: its client closed it, maybe after its znode was deleted"
		case g.expired != nil && g.expired.same(expiredIn(t)):
			// Whatever the last answers made likely, no session expired.
			c.cause = CauseLeft
			c.evidence = g.expired.server + " let no session expire between " + units.Clock(g.expired.from) + " and " + units.Clock(wall(t.At))
		default:
			continue
		}
		out = append(out, c)
		delete(u, sessionID)
	}
	return out
}

// The end of a session deletes all its ephemeral znodes at once. So a session that
// owns a znode after another one of it was deleted did not end by then: that znode
// was deleted by a delete, of its own client most likely. No server has to be asked.

// outlives returns a child of the session that owned the deleted c, nil for none.
func (cs *children) outlives(c *dialect.Candidate) *dialect.Candidate {
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

func ownsStill(c *dialect.Candidate) string { return alive + znode.Safe(c.Name, 64) }

const alive = "its session is alive without its znode: it owns "

// prove notes that a session owns a znode that was created with a zxid, in a read
// that is later than the end of a leader whose cause may be unknown.
func (j *Journal) prove(sessionID uint64, name string, czxid int64, at time.Time) {
	g, ok := j.unexplained[sessionID]
	if !ok || sessionID == 0 || czxid <= g.from.Czxid {
		return
	}
	delete(j.unexplained, sessionID)
	j.correct(correction{from: g.from, at: g.at, cause: CauseDeleted, evidence: alive + znode.Safe(name, 64)}, at)
}

// expiredCount is how many sessions a server had let expire when it was asked.
type expiredCount struct {
	server    string
	n         int
	from, end time.Time // of the round of questions
}

// expiredIn is the count of the server that lets sessions expire, nil if the table has
// none.
func expiredIn(t *session.Table) *expiredCount {
	exp := t.Expirer()
	if exp == nil || exp.Expired == nil {
		return nil
	}
	return &expiredCount{exp.Addr, *exp.Expired, wall(t.At), wall(t.End)}
}

// same reports whether the same server had let as many sessions expire later: none in
// between, unless it was restarted.
func (e *expiredCount) same(later *expiredCount) bool {
	return e != nil && later != nil && later.server == e.server && later.n == e.n
}

// expiredCounts are the last of them, oldest first; replaced when it changes.
type expiredCounts []*expiredCount

// expiredCountsMax bounds them, and expiredCountsEvery is the time between two.
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

// expiryCommit is how long before its znodes are deleted a session may be counted: the
// ensemble has to commit its end.
const expiryCommit = 3 * time.Second

// before is the last one that was complete before the znodes of a session that expired
// were deleted at t at the earliest, nil for none.
func (e expiredCounts) before(t time.Time) *expiredCount {
	for _, c := range slices.Backward(e) {
		if !t.IsZero() && c.end.Before(t.Add(-expiryCommit)) {
			return c
		}
	}
	return nil
}

// Returned is a third-party leader whose session expired while its client was
// connected and silent, as in a long pause. When the client continues, it learns that
// its session is over, and connects with another session. Until its program acts on
// that, it may go on as the leader, beside its successor.
type Returned struct {
	Leader  *dialect.Candidate
	Expired time.Time // when its znode was seen to be gone
	Host    string    // of its client, as the server had it
	// Sessions came from Host since, and own no contender: one of them is its
	// client's, if no other program on that host connected meanwhile.
	Sessions []uint64

	before []uint64 // sessions that were connected from Host before
}

// returnedMax and returnedFor bound how many leaders are remembered, and for how
// long.
const (
	returnedMax = 8
	returnedFor = 10 * time.Minute
)

// returned are such leaders, oldest first. States share them: what is in the slice
// is replaced, never written.
type returned []*Returned

// expired notes that a leader's session expired.
func (r *returned) expired(c *dialect.Candidate, at time.Time, v session.View) {
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

// hear applies a table. owned reports whether a session owns a contender.
func (r *returned) hear(t *session.Table, v session.View, at time.Time, owned func(uint64) bool) {
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
		var came []uint64
		for _, session := range all {
			if !slices.Contains(x.before, session) && !owned(session) && !t.Anchored(session) {
				came = append(came, session)
			}
		}
		if slices.Equal(came, x.Sessions) {
			continue
		}
		y := *x
		y.Sessions = came
		now[len(now)-1] = &y
	}
	*r = now
}
