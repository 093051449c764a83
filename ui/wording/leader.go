package wording

import (
	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
)

// NoLeader says why nobody is said to lead, "" where somebody does.
func NoLeader(s *doctor.State) (term.Style, string) {
	first := Label(s.First())
	switch s.NoLeader() {
	case "":
		return term.Text, ""
	case model.Membership:
		return term.Muted, "no election: " + units.Count(len(s.Queue), "member", "members") + " of a group"
	case model.UnknownKind:
		return term.Muted, "unknown whether this is an election; " + first + " has the lowest number"
	case model.NotAcknowledged:
		return term.Alarm, "no leader: " + first + " is first and has not acknowledged"
	case model.WatchesLower:
		return term.Alarm, "unknown who leads: " + first + " waits for " + Label(s.WaitsFor()) + ", which is not of its kind"
	case model.OtherAcknowledged:
		return term.Alarm, "unknown who leads: " + first + " is first, session " + znode.Hex(s.Ack.Session) + " acknowledged"
	}
	return term.Trouble, "nobody " + RoleOf(s).Has
}

// Standing says in a few words what the first contender is where nobody is said to
// lead, "" for the others.
func Standing(s *doctor.State, position int) (term.Style, string) {
	if position != 0 {
		return term.Text, ""
	}
	switch s.NoLeader() {
	case model.NotAcknowledged:
		return term.Alarm, "first, not acknowledged"
	case model.OtherAcknowledged:
		return term.Alarm, "first, another acknowledged"
	case model.WatchesLower:
		return term.Alarm, "waits for " + Numbered(s.WaitsFor())
	case model.UnknownKind:
		return term.Muted, "lowest number"
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
		return units.Count(len(s.Queue), "member", "members")
	}
	return units.Count(len(s.Queue), "candidate", "candidates")
}
