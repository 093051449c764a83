package doctor

import (
	"electop/model"
	"electop/model/dialect"
)

// Lead is how far the first contender has the role: what its znode, the
// acknowledgement, the servers and, of a candidate of electop, its own report say
// together. Use it wherever the leader is shown. It is "" where nobody is said to lead:
// see [State.NoLeader].
type Lead string

const (
	// Leads: it is first, and it acknowledged where that is expected and can be read.
	Leads Lead = "leads"
	// Elected: it is first and has not acknowledged.
	Elected Lead = "elected"
	// Unaware: it is first, and reports that it still waits.
	Unaware Lead = "unaware"
	// Suspended: it lost its connection or its lease.
	Suspended Lead = "suspended"
	// Ending: it closes its session.
	Ending Lead = "ending"
	// Stopped: its candidacy is over, and its znode still exists.
	Stopped Lead = "stopped"
	// Deleted: the embedded server deleted its znode, and no read shows that yet.
	Deleted Lead = "deleted"
	// AtRisk: the servers do not hear from it.
	AtRisk Lead = "at-risk"
	// Faulty: it was killed, frozen or cut off, and its znode still exists.
	Faulty Lead = "faulty"
)

// Lead returns how far the first contender has the role.
func (s *State) Lead() Lead {
	l := s.Leader()
	if l == nil {
		return ""
	}
	m := s.Member(l)
	switch {
	case s.deleted(l):
		return Deleted
	case m != nil && m.Fault != model.NoFault:
		return Faulty
	case s.Risk(l) != nil:
		return AtRisk
	case m == nil:
	case m.Ending != model.NoEnding:
		return Ending
	case m.Belief == model.Suspended:
		return Suspended
	case m.Belief == model.Resigned || m.Belief == model.Lost:
		return Stopped
	case m.Belief == model.Waiting || m.Belief == model.Volunteering:
		return Unaware
	}
	if s.Dialect != nil && s.Dialect.Lock || s.Ack.Path == "" || s.Ack.Presence == model.Denied || s.Acknowledged() {
		return Leads
	}
	return Elected
}

// deletedLooked is how many of the last deletions are looked at: a read follows each.
const deletedLooked = 64

// deleted reports whether the server said that it deleted the contender's znode.
func (s *State) deleted(c *dialect.Candidate) bool {
	for i := len(s.Wakes) - 1; i >= max(0, len(s.Wakes)-deletedLooked); i-- {
		if x := s.Wakes[i].Candidate; x != nil && x.ID() == c.ID() {
			return true
		}
	}
	return false
}
