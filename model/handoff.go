package model

import (
	"time"
)

// pendingHandoff is a handoff whose event waits for the acknowledgement.
type pendingHandoff struct {
	index int // in State.Handoffs
	since time.Time
}

// checkHead compares the head of the queue with the last one and records a
// handoff if it changed, at that moment.
func (j *Journal) checkHead(at time.Time, changed timeBounds) {
	head := j.first()
	if head == j.head || head != nil && j.head != nil && head.ID() == j.head.ID() {
		return
	}
	j.resolve(nil, nil) // an older one gets its acknowledgement no more
	h := &Handoff{At: at, From: j.head, To: head, Cause: CauseUnknown}
	if j.head != nil && !j.has(j.head) {
		changed = j.deletedBy(j.head, changed)
	}
	h.Earliest, h.Latest = changed.earliest, changed.latest
	if m := j.memberOf(j.head); m != nil && !j.has(j.head) {
		h.Cause, h.Silent, h.SilentIn = ending(m, at, changed)
	} else if j.head != nil && !j.has(j.head) {
		h.Cause, h.Evidence = j.foreignEnd(j.head, changed)
	}
	if head != nil {
		h.Fence = head.Czxid
		if j.head == nil {
			h.Vacant, h.VacantIn = lasted(j.vacantFrom, changed)
		}
		j.vacantFrom = timeBounds{}
	} else {
		j.vacantFrom = changed
	}
	j.explain(h)
	j.endReign(at, h.Cause)
	j.head = head
	if head != nil {
		j.startReign(head, at, changed.known())
	}
	j.state.Totals.Handoffs++
	j.state.Handoffs = remember(j.state.Handoffs, h)

	// The notification of the deletion comes before that of the
	// acknowledgement, so one from before is of an earlier reign.
	j.ackFrom = timeBounds{}
	acked := j.state.Ack.Names(head)
	switch {
	case acked && changed.known() && !j.state.Ack.At.Before(changed.since()):
		h.Takeover, h.TakeoverIn = lasted(changed, j.acked)
	case !acked && head != nil:
		j.ackFrom = changed
	}
	if !j.ackFrom.known() || j.cfg.AckPath == "" || !(j.cfg.AckExpected || j.ackSeen) || j.state.Link.Link != Connected {
		j.emit(at, *h)
		return
	}
	j.pending = &pendingHandoff{index: len(j.state.Handoffs) - 1, since: at}
	j.held = append(j.held, Event{At: at, Body: *h})
}

// ending returns why the znode of a member of ours went at that time, and for
// how long the member had been silent. Expiry is said only where the session
// could have expired: the server keeps it until ExpiresFrom at least.
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

// settle lets go of a handoff that waited long enough. It also does when the
// clock went back, or else it would wait until the clock has caught up.
func (j *Journal) settle(at time.Time) {
	if j.pending == nil {
		return
	}
	if waited := at.Sub(j.pending.since); waited >= AckWait || waited <= -AckWait {
		j.resolve(nil, nil)
	}
}

// resolve emits the waiting handoff, and what waits behind it.
func (j *Journal) resolve(takeover *time.Duration, within *Span) {
	if j.pending == nil {
		return
	}
	index := j.pending.index
	j.pending = nil
	if takeover != nil {
		j.amend(index, takeover, within)
	}
	held := j.held
	j.held = nil
	for i, e := range held {
		if h, ok := e.Body.(Handoff); ok && i == 0 {
			h.Takeover, h.TakeoverIn = takeover, within
			e.Body = h
		}
		j.emit(e.At, e.Body)
	}
}

// amend sets the takeover of a remembered handoff. States share the old one.
func (j *Journal) amend(index int, takeover *time.Duration, within *Span) {
	h := *j.state.Handoffs[index]
	h.Takeover, h.TakeoverIn = takeover, within
	hs := make([]*Handoff, len(j.state.Handoffs), cap(j.state.Handoffs))
	copy(hs, j.state.Handoffs)
	hs[index] = &h
	j.state.Handoffs = hs
}
