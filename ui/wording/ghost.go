package wording

import (
	"slices"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/ui/rows"
)

// GhostOf returns the name of the candidate whose ghost r is: a znode of its session
// that it does not know of, because the create reply was lost. It returns "" for a
// row that is not a ghost. sure means that the owner itself reported another znode;
// for third-party candidates the doctor only infers it.
func GhostOf(s *doctor.State, r rows.Row) (of string, sure bool) {
	c := r.Candidate
	if c == nil || c.Session == 0 {
		return "", false
	}
	if m := r.Member; m != nil {
		if m.Znode == "" || m.Znode == c.Name || m.Session != c.Session || m.Belief == model.Volunteering {
			return "", false
		}
		if slices.ContainsFunc(s.Queue, func(x *dialect.Candidate) bool { return x.Session == c.Session && x.Name == m.Znode }) {
			return znode.Safe(m.Name, rows.NameMax), true
		}
		return "", false
	}
	if known := s.Ghost(c); known != nil {
		return known.Label(), false
	}
	return "", false
}
