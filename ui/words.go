package ui

import (
	"strconv"
	"strings"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// holders is how many at the front of the queue have the role.
func holders(s *doctor.State) int { return s.Recipe.Holders(s.Queue) }

// foreign returns the dialect of an election that is not written as electop
// itself would, nil for ours and for one of which nothing is known yet.
func foreign(s *doctor.State) *dialect.Dialect {
	if s.Dialect == nil || !s.Dialect.Foreign() {
		return nil
	}
	return s.Dialect
}

// system names whose election s is, "" where that is not known.
func system(s *doctor.State) string {
	if s.Dialect == nil {
		return ""
	}
	return znode.Safe(s.Dialect.System, 80)
}

// locks reports whether the role is a lock or a lease, which is held.
func locks(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.Lock }

// single reports whether the election has no queue: its path is the leader's
// own znode.
func single(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.Single }

// roleWords are the words for having the role.
type roleWords struct {
	has    string // "leads": one of them
	have   string // "lead": several
	holder string // "leader": who has it
}

func wordsOf(s *doctor.State) roleWords {
	if locks(s) {
		return roleWords{"holds", "hold", "holder"}
	}
	return roleWords{"leads", "lead", "leader"}
}

// roleHolders names those who have the role: "amber leads", "amber and 2 more
// hold".
func roleHolders(s *doctor.State) string {
	w := wordsOf(s)
	switch n := holders(s); {
	case n == 0:
		return "nobody " + w.has
	case n == 1:
		return s.Queue[0].Label() + " " + w.has
	case n == 2:
		return s.Queue[0].Label() + " and " + s.Queue[1].Label() + " " + w.have
	default:
		return s.Queue[0].Label() + " and " + strconv.Itoa(n-1) + " more " + w.have
	}
}

// znodePath is the full path of a candidate's znode. That of a single one is
// the election's own.
func znodePath(s *doctor.State, c *dialect.Candidate) string {
	if single(s) || strings.HasPrefix(c.Name, "/") {
		return s.Path
	}
	return znode.Join(s.Path, c.Name)
}

// brief is a znode's name as the recipe writes it: n_12.
func brief(c *dialect.Candidate) string {
	if c.HasSequence {
		return "n_" + strconv.FormatInt(c.Sequence, 10)
	}
	return znode.Safe(znode.Base(c.Name), 20)
}
