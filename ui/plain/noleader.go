package plain

import (
	"fmt"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
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
	if c == nil || why == "" || isGroup(s) {
		return nil
	}
	return &queued{znode.Join(s.Path, c.Name), name(c), sessionID(c), string(why)}
}

// isGroup reports whether the children are members of a group, not candidates.
func isGroup(s *doctor.State) bool { return s.Dialect.Kind() == dialect.KindRegistry }

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

// leaderCell is the leader in a table, or why there is none.
func leaderCell(s *doctor.State) string {
	e, who := phrase.NoLeader(s), phrase.Who(s.First())
	switch others := s.Holders() - 1; {
	case e.Cell == phrase.None && s.First() != nil:
		return e.Cell + "; first: " + who
	case e.Cell == phrase.None && s.Dialect != nil && s.Dialect.Vacancy() > 0:
		return e.Cell + "; " + phrase.Could(s)
	case s.Single && s.NoLeader() == model.UnknownKind:
		return e.Cell + "; its owner: " + who
	case e.Cell != "":
		return e.Cell
	case phrase.Lead(s).Sentence != "":
		return who + " (" + phrase.Lead(s).Sentence + ")"
	case others > 0:
		return who + " and " + units.Count(others, "other", "others")
	}
	return who
}

// Waiting is how many contenders of an election do not hold the role.
func Waiting(s *doctor.State) int {
	return s.Queue.Len() - s.Holders()
}
