package phrase

import (
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
