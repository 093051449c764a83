package plain

import (
	"fmt"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// queued is the contender at the head of a queue in which nobody is said to lead,
// and why it is not said to.
type queued struct {
	Znode   string  `json:"znode"`
	Name    *string `json:"name"`
	Session *string `json:"session"`
	Why     string  `json:"why"`
}

// firstOf is the head of the queue where it does not lead, nil else.
func firstOf(s *doctor.State) *queued {
	c, why := s.First(), s.NoLeader()
	if c == nil || why == "" || why == model.Membership {
		return nil
	}
	return &queued{znode.Join(s.Path, c.Name), name(c), sessionID(c), string(why)}
}

// noLeader says why nobody is said to lead.
func noLeader(s *doctor.State) string {
	n := len(s.Queue)
	switch s.NoLeader() {
	case model.Membership:
		return "no election: " + units.Count(n, "member", "members") + " of a group"
	case model.UnknownKind:
		return "unknown whether this is an election: " + units.Count(n, "child", "children") + " of an unknown kind, " + Who(s.First()) + " is the lowest"
	case model.NotAcknowledged:
		return fmt.Sprintf("no leader: %s is first and has not acknowledged, %d waiting", Who(s.First()), n-1)
	case model.WatchesLower:
		return fmt.Sprintf("unknown who leads: %s is the first of its kind and waits for %s, which is ephemeral and lower", Who(s.First()), Who(s.WaitsFor()))
	case model.OtherAcknowledged:
		return fmt.Sprintf("unknown who leads: %s is first, and session %s acknowledged", Who(s.First()), znode.Hex(s.Ack.Session))
	}
	return "no candidate"
}

// leaderCell is the leader in a table.
func leaderCell(s *doctor.State) string {
	switch s.NoLeader() {
	case "":
		return Who(s.Leader())
	case model.NotAcknowledged:
		return "none; first: " + Who(s.First())
	case model.UnknownKind, model.OtherAcknowledged, model.WatchesLower:
		return "unknown"
	case model.Membership:
		return "-"
	}
	return "none"
}
