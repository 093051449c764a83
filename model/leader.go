package model

import (
	"slices"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// NoLeader is the reason why no contender is known to lead, "" if a contender leads.
type NoLeader string

const (
	NoCandidate       NoLeader = "no-candidate"            // the queue is empty, or the single znode is absent
	NotAcknowledged   NoLeader = "not-acknowledged"        // the acknowledgement is absent, or differs from the first contender's data
	OtherAcknowledged NoLeader = "acknowledged-by-another" // a session other than the first contender's owns the acknowledgement
	NoRole            NoLeader = "no-role"                 // the children elect nobody and lock nothing
	UnknownKind       NoLeader = "unknown-kind"            // it is unknown whether the children are candidates
	Blocked           NoLeader = "blocked"                 // clients may wait for a child that is no contender: Blocker of [State]
	Unsupported       NoLeader = "unsupported"             // electop cannot decide who leads in this system
	MixedClients      NoLeader = "mixed-clients"           // one of [State.Rivals] may lead beside the first contender
	WatchesLower      NoLeader = "watches-a-lower-child"   // the first contender watches a child with a lower number: WaitsFor of [State]
	GhostFirst        NoLeader = "ghost"                   // the first znode is a ghost: see [Ghosts]
	GhostPossible     NoLeader = "possible-ghost"          // the first znode may be a ghost
)

// First returns the head of the queue, leading or not; nil for an empty queue.
func (s *State) First() *dialect.Candidate {
	if s.Queue.Len() == 0 {
		return nil
	}
	return s.Queue.At(0)
}

// Unknown reports whether somebody may lead, although nobody is known to lead.
func (why NoLeader) Unknown() bool {
	switch why {
	case UnknownKind, OtherAcknowledged, MixedClients, Unsupported, Blocked, WatchesLower, GhostPossible:
		return true
	}
	return false
}

type role struct {
	why            NoLeader
	holders        int
	WaitsFor       *dialect.Candidate // the lower child that the first contender watches, nil for none
	Blocker        *dialect.Candidate // the child that can cause [Blocked], nil for none
	AcknowledgedBy uint64             // the session that acknowledged, 0 for none or unknown
}

func (j *Journal) decideRole(at time.Time) {
	j.role = role{Blocker: j.blocker}
	if j.queue.Len() > 0 {
		j.role.WaitsFor = j.watches.waitsFor(j.queue.At(0), j.rest, j.cfg.Path)
		j.role.AcknowledgedBy = j.ack.acknowledgedBy(j.naming.dialect.Ack(j.cfg.Path).Child, &j.children)
	}
	if j.role.why = j.noLeader(); j.role.why == "" && j.rivals.contest(at, j.pace) {
		j.role.why = MixedClients
	}
	if j.role.why == "" {
		j.role.holders = j.recipe.Holders(j.queue)
	}
}

func (j *Journal) noLeader() NoLeader {
	holders := j.recipe.Holders(j.queue)
	switch kind := j.naming.dialect.Kind(); {
	case j.naming.dialect.Elects():
	case kind == dialect.KindUnknown && !j.naming.dialect.Vague():
		return UnknownKind
	default:
		return NoRole
	}
	switch unsupported := j.naming.decisive().Unsupported(); {
	case j.queue.Len() == 0, holders == 0 && !unsupported:
		return NoCandidate
	case unsupported:
		return Unsupported
	}
	head := j.queue.At(0)
	switch why := j.unacknowledged(head); {
	case j.blocker != nil && j.memberOf(head) == nil && j.role.AcknowledgedBy != head.Session:
		return Blocked
	case j.blocker == nil && why != "":
		return why
	case j.role.WaitsFor != nil:
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

func (j *Journal) unacknowledged(head *dialect.Candidate) NoLeader {
	d := j.naming.dialect
	if d == nil || !d.Foreign() {
		return ""
	}
	a, child := &j.ack.AckState, j.naming.dialect.Ack(j.cfg.Path).Child != ""
	switch by := j.role.AcknowledgedBy; {
	case child && by == 0:
		return NotAcknowledged
	case child && by != head.Session:
		return OtherAcknowledged
	case child:
		return ""
	case a.At.IsZero() || !slices.Equal(j.ack.paths, j.naming.dialect.Ack(j.cfg.Path).Paths()) || a.Names(head):
		return ""
	case a.Presence == Absent || a.Presence == Present && a.ByData && !a.Data.Denied && !a.Data.Truncated() && !head.Unread && !head.Data.Denied:
		return NotAcknowledged
	case a.Presence == Present && a.Session != 0 && a.Session == head.Session:
		return NotAcknowledged // the data names an older znode of the session
	case a.Presence == Present && a.Session != 0:
		return OtherAcknowledged
	}
	return ""
}

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

// NoLeader returns why nobody is known to lead, "" if the first contender leads.
func (s *State) NoLeader() NoLeader { return s.role.why }

// IsRival reports whether the candidate is one of s.Rivals.
func (s *State) IsRival(c *dialect.Candidate) bool {
	return slices.ContainsFunc(s.Rivals, func(r dialect.Rival) bool { return r.ID() == c.ID() })
}

// Holders counts the contenders that are known to have the role. Several contenders can share a lock.
func (s *State) Holders() int { return s.role.holders }

// Leader returns the contender that is known to lead, nil for none: see [State.NoLeader].
func (s *State) Leader() *dialect.Candidate {
	if s.role.why != "" {
		return nil
	}
	return s.First()
}

// ElectionUnseen reports whether the path exists but looks unlike an election.
func (s *State) ElectionUnseen() bool {
	return s.Phase == Live && !s.Single && s.Dialect == nil && s.Queue.Len() == 0 && (len(s.Ignored) > 0 || dialect.MaybeSingle(s.Path))
}

// AckPath returns the first path of the acknowledgement, "" for none.
func (s *State) AckPath() string {
	if len(s.AckPaths) == 0 {
		return ""
	}
	return s.AckPaths[0]
}

// Vacancy describes since when there is no candidate.
type Vacancy struct {
	Since time.Time
	Known VacancyKnown
}

// VacancyKnown is the source of [Vacancy.Since]. Except for [VacancyWatched], the vacancy may be longer.
type VacancyKnown string

const (
	VacancyWatched  VacancyKnown = "watched" // electop observed the deletion of the leader's znode
	VacancyByZnodes VacancyKnown = "znodes"  // the newest sibling of the leader's znode was created then (server clock)
	VacancyFound    VacancyKnown = ""        // electop first saw the vacancy then
)

// Vacancy returns the present vacancy; ok is false if none is known.
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

// Ghosts finds ghosts among the contenders of one session, in the queue's order. A ghost is a znode
// that its client does not use, because the create reply was lost. known is the znode that the client
// uses instead of these ghosts.
//
// A member m reports the znode that it uses. A third-party client (m is nil) has a ghost if two of
// its znodes have the same guid; it uses the last. A client without guids may want several znodes.
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
		if used := last[key(c)]; used != nil && used != c && (known == nil || used == known) {
			ghosts, known = append(ghosts, c), used
		}
	}
	return ghosts, known
}

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

// GhostOf returns "" if c is no ghost, otherwise the member's name or the label of the znode that the
// client uses. sure is true only for a ghost of a member.
func (s *State) GhostOf(c *dialect.Candidate) (of string, sure bool) {
	if c == nil || c.Session == 0 || !s.crowded {
		return "", false
	}
	return ghostOf(s.Member(c), c, s.Queue)
}

var kindWords = map[bool]*strings.Replacer{
	true:  strings.NewReplacer("{leader}", "{leader}", "{candidate", "{candidate", "leader", "holder", "lead", "hold", " led", " held", "candidate", "contender"),
	false: strings.NewReplacer("{candidate", "{candidate", "candidate", "participant", "resigns", "leaves according to the recipe"),
}

// Words returns text with words for the kind of s, for example "holder" instead of "leader" for a lock.
func (s *State) Words(text string) string {
	if locks := s.Dialect.Locks(); locks || s.NoLeader() == NoRole {
		return kindWords[locks].Replace(text)
	}
	return text
}
