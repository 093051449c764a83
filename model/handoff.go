package model

import "time"

// pendingHandoff is a handoff whose event waits for the acknowledgement.
type pendingHandoff struct {
	index int // in State.Handoffs
	since time.Time
}

// checkHead compares the head of the queue with the last one and records a
// handoff if it changed. The change was no later than changed; zero: nobody
// knows when it was, and so no duration that it bounds.
func (j *Journal) checkHead(at, changed time.Time) {
	head := j.first()
	if head == j.head || head != nil && j.head != nil && head.ID() == j.head.ID() {
		return
	}
	j.resolve(nil) // an older one gets its acknowledgement no more
	h := &Handoff{At: at, From: j.head, To: head, Cause: CauseUnknown}
	if m := j.memberOf(j.head); m != nil && !j.stands(j.head) {
		h.Cause, h.Silent = ending(m, at, changed)
	} else if j.head != nil && !j.stands(j.head) {
		h.Cause, h.Evidence = j.foreignEnd(j.head, changed)
	}
	if head != nil {
		h.Fence = head.Czxid
		if j.head == nil {
			h.Vacant = between(j.vacantFrom, changed)
		}
		j.vacantFrom = time.Time{}
	} else {
		j.vacantFrom = changed
	}
	j.explain(h)
	j.endReign(at, h.Cause)
	j.head = head
	if head != nil {
		j.startReign(head, at, !changed.IsZero())
	}
	j.state.Totals.Handoffs++
	j.state.Handoffs = remember(j.state.Handoffs, h)

	// The notification of the deletion comes before that of the
	// acknowledgement, so one from before is of an earlier reign.
	j.ackFrom = time.Time{}
	acked := j.state.Ack.names(head)
	switch {
	case acked && !j.state.Ack.At.Before(changed):
		h.Takeover = between(changed, j.state.Ack.At)
	case !acked && head != nil:
		j.ackFrom = changed
	}
	if j.ackFrom.IsZero() || j.cfg.AckPath == "" || !(j.cfg.AckExpected || j.ackSeen) || j.state.Link.Link != Connected {
		j.emit(at, *h)
		return
	}
	j.pending = &pendingHandoff{index: len(j.state.Handoffs) - 1, since: at}
	j.held = append(j.held, Event{At: at, Body: *h})
}

// stands reports whether the child is there still.
func (j *Journal) stands(c *Candidate) bool {
	k := j.known[c.Name]
	return k != nil && k.Czxid == c.Czxid
}

// ending returns why the znode of a member of ours went at that time, and for
// how long the member had been silent. Expiry is said only where the session
// could have expired: the server keeps it until LeaseEnd at least.
func ending(m *Member, at, deleted time.Time) (Cause, *time.Duration) {
	var silent *time.Duration
	if m.Fault != NoFault {
		silent = between(m.FaultAt, deleted)
	}
	if deleted.IsZero() {
		deleted = at
	}
	mute := m.Fault != NoFault || m.Belief == Suspended || m.Belief == Lost
	switch {
	case m.Ending == Resigning:
		return CauseResigned, silent
	case m.Ending == Closing:
		return CauseClosed, silent
	case mute && !m.LeaseEnd.IsZero() && !deleted.Before(wall(m.LeaseEnd)):
		return CauseExpired, silent
	}
	return CauseUnknown, silent
}

// settle lets go of a handoff that waited long enough. It also does when the
// clock went back, or else it would wait until the clock has caught up.
func (j *Journal) settle(at time.Time) {
	if j.pending == nil {
		return
	}
	if waited := at.Sub(j.pending.since); waited >= AckWait || waited <= -AckWait {
		j.resolve(nil)
	}
}

// resolve emits the waiting handoff, and what waits behind it.
func (j *Journal) resolve(takeover *time.Duration) {
	if j.pending == nil {
		return
	}
	index := j.pending.index
	j.pending = nil
	if takeover != nil {
		j.amend(index, takeover)
	}
	held := j.held
	j.held = nil
	for i, e := range held {
		if h, ok := e.Body.(Handoff); ok && i == 0 {
			h.Takeover = takeover
			e.Body = h
		}
		j.emit(e.At, e.Body)
	}
}

// amend sets the takeover of a remembered handoff. States share the old one.
func (j *Journal) amend(index int, takeover *time.Duration) {
	h := *j.state.Handoffs[index]
	h.Takeover = takeover
	hs := make([]*Handoff, len(j.state.Handoffs), cap(j.state.Handoffs))
	copy(hs, j.state.Handoffs)
	hs[index] = &h
	j.state.Handoffs = hs
}

// between is a duration, nil where one of its ends is not known. Clocks may
// lie, but none of them makes it negative.
func between(from, to time.Time) *time.Duration {
	if from.IsZero() || to.IsZero() {
		return nil
	}
	d := max(0, wall(to).Sub(wall(from)))
	return &d
}
