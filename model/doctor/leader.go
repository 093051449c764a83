package doctor

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/dialect"
)

// WaitsFor returns the child that the first contender waits for, by the servers' own
// tables, nil for none: a child before it in the order of numbers, ephemeral, that
// is no contender by the recipe. So the first contender does not lead, and its
// clients order more names than its system is known to. Clients of two libraries
// that share a lock do that.
func (s *State) WaitsFor() *dialect.Candidate {
	head, t := s.First(), s.watch.last
	if head == nil || t == nil || !head.HasSequence || t.watching[head.Session] == nil || t.crowded[head.Session] != nil {
		return nil
	}
	for _, name := range t.watching[head.Session].names {
		i, ok := slices.BinarySearchFunc(s.Ignored, name, func(c *dialect.Candidate, name string) int { return cmp.Compare(c.Name, name) })
		if !ok {
			continue
		}
		if c := s.Ignored[i]; c.HasSequence && c.Session != 0 && c.Session != head.Session && c.Sequence < head.Sequence {
			return c
		}
	}
	return nil
}

// NoLeader returns why nobody is said to lead, as [model.State.NoLeader] does, and
// with what the servers say.
func (s *State) NoLeader() model.NoLeader {
	why := s.State.NoLeader()
	if why == "" && s.WaitsFor() != nil {
		return model.WatchesLower
	}
	return why
}

// Leader and Holders are those of [model.State], and nobody and 0 where the first
// contender waits for another child.
func (s *State) Leader() *dialect.Candidate {
	if s.NoLeader() != "" {
		return nil
	}
	return s.First()
}

func (s *State) Holders() int {
	if s.NoLeader() != "" {
		return 0
	}
	return s.Recipe.Holders(s.Queue)
}
