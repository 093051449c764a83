package model

import (
	"slices"

	"electop/model/dialect"
	"electop/model/znode"
)

// NoLeader is why no contender is said to lead, "" where one does.
type NoLeader string

// The reasons for which nobody is said to lead.
const (
	// NoCandidate: the queue is empty, or the election's only znode is absent.
	NoCandidate NoLeader = "no-candidate"
	// NotAcknowledged: the first contender did not create the znode by which the
	// leaders of its system say that they lead.
	NotAcknowledged NoLeader = "not-acknowledged"
	// OtherAcknowledged: that znode belongs to another session than the first
	// contender's.
	OtherAcknowledged NoLeader = "acknowledged-by-another"
	// Membership: the children are members of a group; nobody is elected.
	Membership NoLeader = "registry"
	// UnknownKind: it is not known whether the children are candidates.
	UnknownKind NoLeader = "unknown-kind"
	// MixedClients, Blocked and Unsupported: see [dialect.Doubt].
	MixedClients NoLeader = NoLeader(dialect.MixedClients)
	Blocked      NoLeader = NoLeader(dialect.Blocked)
	Unsupported  NoLeader = NoLeader(dialect.Unsupported)
	// WatchesLower: a server's table shows that the first contender waits for
	// another child. The journal does not know tables: see package doctor.
	WatchesLower NoLeader = "watches-a-lower-child"
	// GhostFirst: the first znode is a ghost, of which its owner does not know.
	// GhostPossible: it may be one. See package doctor.
	GhostFirst    NoLeader = "ghost"
	GhostPossible NoLeader = "possible-ghost"
)

// First returns the contender at the head of the queue, nil for an empty queue.
// It need not lead: see [State.NoLeader].
func (s *State) First() *dialect.Candidate {
	if s.Queue.Len() == 0 {
		return nil
	}
	return s.Queue.At(0)
}

// NoLeader returns why nobody is said to lead, "" if the first contender leads.
func (s *State) NoLeader() NoLeader {
	switch s.Dialect.Kind() {
	case dialect.KindRegistry:
		return Membership
	case dialect.KindUnknown:
		if s.Dialect != nil {
			return UnknownKind
		}
	}
	switch {
	case s.doubt == dialect.Blocked && s.Queue.Len() > 0 && (s.Member(s.Queue.At(0)) != nil || s.AcknowledgedBy() == s.Queue.At(0).Session):
		return "" // it leads in spite of that, as electop's own do: they read the znodes too
	case s.doubt != "" && s.Queue.Len() > 0:
		return NoLeader(s.doubt)
	case s.Recipe.Holders(s.Queue) == 0:
		return NoCandidate
	}
	// Only systems that acknowledge, and not electop's own election: there, whether
	// a leader has acknowledged is said beside its name.
	if s.Dialect == nil || !s.Dialect.Foreign() {
		return ""
	}
	if child := s.Dialect.AckChild(s.Path); child != "" {
		return s.ackedBy(child)
	}
	a := &s.Ack
	switch {
	case a.At.IsZero() || !slices.Equal(s.AckPaths, s.Dialect.AckPaths(s.Path)) || a.Names(s.Queue.At(0)):
		return ""
	case a.Presence == Absent || a.Presence == Present && a.ByData && !a.Data.Denied && !s.Queue.At(0).Unread && !s.Queue.At(0).Data.Denied:
		return NotAcknowledged
	case a.Presence == Present && a.Session != 0:
		return OtherAcknowledged
	}
	return ""
}

// ElectionUnseen reports whether nothing shows that the path is an election's: it has
// children, none of them is a candidate, and they do not show which system they are of;
// or it has none, where a system has its leader's own znode, which is persistent here.
func (s *State) ElectionUnseen() bool {
	return s.Phase == Live && !s.Single && s.Dialect == nil && s.Queue.Len() == 0 && (len(s.Ignored) > 0 || dialect.MaybeSingle(s.Path))
}

// Blocker is the child that [Blocked] is about, nil for none.
func (s *State) Blocker() *dialect.Candidate { return s.Dialect.Blocker(s.Queue, s.Ignored) }

// AcknowledgedBy is the session that acknowledged, 0 where that is not known or nobody
// did.
func (s *State) AcknowledgedBy() uint64 {
	stem := s.Dialect.AckChild(s.Path)
	if stem == "" {
		return s.Ack.Session
	}
	for _, c := range s.Ignored {
		if dialect.Stem(c.Name) == stem && c.Session != 0 {
			return c.Session
		}
	}
	return 0
}

// ackedBy is NoLeader of a system whose leader adds a child with that stem.
func (s *State) ackedBy(stem string) NoLeader {
	why := NotAcknowledged
	for _, c := range s.Ignored {
		if dialect.Stem(c.Name) != stem || c.Session == 0 {
			continue
		}
		if c.Session == s.Queue.At(0).Session {
			return ""
		}
		why = OtherAcknowledged
	}
	return why
}

// Leader returns the contender that leads, nil if none is said to: see
// [State.NoLeader].
func (s *State) Leader() *dialect.Candidate {
	if s.NoLeader() != "" {
		return nil
	}
	return s.Queue.At(0)
}

// Holders returns how many contenders at the front of the queue have the role: one
// leader, or those who share a lock.
func (s *State) Holders() int {
	if s.NoLeader() != "" {
		return 0
	}
	return s.Recipe.Holders(s.Queue)
}

// AckPath is the first znode by which a leader may acknowledge, "" for none.
func (s *State) AckPath() string {
	if len(s.AckPaths) == 0 {
		return ""
	}
	return s.AckPaths[0]
}

// AckRead reports whether the acknowledgement at path was read.
func (s *State) AckRead(path string) bool {
	return slices.ContainsFunc(s.acks, func(z ackZnode) bool { return z.Path == path && !z.At.IsZero() })
}

// Vacancy returns since when nobody leads. ok is false where somebody does, or where
// the present state is not known.
func (s *State) Vacancy() (v Vacancy, ok bool) {
	if s.NoLeader() != NoCandidate || s.Phase != Live {
		return v, false
	}
	d := directory(s.Directories, znode.Dir(s.Path))
	if s.vacancy.Known == VacancyFound && s.Single && d != nil && d.Presence == Present && d.Parent.Pzxid != 0 {
		for i := range d.Children {
			if z := &d.Children[i]; z.Czxid == d.Parent.Pzxid && z.Name != znode.Base(s.Path) && !z.Unread && !z.Ctime.IsZero() {
				return Vacancy{z.Ctime, VacancyByZnodes}, true
			}
		}
	}
	return s.vacancy, true
}
