package phrase

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
)

// leads has the words for how far the first candidate leads: its sentence follows the
// candidate's name. It is never written.
var leads = map[doctor.Lead][]choice{
	doctor.Elected: {
		{slow, Entry{"is elected and runs its leader procedure", "elected; leader procedure running", "elected, not yet", doctor.Warning}},
		{unread, Entry{"is first, and its acknowledgement is not read yet", "first, acknowledgement not read yet", "elected", ""}},
		{nil, Entry{"is elected and has not acknowledged", "elected, not acknowledged", "elected, no ack", doctor.Warning}},
	},
	doctor.Unaware: {{nil, Entry{"is first and does not know it yet", "first, does not know it yet", "first, not aware", doctor.Warning}}},
	doctor.Suspended: {
		{obstructed, Entry{"is suspended", "suspended: {obstacle}", "suspended", doctor.Warning}},
		{nil, Entry{"is suspended", "suspended", "suspended", doctor.Warning}},
	},
	doctor.Ending:  {{nil, Entry{"is {ending}", "{ending}", "ending", doctor.Warning}}},
	doctor.Deleted: {{nil, Entry{"is first in the last list and its znode is deleted", "deleted", "deleted", doctor.Warning}}},
	doctor.Stopped: {{nil, Entry{"has stopped leading and its znode still exists", "stopped leading", "stopped", doctor.Warning}}},
	doctor.AtRisk:  {{nil, Entry{"is at risk", "the servers do not hear from the leader", "at risk", doctor.Critical}}},
	doctor.Faulty: {
		{fault(model.Killed, false), Entry{"is killed and its znode is still first", "the leader is dead but its znode exists", "killed", doctor.Warning}},
		{fault(model.Frozen, true), Entry{"is frozen and still believes it leads", "the leader is frozen but its znode exists", "frozen", doctor.Warning}},
		{fault(model.Frozen, false), Entry{"is frozen and its znode is still first", "the leader is frozen but its znode exists", "frozen", doctor.Warning}},
		{fault(model.Partitioned, true), Entry{"is cut off and must stop in time", "the leader is cut off and must stop in time", "cut off", doctor.Warning}},
		{nil, Entry{"is cut off and has stopped", "the leader is cut off and has stopped", "cut off", doctor.Warning}},
	},
}

func slow(s *doctor.State) bool {
	m := s.Member(s.Leader())
	return m != nil && m.SlowLead && m.Belief == model.Elected
}

func unread(s *doctor.State) bool { return s.Ack.At.IsZero() }

func obstructed(s *doctor.State) bool { return s.Member(s.Leader()).Obstacle != "" }

// fault is true if the leader has a fault and, if believing, believes that it leads.
func fault(f model.Fault, believing bool) func(*doctor.State) bool {
	return func(s *doctor.State) bool {
		m := s.Member(s.Leader())
		return m.Fault == f && (!believing || m.Belief == model.Leading || m.Belief == model.Elected)
	}
}

// Lead returns the words for how far the first candidate leads, none if it leads without
// reservation, or if nobody is said to lead.
func Lead(s *doctor.State) Entry { return choose(s, leads[s.Lead()]) }

// Led says for how long a reign has lasted: of one that electop did not see begin, the
// bounds, where they differ.
func Led(r model.Reign, now time.Time) string {
	least, most := now.Sub(r.Latest), now.Sub(r.Earliest)
	switch age := units.Age(now.Sub(r.From)); {
	case r.FromKnown:
		return "for " + age
	case r.Earliest.IsZero():
		return "for at least " + units.Seconds(least)
	case units.Age(least) == units.Age(most):
		return "for " + units.Age(most)
	case least < time.Second:
		return "for at most " + units.AtMost(most)
	}
	return "for at most " + units.AtMost(most) + ", at least " + units.Seconds(least)
}

// LedCell is [Led] in a column: how long it was, after most if that is only a bound, "-"
// if not even that is known.
func LedCell(r model.Reign, now time.Time, most string) string {
	switch led := now.Sub(r.Earliest); {
	case r.Earliest.IsZero():
		return "-"
	case r.FromKnown || units.Age(led) == units.Age(now.Sub(r.Latest)):
		return units.Age(led)
	default:
		return most + units.AtMost(led)
	}
}

// Role has the words for having the role.
type Role struct {
	Has    string // "leads"
	have   string // "lead", for several
	Holder string // "leader"
}

// RoleOf returns the words for the role: a lock is held.
func RoleOf(s *doctor.State) Role {
	if s.Dialect != nil && s.Dialect.Lock {
		return Role{"holds", "hold", "holder"}
	}
	return Role{"leads", "lead", "leader"}
}

// RoleHolders says who has the role, and how far: "amber leads", "amber and 2 others
// hold", "amber is elected and has not acknowledged". Candidates go by what name returns.
func RoleHolders(s *doctor.State, name func(*dialect.Candidate) string) string {
	role, n := RoleOf(s), s.Holders()
	if n == 0 {
		return "nobody " + role.Has
	}
	if e := Lead(s); e.Sentence != "" {
		return name(s.First()) + " " + e.Sentence
	}
	if n > 1 {
		return name(s.First()) + " and " + units.Count(n-1, "other", "others") + " " + role.have
	}
	return name(s.First()) + " " + role.Has
}

// None is the cell of reasons by which there is no leader.
const None = "none"

// reasons has the words for each reason why nobody is said to lead. It is never written.
var reasons = map[model.NoLeader][]choice{
	model.NoCandidate: {
		{shutDown, Entry{"no leader: the system was shut down", "", None, doctor.Warning}},
		{vacant, Entry{"no leader since {since}; {could}", "", None, doctor.Critical}},
		{noChildren, Entry{"no election seen: the znode is persistent and has no children", "", None, ""}},
		{(*doctor.State).ElectionUnseen, Entry{"no election seen: {ignored}", "", None, ""}},
		{isSingle, Entry{"nobody {leads}: the znode does not exist", "", None, doctor.Warning}},
		{nil, Entry{"nobody {leads}: there is no candidate", "", None, doctor.Warning}},
	},
	model.Membership: {{nil, Entry{"no election: {members} of a group", "", "members", ""}}},
	model.UnknownKind: {
		{isSingle, Entry{"unknown whether this is an election: only the name of {first}'s znode shows it", "owns the znode", "unknown", ""}},
		{nil, Entry{"unknown whether this is an election: {children} of an unknown kind, {first} has the lowest number",
			"lowest number", "unknown", ""}},
	},
	model.NotAcknowledged: {
		{nil, Entry{"no leader: {first} is first and has not acknowledged", "first, not acknowledged", None, doctor.Critical}},
	},
	model.OtherAcknowledged: {
		{nil, Entry{"unknown who leads: {first} is first, and session {session} acknowledged", "first, another acknowledged", "unknown", doctor.Critical}},
	},
	model.GhostFirst: {
		{nil, Entry{"nobody {leads}: first is {node}, a ghost of {ghost}", "first, a ghost: nobody {leads}", None, doctor.Critical}},
	},
	model.GhostPossible: {
		{nil, Entry{"unknown who {leads}: first is {node}, which may be a ghost of {ghost}", "first, may be a ghost", "unknown", doctor.Critical}},
	},
	model.WatchesLower: {
		{nil, Entry{"unknown who leads: {first} waits for {lower}, which is not of its kind", "waits for {lower number}", "unknown", doctor.Critical}},
	},
	model.MixedClients: {
		{(*doctor.State).Twofold, Entry{"two lead: {first} is first, and {other}, of another library, does not wait for it",
			"another leads too", "two lead", doctor.Critical}},
		{nil, Entry{"unknown who leads: {first} is first, and {other}, of another library, may not wait for it",
			"another may lead too", "unknown", doctor.Critical}},
	},
	model.Unsupported: {{nil, Entry{"unknown who leads: electop does not know how {system} elects", "lowest number", "unknown", ""}}},
	model.Blocked: {
		{nil, Entry{"unknown who leads: {first} may wait for {blocker}, which is no candidate: clients that read only names do",
			"may wait for {blocker}", "unknown", doctor.Critical}},
	},
}

func vacant(s *doctor.State) bool {
	_, ok := s.Vacancy()
	return ok && s.Dialect != nil && s.Dialect.Vacancy() > 0
}

func shutDown(s *doctor.State) bool   { return vacant(s) && s.Standbys().ShutDown }
func noChildren(s *doctor.State) bool { return s.ElectionUnseen() && len(s.Ignored) == 0 }
func isSingle(s *doctor.State) bool   { return s.Single }

// NoLeader returns the words for why nobody is said to lead, none if somebody does.
func NoLeader(s *doctor.State) Entry {
	why := s.NoLeader()
	if why == "" || reasons[why] != nil {
		return choose(s, reasons[why])
	}
	return Entry{"unknown who leads: " + string(why), string(why), "unknown", doctor.Critical}
}

// Standing returns the words for what the contender at a position is if nobody is said to
// lead: the row of the first one, or of one that may lead beside it.
func Standing(s *doctor.State, position int) Entry {
	switch e := NoLeader(s); {
	case position == 0:
		return e
	case e.Sentence == "" || position < 0:
	default:
		if c, _ := s.Blind(); c == nil || s.Queue.At(position) != c {
			break
		}
		if e.Row = "may lead too"; s.Twofold() {
			e.Row = "leads too"
		}
		return e
	}
	return Entry{}
}

// Trouble returns how grave it is that nobody is said to lead, that candidates are at risk
// or that there are findings: the gravest of these, "" for none. Use it wherever elections
// are listed.
func Trouble(s *doctor.State) doctor.Severity {
	all := slices.Clone(s.Findings)
	if s.Phase != model.Unseen && s.Phase != model.Forbidden {
		all = append(all, &doctor.Finding{Severity: NoLeader(s).Severity})
	}
	for _, r := range s.Risks {
		f := &doctor.Finding{Severity: doctor.Warning}
		if r.Leader {
			f.Severity = doctor.Critical
		}
		all = append(all, f)
	}
	return doctor.Worst(all)
}

// NothingFound says that the doctor found nothing. well is false if nobody leads, or if a
// suspicion that decides has not been observed for long enough.
func NothingFound(s *doctor.State) (text string, well bool) {
	if NoLeader(s).Severity != "" {
		return "No other finding in what was checked.", false
	}
	if slices.ContainsFunc(s.Pending, doctor.Pending.Decides) {
		return "Nothing found yet: not observed for long enough.", false
	}
	return "Nothing found in what was checked.", true
}
