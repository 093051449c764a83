package doctor

import (
	"electop/model"
	"electop/model/dialect"
)

// GhostOf returns the name of the candidate whose ghost c is: a znode of its session
// that it does not know of, because the create reply was lost. It returns "" for a
// znode that is no ghost. sure means that the owner itself reported another znode;
// for third-party candidates the doctor only infers it.
func (s *State) GhostOf(c *dialect.Candidate) (of string, sure bool) {
	if c == nil || c.Session == 0 {
		return "", false
	}
	if m := s.Member(c); m != nil {
		if m.Znode == "" || m.Znode == c.Name || m.Session != c.Session || m.Belief == model.Volunteering {
			return "", false
		}
		if s.Queue.Index(func(x *dialect.Candidate) bool { return x.Session == c.Session && x.Name == m.Znode }) >= 0 {
			return m.Name, true
		}
		return "", false
	}
	if known := s.Ghost(c); known != nil {
		return known.Label(), false
	}
	return "", false
}
