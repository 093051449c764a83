package wording

import (
	"strconv"
	"strings"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// Holders is how many candidates, from the front of the queue, have the role.
func Holders(s *doctor.State) int { return s.Holders() }

// Foreign returns the dialect of an election that is not in electop's own format,
// nil for ours and for one that is not known yet.
func Foreign(s *doctor.State) *dialect.Dialect {
	if s.Dialect == nil || !s.Dialect.Foreign() {
		return nil
	}
	return s.Dialect
}

// System names the system that holds the election, "" if it is unknown.
func System(s *doctor.State) string {
	if s.Dialect == nil {
		return ""
	}
	return znode.Safe(s.Dialect.System, 80)
}

// Locks reports whether the role is a lock or a lease, which is held.
func Locks(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.Lock }

// Single reports whether the election has no queue: its path is the leader's
// own znode.
func Single(s *doctor.State) bool { return s.Dialect != nil && s.Dialect.Single }

// ZnodePath is the full path of a candidate's znode. In an election without a queue
// it is the election's own.
func ZnodePath(s *doctor.State, c *dialect.Candidate) string {
	if Single(s) || strings.HasPrefix(c.Name, "/") {
		return s.Path
	}
	return znode.Join(s.Path, c.Name)
}

// FansIn reports whether all contenders watch the same znode: the herd.
func FansIn(s *doctor.State) bool {
	if s.Queue.Len() < 3 {
		return s.Recipe.Name() == dialect.Herd().Name()
	}
	t, ok := s.Recipe.Watches(s.Queue, 2)
	return ok && t == 0
}

// ShortZnode is a znode's name as the recipe writes it.
func ShortZnode(name string) string {
	if _, ok := znode.Sequence(name); ok {
		return "n_" + Number(name, 0)
	}
	return znode.Safe(name, 16)
}

// Number is the sequence number in a znode's name, or the name if it has none, cut
// to most characters.
func Number(name string, most int) string {
	if n, ok := znode.Sequence(name); ok {
		return strconv.FormatInt(n, 10)
	}
	return znode.Safe(name, most)
}
