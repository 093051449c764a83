package model

import "time"

// checkHead compares the head of the queue with the last one and records a
// handoff if it changed, at that moment.
func (j *Journal) checkHead(at time.Time, changed timeBounds) {
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
	case gone:
		h.Cause, h.Evidence = foreignEnd(old, changed, &j.sessions, j.table != nil, j.at)
	}
	if m == nil {
		j.unexplained.add(h, j.sessions.Of)
	}
	if head != nil {
		h.Fence = head.Czxid
		if old == nil {
			h.Vacant, h.VacantIn = lasted(j.vacantFrom, changed)
		}
		j.vacantFrom = timeBounds{}
	} else {
		j.vacantFrom = changed
	}
	j.past.end(at, h.Cause)
	j.head = head
	if head != nil {
		j.past.begin(Reign{Leader: head, From: at, FromKnown: changed.known()})
	}
	j.totals.Handoffs++
	j.past.handoff(h)

	took, within, waits := j.ack.handoff(head, changed)
	h.Takeover, h.TakeoverIn = took, within
	if waits && j.link.Link == Connected {
		j.events.hold(h)
	} else {
		j.emit(at, *h)
	}
}

// firstHead notes who leads at the first read, which is no handoff.
func (j *Journal) firstHead(at time.Time) {
	if j.head = j.first(); j.head == nil {
		return
	}
	r := Reign{Leader: j.head, From: at}
	if c := j.head.Ctime; !c.IsZero() && c.Before(at) {
		r.From = c // it cannot have led for longer
	}
	j.past.begin(r)
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
