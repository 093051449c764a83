package wording

import (
	"strings"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/rows"
	"electop/ui/term"
)

// NoLeader says why nobody is said to lead, "" where somebody does.
func NoLeader(s *doctor.State) (term.Style, string) {
	first := Label(s.First())
	switch s.NoLeader() {
	case "":
		return term.Text, ""
	case model.Membership:
		return term.Muted, "no election: " + units.Count(s.Queue.Len(), "member", "members") + " of a group"
	case model.UnknownKind:
		return term.Muted, "unknown whether this is an election; " + first + " has the lowest number"
	case model.NotAcknowledged:
		return term.Alarm, "no leader: " + first + " is first and has not acknowledged"
	case model.GhostFirst, model.GhostPossible:
		of, sure := s.GhostOf(s.First())
		of = znode.Safe(of, rows.NameMax)
		if sure {
			return term.Alarm, "nobody " + RoleOf(s).Has + ": first is " + Brief(s.First()) + ", a ghost of " + of
		}
		return term.Alarm, "unknown who " + RoleOf(s).Has + ": first is " + Brief(s.First()) + ", which may be a ghost of " + of
	case model.WatchesLower:
		return term.Alarm, "unknown who leads: " + first + " waits for " + Label(s.WaitsFor()) + ", which is not of its kind"
	case model.MixedClients:
		if c, _ := s.Blind(); s.Twofold() {
			return term.Alarm, "two lead: " + first + " is first, and " + Label(c) + ", of another library, does not wait for it"
		} else {
			return term.Alarm, "unknown who leads: " + first + " is first, and " + Label(c) + ", of another library, may not wait for it"
		}
	case model.Blocked:
		return term.Alarm, "unknown who leads: " + first + " may wait for " + Numbered(s.Blocker()) + ", which is no candidate"
	case model.Unsupported:
		return term.Trouble, "unknown who leads: electop does not know how " + s.Dialect.System + " elects"
	case model.OtherAcknowledged:
		return term.Alarm, "unknown who leads: " + first + " is first, session " + znode.Hex(s.AcknowledgedBy()) + " acknowledged"
	}
	if v, ok := s.Vacancy(); ok && s.Dialect != nil && s.Dialect.Vacancy() > 0 {
		st := term.Alarm
		if s.Down() {
			return term.Trouble, "no leader: the system was shut down"
		}
		return st, "no leader since " + vacantSince(v) + "; " + doctor.Could("lead", s.Standbys())
	}
	if s.ElectionUnseen() && len(s.Ignored) == 0 {
		return term.Muted, "no election seen: the znode is persistent and has no children"
	}
	if s.ElectionUnseen() {
		return term.Muted, "no election seen: none of the children is a candidate"
	}
	return term.Trouble, "nobody " + RoleOf(s).Has
}

// vacantSince is since when nobody leads, and how sure that is.
func vacantSince(v model.Vacancy) string {
	switch v.Known {
	case model.VacancyWatched:
		return units.Clock(v.Since)
	case model.VacancyByZnodes:
		return units.Stamp(v.Since) + " at least"
	}
	return "before electop looked"
}

// Sentence is words as a sentence.
func Sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

// TakeOver says who could take over from a leader without a queue.
func TakeOver(s *doctor.State) string { return doctor.Could("take over", s.Standbys()) }

// Standing says in a few words what the first contender is where nobody is said to
// lead, "" for the others.
func Standing(s *doctor.State, position int) (term.Style, string) {
	if c, _ := s.Blind(); c != nil && s.NoLeader() == model.MixedClients && position > 0 && s.Queue.At(position) == c {
		if s.Twofold() {
			return term.Alarm, "leads too"
		}
		return term.Alarm, "may lead too"
	}
	if position != 0 {
		return term.Text, ""
	}
	switch s.NoLeader() {
	case model.NotAcknowledged:
		return term.Alarm, "first, not acknowledged"
	case model.OtherAcknowledged:
		return term.Alarm, "first, another acknowledged"
	case model.GhostFirst:
		return term.Alarm, "first, a ghost: nobody " + RoleOf(s).Has
	case model.GhostPossible:
		return term.Alarm, "first, may be a ghost"
	case model.WatchesLower:
		return term.Alarm, "waits for " + Numbered(s.WaitsFor())
	case model.UnknownKind, model.Unsupported:
		return term.Muted, "lowest number"
	case model.MixedClients:
		if s.Twofold() {
			return term.Alarm, "another leads too"
		}
		return term.Alarm, "another may lead too"
	case model.Blocked:
		return term.Alarm, "may wait for " + Numbered(s.Blocker())
	}
	return term.Text, ""
}

// Registry reports whether the children are members of a group.
func Registry(s *doctor.State) bool { return s.NoLeader() == model.Membership }

// Elects reports whether the children are known to be candidates of an election, or
// of a lock.
func Elects(s *doctor.State) bool { return !Registry(s) && s.NoLeader() != model.UnknownKind }

// CountOf counts the queue in the words of what it is.
func CountOf(s *doctor.State) string {
	if Registry(s) {
		return units.Count(s.Queue.Len(), "member", "members")
	}
	return units.Count(s.Queue.Len(), "candidate", "candidates")
}
