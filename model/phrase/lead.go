package phrase

import (
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// Lead describes [doctor.State.Lead], empty for [doctor.Leads] and for no leader. The sentence follows
// the leader's name.
func Lead(s *doctor.State) Entry {
	m, lead := s.Member(s.Leader()), s.Lead()
	entry := func(sentence, row, cell string) Entry {
		return Entry{s.Words(sentence), s.Words(row), cell, doctor.Warning}
	}
	if s.Pace.Slowed() && (lead == doctor.Elected && (m == nil || !m.SlowLead) || lead == doctor.Unaware) { // the delay explains it
		entry = func(sentence, row, cell string) Entry { return Entry{Sentence: sentence, Row: row, Cell: cell} }
	}
	switch lead {
	case doctor.Elected:
		switch {
		case m != nil && m.SlowLead && m.Belief == model.Elected:
			return entry("is elected and runs its leader procedure", "elected; leader procedure running", "elected, not yet")
		case s.Acknowledged():
			return Entry{"has acknowledged and does not know it yet", "acknowledged, does not know it yet", "elected", ""}
		case s.Ack.At.IsZero():
			return Entry{"is first, and its acknowledgement is not read yet", "first, acknowledgement not read yet", "elected", ""}
		}
		return entry("is elected and has not acknowledged", "elected, not acknowledged", "elected, no ack")
	case doctor.Unaware:
		return entry("is first and does not know it yet", "first, does not know it yet", "first, not aware")
	case doctor.Suspended:
		return entry("is suspended", strings.TrimSuffix("suspended: "+znode.Safe(m.Obstacle, 0), ": "), "suspended")
	case doctor.Ending:
		ending := znode.Safe(string(m.Ending), 0)
		return entry("is "+ending, ending, "ending")
	case doctor.Deleted:
		return entry("is first in the last list and its znode is deleted", "deleted", "deleted")
	case doctor.Stopped:
		return entry("has stopped leading and its znode still exists", "stopped leading", "stopped")
	case doctor.AtRisk:
		return Entry{"is at risk", s.Words("the servers receive nothing from the leader"), "at risk", doctor.Critical}
	case doctor.Faulty:
		switch believes := m.Belief == model.Leading || m.Belief == model.Elected; {
		case m.Fault == model.Killed:
			return entry("is killed and its znode is still first", "the leader is dead but its znode exists", "killed")
		case m.Fault == model.Frozen:
			still := map[bool]string{true: "still believes it leads", false: "its znode is still first"}[believes]
			return entry("is frozen and "+still, "the leader is frozen but its znode exists", "frozen")
		default:
			stops := "is cut off and " + map[bool]string{true: "must stop in time", false: "has stopped"}[believes]
			return entry(stops, "the leader "+stops, "cut off")
		}
	}
	return Entry{}
}

// None is [Entry.Cell] of [NoLeader] if nobody leads, except for kinds without a leader.
const None = "none"

// NoLeader describes why nobody is known to lead, empty if somebody is.
func NoLeader(s *doctor.State) Entry {
	first, leads := Label(s.First()), RoleOf(s).Has
	unsure := func(sentence, row string) Entry {
		return Entry{s.Words("unknown who leads: ") + sentence, row, "unknown", doctor.Critical}
	}
	switch why := s.NoLeader(); why {
	case "":
		return Entry{}
	case model.NoCandidate:
		return noCandidate(s)
	case model.NoRole:
		return Entry{s.Kind().String() + ": " + Content(s), "", s.Kind().String(), ""}
	case model.UnknownKind:
		const words = "unknown whether this is an election: "
		if s.Queue.Len() == 0 {
			return Entry{words + "it has no children now", "", "unknown", ""}
		}
		if s.Single {
			return Entry{words + "only the name of " + first + "'s znode suggests it", "owns the znode", "unknown", ""}
		}
		children := units.Count(s.Queue.Len(), "child", "children")
		return Entry{words + children + " of an unknown kind; " + first + " has the lowest number", "lowest number", "unknown", ""}
	case model.NotAcknowledged:
		return Entry{"no leader: " + first + " is first and has not acknowledged", "first, not acknowledged", None, doctor.Critical}
	case model.OtherAcknowledged:
		return unsure(first+" is first, and session "+znode.Hex(s.AcknowledgedBy)+" acknowledged", "first, another acknowledged")
	case model.GhostFirst, model.GhostPossible:
		of, _ := s.GhostOf(s.First())
		node, of := Brief(s.First()), znode.Safe(of, 0)
		if why == model.GhostFirst {
			return Entry{"nobody " + leads + ": " + node + " is first and is a ghost of " + of, "first, a ghost: nobody " + leads, None, doctor.Critical}
		}
		return Entry{"unknown who " + leads + ": " + node + " is first and may be a ghost of " + of, "first, may be a ghost", "unknown", doctor.Critical}
	case model.WatchesLower:
		return unsure(first+" waits for "+Label(s.WaitsFor)+", which is no candidate", "waits for "+NumberOrName(s.WaitsFor))
	case model.MixedClients:
		r, _, proven := s.Rival()
		label, counts, two := Label(r.Unaware), " counts only "+r.Unaware.Library().CountedNames, s.Words("two lead")
		if proven {
			return Entry{two + " (inferred): " + Label(r.Other) + " and " + label + ", which" + counts, two + " (inferred)", two, doctor.Critical}
		}
		return unsure(label+s.Words(" may lead beside ")+Label(r.Other)+": by default it"+counts, s.Words("another may lead too"))
	case model.Unsupported:
		return Entry{"unknown who leads: electop does not know how " + s.Dialect.System + " elects", "lowest number", "unknown", ""}
	case model.Blocked:
		blocker := NumberOrName(s.Blocker)
		return unsure(first+" may wait for "+blocker+", which is no candidate: some clients compare only names", "may wait for "+blocker)
	default:
		return unsure(string(why), string(why))
	}
}

func noCandidate(s *doctor.State) Entry {
	v, vacant := s.Vacancy()
	vacant = vacant && s.Dialect != nil && s.Dialect.Vacancy() > 0
	switch {
	case vacant && s.Standbys().ShutDown:
		return Entry{"no leader: the system was shut down", "", None, doctor.Warning}
	case vacant:
		return Entry{"no leader since " + doctor.Since(v) + "; " + znode.Safe(Could(s), 0), "", None, doctor.Critical}
	case s.ElectionUnseen() && len(s.Ignored) == 0:
		return Entry{"no election seen: the znode is persistent and has no children", "", None, ""}
	case s.ElectionUnseen():
		return Entry{"no election seen: " + units.Count(len(s.Ignored), "child is no candidate", "children are no candidates"), "", None, ""}
	case s.Single:
		return Entry{"nobody " + RoleOf(s).Has + ": the znode does not exist", "", None, doctor.Warning}
	}
	if s.Dialect == nil && s.Totals.Joined == 0 && len(s.Members) == 0 && s.Pace == nil {
		return Entry{"no candidate, and nothing shows that this is an election", "", None, doctor.Warning}
	}
	return Entry{"nobody " + RoleOf(s).Has + ": there is no candidate", "", None, doctor.Warning}
}

// Led describes how long a reign has lasted, as bounds if electop did not observe the beginning.
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

// LedCell returns the exact time or the upper bound of [Led], "-" for none. most is the prefix of an upper bound.
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

// RoleHolders names who has the role, or describes the first holder with [Lead]: "amber leads".
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

// Standing describes the first contender or a rival while nobody is known to lead. Otherwise the entry is empty.
func Standing(s *doctor.State, position int) Entry {
	switch e := NoLeader(s); {
	case position == 0:
		return e
	case e.Sentence == "" || position < 0:
	default:
		c := s.Queue.At(position)
		if s.NoLeader() != model.MixedClients || !s.IsRival(c) {
			break
		}
		e.Row = s.Words("may lead too")
		if r, _, proven := s.Rival(); proven && r.Candidate == c {
			e.Row = s.Words("believes it leads")
		}
		return e
	}
	return Entry{}
}

// Trouble returns the highest severity of findings, risks and, if the path was readable, [NoLeader]; "" for none.
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

// NothingFound returns the words for an election without findings, and whether the election is well.
func NothingFound(s *doctor.State) (text string, well bool) {
	if Lead(s).Severity != "" {
		return RoleHolders(s, Label) + ". No other finding in what was checked.", false
	}
	if NoLeader(s).Severity != "" {
		return "No other finding in what was checked.", false
	}
	if slices.ContainsFunc(s.Pending, doctor.Pending.Decides) {
		return "Nothing found yet: not observed for long enough.", false
	}
	return "Nothing found in what was checked.", true
}
