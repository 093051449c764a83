package model

import (
	"slices"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// NoLeader says why no contender leads, "" if one does.
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
	// another child.
	WatchesLower NoLeader = "watches-a-lower-child"
	// GhostFirst: the first znode is a ghost, of which its owner does not know.
	// GhostPossible: it may be one.
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

// Unknown reports whether somebody may lead all the same: nobody can say.
func (why NoLeader) Unknown() bool {
	switch why {
	case UnknownKind, OtherAcknowledged, MixedClients, Unsupported, Blocked, WatchesLower, GhostPossible:
		return true
	}
	return false
}

// role says who has the role: the first holders contenders, or nobody, and why.
type role struct {
	why      NoLeader
	holders  int
	waitsFor *dialect.Candidate // for WatchesLower
	// acknowledgedBy is for OtherAcknowledged.
	acknowledgedBy uint64
}

// decideRole decides who has the role.
func (j *Journal) decideRole() {
	j.role = role{}
	if j.queue.Len() > 0 {
		j.role.waitsFor = j.watches.waitsFor(j.queue.At(0), j.rest, j.cfg.Path)
		j.role.acknowledgedBy = j.ack.acknowledgedBy(j.naming.dialect.Ack(j.cfg.Path).Child, &j.children)
	}
	if j.role.why = j.noLeader(); j.role.why == "" {
		j.role.holders = j.recipe.Holders(j.queue)
	}
}

// noLeader returns why nobody leads, "" if the first contender does.
func (j *Journal) noLeader() NoLeader {
	holders := j.recipe.Holders(j.queue)
	switch kind := j.naming.dialect.Kind(); {
	case kind == dialect.KindRegistry:
		return Membership
	case kind == dialect.KindUnknown && j.naming.dialect != nil:
		return UnknownKind
	case holders == 0 && (j.doubt == "" || j.queue.Len() == 0):
		return NoCandidate
	}
	head := j.queue.At(0)
	// It leads in spite of a child that blocks others, if it is electop's own, which
	// reads the znodes too, or has acknowledged.
	blocked := j.doubt == dialect.Blocked && (j.memberOf(head) != nil || j.role.acknowledgedBy == head.Session)
	counts := j.doubt == dialect.MixedClients && j.watches.blindWaits(j.naming.dialect, &j.children, j.cfg.Path)
	if j.doubt != "" && !blocked && !counts {
		return NoLeader(j.doubt)
	}
	if j.doubt == "" {
		if why := j.unacknowledged(head); why != "" {
			return why
		}
	}
	if j.role.waitsFor != nil {
		return WatchesLower
	}
	if j.crowded() && j.owned[head.Session] > 1 {
		switch ghost, sure := ghostOf(j.memberOf(head), head, j.queue); {
		case sure:
			return GhostFirst
		case ghost != "" && holders == 1:
			return GhostPossible
		}
	}
	return ""
}

// unacknowledged returns how the acknowledgement denies that head leads, "" if it does
// not. Only systems that acknowledge, and not electop's own election: there, whether a
// leader has acknowledged is said beside its name.
func (j *Journal) unacknowledged(head *dialect.Candidate) NoLeader {
	d := j.naming.dialect
	if d == nil || !d.Foreign() {
		return ""
	}
	a, child := &j.ack.AckState, j.naming.dialect.Ack(j.cfg.Path).Child != ""
	switch by := j.role.acknowledgedBy; {
	case child && by == 0:
		return NotAcknowledged
	case child && by != head.Session:
		return OtherAcknowledged
	case child:
		return ""
	case a.At.IsZero() || !slices.Equal(j.ack.paths, j.naming.dialect.Ack(j.cfg.Path).Paths()) || a.Names(head):
		return ""
	case a.Presence == Absent || a.Presence == Present && a.ByData && !a.Data.Denied && !head.Unread && !head.Data.Denied:
		return NotAcknowledged
	case a.Presence == Present && a.Session != 0:
		return OtherAcknowledged
	}
	return ""
}

// acknowledgedBy returns the session that acknowledged, the first contender's if it did, 0
// if that is not known or nobody did. With a stem, a child of that name acknowledges.
func (a *acknowledgement) acknowledgedBy(stem string, cs *children) (by uint64) {
	if stem == "" {
		return a.Session
	}
	for _, c := range cs.rest {
		switch {
		case dialect.Stem(c.Name) != stem:
		case by == 0 || c.Session == cs.queue.At(0).Session:
			by = c.Session
		}
	}
	return by
}

// NoLeader returns why nobody is said to lead, "" if the first contender leads.
func (s *State) NoLeader() NoLeader { return s.role.why }

// WaitsFor returns the child that the first contender waits for, by the servers' own
// tables, nil for none: a child before it in the order of numbers, ephemeral, that
// is no contender by the recipe. So the first contender does not lead, and its
// clients order more names than its system is known to. Clients of two libraries
// that share a lock do that.
func (s *State) WaitsFor() *dialect.Candidate { return s.role.waitsFor }

// Holders returns how many contenders at the front of the queue have the role: one
// leader, or those who share a lock.
func (s *State) Holders() int { return s.role.holders }

// Leader returns the contender that leads, nil if none is said to: see
// [State.NoLeader].
func (s *State) Leader() *dialect.Candidate {
	if s.role.why != "" {
		return nil
	}
	return s.First()
}

// AcknowledgedBy returns the session that acknowledged, the first contender's if it did,
// 0 if that is not known or nobody did.
func (s *State) AcknowledgedBy() uint64 { return s.role.acknowledgedBy }

// ElectionUnseen reports whether nothing shows that the path is an election's: it has
// children, none of them is a candidate, and they do not show which system they are of;
// or it has none, if a system has its leader's own znode, which is persistent here.
func (s *State) ElectionUnseen() bool {
	return s.Phase == Live && !s.Single && s.Dialect == nil && s.Queue.Len() == 0 && (len(s.Ignored) > 0 || dialect.MaybeSingle(s.Path))
}

// Blocker is the child that [Blocked] is about, nil for none.
func (s *State) Blocker() *dialect.Candidate { return s.Dialect.Blocker(s.Queue, s.Ignored) }

// AckPath is the first znode by which a leader may acknowledge, "" for none.
func (s *State) AckPath() string {
	if len(s.AckPaths) == 0 {
		return ""
	}
	return s.AckPaths[0]
}

// Vacancy says since when nobody leads, if the queue is empty or the election's only
// znode absent.
type Vacancy struct {
	Since time.Time
	Known VacancyKnown
}

// VacancyKnown says how the time of a [Vacancy] is known.
type VacancyKnown string

const (
	// VacancyWatched: the leader's znode was seen to go then.
	VacancyWatched VacancyKnown = "watched"
	// VacancyByZnodes: the last change beside the leader's znode was the creation of another,
	// then by the servers' clock. So nobody has led since, and perhaps for longer.
	VacancyByZnodes VacancyKnown = "znodes"
	// VacancyFound: electop found it so then; nobody may have led for longer.
	VacancyFound VacancyKnown = ""
)

// Vacancy returns since when nobody leads. ok is false if somebody does, or if
// the present state is not known.
func (s *State) Vacancy() (v Vacancy, ok bool) {
	if s.NoLeader() != NoCandidate || s.Phase != Live {
		return v, false
	}
	d := s.Directories[znode.Dir(s.Path)]
	if s.vacancy.Known == VacancyFound && s.Single && d != nil && d.Presence == Present && d.Parent.Pzxid != 0 {
		for i := range d.Children {
			if z := &d.Children[i]; z.Czxid == d.Parent.Pzxid && z.Name != znode.Base(s.Path) && !z.Unread && !z.Ctime.IsZero() {
				return Vacancy{z.Ctime, VacancyByZnodes}, true
			}
		}
	}
	return s.vacancy, true
}

// Ghosts finds the ghosts among the contenders of one session, which are in the queue's
// order: znodes that their client does not know of, because the reply to a create was
// lost and it created another one, known. A candidate of electop, m, reports itself which
// one it knows. Of a third-party client (m is nil) the same guid twice shows it: it
// serves to find the first znode again, so the client wanted only one, and goes by the
// last. Without such evidence a client may want several: latches and threads share its
// session.
func Ghosts(m *Member, owned []*dialect.Candidate) (ghosts []*dialect.Candidate, known *dialect.Candidate) {
	last := make(map[string]*dialect.Candidate, len(owned))
	key := func(c *dialect.Candidate) string { return dialect.Stem(c.Name) }
	if m != nil {
		key = func(*dialect.Candidate) string { return "" }
	}
	for _, c := range owned {
		if m == nil && dialect.HasGuid(c.Name) || m != nil && m.Belief != Volunteering && c.Name == m.Znode && c.Session == m.Session {
			last[key(c)] = c
		}
	}
	for _, c := range owned {
		if goesBy := last[key(c)]; goesBy != nil && goesBy != c && (known == nil || goesBy == known) {
			ghosts, known = append(ghosts, c), goesBy
		}
	}
	return ghosts, known
}

// ghostOf is [State.GhostOf] of a contender in the queue, whose session m has.
func ghostOf(m *Member, c *dialect.Candidate, queue dialect.Queue) (of string, sure bool) {
	if m == nil && !dialect.HasGuid(c.Name) {
		return "", false
	}
	var owned []*dialect.Candidate
	stem := dialect.Stem(c.Name)
	for _, x := range queue.All() {
		if x.Session == c.Session && (m != nil || strings.HasPrefix(x.Name, stem) && dialect.Stem(x.Name) == stem) {
			owned = append(owned, x)
		}
	}
	switch ghosts, known := Ghosts(m, owned); {
	case !slices.Contains(ghosts, c):
		return "", false
	case m != nil:
		return m.Name, true
	default:
		return known.Label(), false
	}
}

// GhostOf returns the name of the candidate whose ghost c is (see [Ghosts]), "" for a
// znode that is no ghost. sure means that the owner itself reported another znode; of
// third-party candidates it is only inferred.
func (s *State) GhostOf(c *dialect.Candidate) (of string, sure bool) {
	if c == nil || c.Session == 0 || !s.crowded {
		return "", false
	}
	return ghostOf(s.Member(c), c, s.Queue)
}
