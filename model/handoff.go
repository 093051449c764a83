package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// checkHead compares the head of the queue with the last one and records a
// handoff if it changed, at that moment.
func (j *Journal) checkHead(at time.Time, changed timeBounds) {
	j.checkHeadIn(at, changed, false)
}

// checkHeadIn is checkHead after a read. listed says that one list shows that the last
// head was deleted and which children there were then.
func (j *Journal) checkHeadIn(at time.Time, changed timeBounds, listed bool) {
	head, old := j.first(), j.head
	if head == old || head != nil && old != nil && head.ID() == old.ID() {
		return
	}
	j.events.release(nil, nil) // the acknowledgement of an older handoff no longer comes
	h := &Handoff{At: at, From: old, To: head, Cause: CauseUnknown}
	gone := old != nil && !j.has(old)
	if gone {
		changed = j.wakes.deletionTime(old, changed)
	}
	h.Earliest, h.Latest = changed.earliest, changed.latest
	m := j.memberOf(old)
	switch {
	case gone && m != nil:
		h.Cause, h.Silent, h.SilentIn = ending(m, at, changed)
		h.Timeout = m.Timeout
	case gone && listed && j.outlives(old) != nil:
		h.Cause, h.Evidence = CauseDeleted, ownsStill(j.outlives(old))
	case gone:
		h.Cause, h.Evidence = foreignEnd(old, changed, &j.sessions, j.answers, j.at)
	}
	if gone && m == nil {
		if x := j.sessions.Of(old.Session); x == nil {
			h.Untold = untold(j.answers)
		} else {
			h.Timeout = x.Timeout()
			least, most, ok := x.Silent(changed.since(), session.Later(changed.latest, changed.likely), j.sessions.Tick())
			if ok && h.Cause == CauseExpired {
				silent := least + (most-least)/2
				h.Silent, h.SilentIn = &silent, &Span{least, most}
			}
		}
	}
	if m == nil {
		j.unexplained.add(h, j.sessions.Of, j.expired)
		if h.Cause == CauseExpired {
			j.returned.expired(old, at, j.sessions.View())
		}
	}
	if head != nil {
		h.Fence = head.Czxid
		if old == nil {
			h.Vacant, h.VacantIn = lasted(j.vacantFrom, changed)
		}
		j.vacantFrom = timeBounds{}
	} else {
		j.vacantFrom, j.vacancy = changed, Vacancy{Since: at}
		if changed.known() {
			j.vacancy = Vacancy{changed.likely, VacancyWatched}
		}
	}
	j.past.end(at)
	j.head = head
	if head != nil {
		j.past.begin(j.reign(at, changed))
	}
	j.totals.Handoffs++
	j.past.handoff(h)

	took, within, waits := j.ack.handoff(head, changed)
	h.Takeover, h.TakeoverIn = took, within
	switch d := j.naming.dialect; {
	case d.Ack(j.cfg.Path).Child == "" && j.ack.Path == "":
		h.unacked = NoAck
	case !j.ack.since.known():
		h.unacked = Unwatched
	default:
		h.unacked = NoAckYet
	}
	if waits && j.link.Link == Connected {
		j.events.hold(Event{At: h.At, Body: *h})
	} else {
		j.emit(at, *h)
	}
}

// firstHead notes who leads at the first read, which is no handoff.
func (j *Journal) firstHead(at time.Time) {
	if j.head = j.first(); j.head == nil {
		j.vacancy = Vacancy{Since: at}
		return
	}
	j.past.begin(j.reign(at, timeBounds{latest: at}))
}

// reign returns the reign of the head, which electop sees at that moment. If electop did
// not see it become the head, changed only bounds when that was, and so does its own znode,
// by the servers' clock: it was not before that was created. It was then if no child was
// ever deleted, or if a read has just shown that this was the last change.
func (j *Journal) reign(at time.Time, changed timeBounds) Reign {
	r := Reign{Leader: j.head, From: at, FromKnown: changed.known(), Earliest: changed.since(), Latest: session.Later(changed.latest, changed.likely)}
	if r.FromKnown {
		return r
	}
	created := j.head.Ctime
	if created.After(at) { // their clock may be ahead
		created = at
	}
	r.Earliest, r.Latest = session.Later(r.Earliest, created), at
	creates, counted := j.parent.Creates()
	last := !changed.latest.IsZero() && j.head.Czxid == j.parent.Pzxid
	if !created.IsZero() && (j.single || last || counted && int32(creates) == j.parent.Children) {
		r.Latest = r.Earliest
	}
	return r
}

// leading returns who leads, nil for nobody.
func (j *Journal) leading() *dialect.Candidate {
	if j.role.why != "" {
		return nil
	}
	return j.head
}

// decide decides who leads after an observation that may have changed that, and notes
// it in the reigns and the lanes.
func (j *Journal) decide(o Observation, at time.Time) {
	was := j.role
	switch o.(type) {
	case *Follow, *Connection, *Wake, *Pace, *Rules, *Write, *Advance:
		return // they change neither the queue, nor what is known of its system
	case *Cast:
		if j.role = j.evidence().decide(); j.role == was {
			return
		}
	default:
		j.doubt = j.naming.doubt(j.queue, j.rest)
		j.role = j.evidence().decide()
	}
	switch {
	case j.role.why != "":
		j.past.deny(at)
	case j.head != nil && j.past.current() == nil:
		changed := timeBounds{}
		if _, acked := o.(*Ack); acked && j.ack.changed.bounded() {
			changed = j.ack.changed
		}
		j.past.begin(j.reign(at, changed))
	}
	j.lanes.hold(session.Later(j.at, at), j.children.holding(j.role.holders))
	j.lanes.began = j.lanes.began || j.began
}

// ending returns why a member's znode was deleted at that time, and for how long the
// member had been silent. The cause is expiry only where the session could have
// expired: the server keeps it until ExpiresFrom at least.
func ending(m *Member, at time.Time, gone timeBounds) (cause Cause, silent *time.Duration, within *Span) {
	if m.Fault != NoFault && !m.FaultAt.IsZero() {
		silent, within = lasted(seenAt(wall(m.FaultAt)), gone)
	}
	deleted := gone.likely
	if !gone.known() {
		deleted = at
	}
	mute := m.Fault != NoFault || m.Belief == Suspended || m.Belief == Lost
	switch {
	case m.Ending == Resigning:
		return CauseResigned, silent, within
	case m.Ending == Closing:
		return CauseClosed, silent, within
	case mute && !m.ExpiresFrom.IsZero() && !deleted.Before(wall(m.ExpiresFrom)):
		return CauseExpired, silent, within
	}
	return CauseUnknown, silent, within
}

// depart notes a child whose znode was deleted.
func (j *Journal) depart(at time.Time, c *dialect.Candidate) {
	if !j.recipe.Contends(c) {
		return
	}
	d := departure{at: session.Later(j.at, at), of: c}
	if len(j.members)+len(j.former) > 0 {
		if m := j.memberOf(c); m != nil {
			d.member = m.ID
			d.cause, _, _ = ending(m, at, j.wakes.deletionTime(c, timeBounds{}))
		}
	}
	j.lanes.leave(d)
}

// EndOf returns why the znode of a contender was deleted, as far as it is known: of one
// that led, and of our own.
func (j *Journal) EndOf(c *dialect.Candidate) Cause {
	for _, h := range slices.Backward(j.past.handoffs) {
		if h.From != nil && h.From.ID() == c.ID() {
			return h.Cause
		}
	}
	for _, d := range slices.Backward(j.lanes.ours) {
		if d.of.ID() == c.ID() {
			return d.cause
		}
	}
	return CauseUnknown
}
