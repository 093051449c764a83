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
	n := s.Queue.Len()
	switch s.NoLeader() {
	case model.Membership:
		return "no election: " + units.Count(n, "member", "members") + " of a group"
	case model.UnknownKind:
		return "unknown whether this is an election: " + units.Count(n, "child", "children") + " of an unknown kind, " + Who(s.First()) + " is the lowest"
	case model.NotAcknowledged:
		return fmt.Sprintf("no leader: %s is first and has not acknowledged, %d waiting", Who(s.First()), n-1)
	case model.GhostFirst, model.GhostPossible:
		of, sure := s.GhostOf(s.First())
		if sure {
			return fmt.Sprintf("no leader: %s is first and a ghost of %s, %d waiting", Who(s.First()), znode.Safe(of, nameMax), n-1)
		}
		return fmt.Sprintf("unknown who leads: %s is first and may be a ghost of %s", Who(s.First()), znode.Safe(of, nameMax))
	case model.WatchesLower:
		return fmt.Sprintf("unknown who leads: %s is the first of its kind and waits for %s, which is ephemeral and lower", Who(s.First()), Who(s.WaitsFor()))
	case model.MixedClients:
		if c, _ := s.Blind(); s.Twofold() {
			return fmt.Sprintf("two lead: %s is first, and %s, of another library, does not wait for it", Who(s.First()), Who(c))
		} else {
			return fmt.Sprintf("unknown who leads: %s is first, and %s, of another library, may not wait for it", Who(s.First()), Who(c))
		}
	case model.Blocked:
		return fmt.Sprintf("unknown who leads: %s, which is no candidate, comes before %s, the first: clients that read only names wait for it", znode.Safe(s.Blocker().Name, 0), Who(s.First()))
	case model.Unsupported:
		return "unknown who leads: electop does not know how " + s.Dialect.System + " elects"
	case model.OtherAcknowledged:
		return fmt.Sprintf("unknown who leads: %s is first, and session %s acknowledged", Who(s.First()), znode.Hex(s.AcknowledgedBy()))
	}
	if v, ok := s.Vacancy(); ok && s.Dialect != nil && s.Dialect.Vacancy() > 0 {
		return vacant(s, v)
	}
	if s.ElectionUnseen() && len(s.Ignored) == 0 {
		return "no election seen: the znode is persistent and has no children"
	}
	if s.ElectionUnseen() {
		return "no election seen: " + units.Count(len(s.Ignored), "child, which is no candidate", "children, none is a candidate")
	}
	return "no candidate"
}

// vacant says since when nobody leads a system, and who could.
func vacant(s *doctor.State, v model.Vacancy) string {
	text := "no leader since "
	switch v.Known {
	case model.VacancyWatched:
		text += units.Stamp(v.Since)
	case model.VacancyByZnodes:
		text += units.Stamp(v.Since) + " at least"
	default:
		text += "before electop looked"
	}
	could := s.Standbys()
	text += "; " + doctor.Could("lead", could)
	switch {
	case s.Down():
		text += "; it was shut down"
	case could.Off != "":
		text += "; " + could.Off
	}
	return text
}

// leaderless is since when nobody leads, and how that is known.
type leaderless struct {
	Since   string `json:"since"`
	KnownBy string `json:"known_by"` // watched, znodes, or found: nobody has led since then at the latest
}

func leaderlessOf(s *doctor.State) *leaderless {
	v, ok := s.Vacancy()
	if !ok || s.ElectionUnseen() {
		return nil
	}
	by := string(v.Known)
	if v.Known == model.VacancyFound {
		by = "found"
	}
	return &leaderless{stamp(v.Since), by}
}

// standbysOf are those who could take over without standing in a queue, nil where that
// is not visible.
func standbysOf(s *doctor.State) []string {
	could := s.Standbys()
	if !could.Listed {
		return nil
	}
	return append([]string{}, could.Names...)
}

// waiting says how many wait, or who could take over where there is no queue.
func waiting(s *doctor.State) string {
	if s.Dialect != nil && s.Dialect.Single {
		return doctor.Could("take over", s.Standbys())
	}
	return fmt.Sprintf("%d waiting", Waiting(s))
}

// leaderCell is the leader in a table.
func leaderCell(s *doctor.State) string {
	switch s.NoLeader() {
	case "":
		who := Who(s.Leader())
		if words := s.Reservation(); words != "" {
			who += " (" + words + ")"
		}
		if others := s.Holders() - 1; others > 0 {
			return fmt.Sprintf("%s and %s", who, units.Count(others, "other", "others"))
		}
		return who
	case model.NotAcknowledged, model.GhostFirst:
		return "none; first: " + Who(s.First())
	case model.UnknownKind, model.OtherAcknowledged, model.WatchesLower, model.MixedClients, model.GhostPossible, model.Blocked, model.Unsupported:
		return "unknown"
	case model.Membership:
		return "-"
	}
	could := s.Standbys()
	switch {
	case s.Dialect == nil || s.Dialect.Vacancy() == 0:
		return "none"
	case s.Down():
		return "none; it was shut down"
	case could.Off != "":
		return "none; " + doctor.Could("lead", could) + "; " + could.Off
	}
	return "none; " + doctor.Could("lead", could)
}

// Waiting is how many contenders of an election do not hold the role.
func Waiting(s *doctor.State) int {
	return s.Queue.Len() - s.Holders()
}
