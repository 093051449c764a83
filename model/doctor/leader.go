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

// Blind returns the first contender that may not count the head of the queue (see
// [dialect.Dialect.Blind]), and what the servers say of its watch: if that is on its
// predecessor, it does count it.
func (s *State) Blind() (c *dialect.Candidate, e Edge) {
	if c = s.Dialect.Blind(s.Queue); c == nil {
		return nil, e
	}
	i, _ := model.Position(s.Recipe, s.Queue, c)
	return c, s.edge(i, s.Recipe.Holders(s.Queue))
}

// Twofold reports whether two rounds of the servers' tables show that the contender of
// [State.Blind] does not wait: it leads beside the head of the queue.
func (s *State) Twofold() bool {
	c, e := s.Blind()
	return c != nil && (e.State == MissingWatch || e.State == WrongWatch)
}

// counts reports whether the contender that might not count the head of the queue is
// known to wait for it.
func (s *State) counts() bool {
	c, e := s.Blind()
	return c != nil && e.State == Verified && s.watch.last.crowded[c.Session] == nil
}

// NoLeader returns why nobody is said to lead, as [model.State.NoLeader] does, and
// with what the servers say.
func (s *State) NoLeader() model.NoLeader {
	why := s.State.NoLeader()
	if why == model.MixedClients && s.counts() {
		why = ""
	}
	if why != "" {
		return why
	}
	if s.WaitsFor() != nil {
		return model.WatchesLower
	}
	switch of, sure := s.GhostOf(s.First()); {
	case sure:
		return model.GhostFirst
	case of != "" && s.Recipe.Holders(s.Queue) == 1:
		return model.GhostPossible
	}
	return ""
}

// Leader and Holders are those of [model.State], and nobody and 0 where the first
// contender waits for another child, or is a ghost.
func (s *State) Leader() *dialect.Candidate {
	if s.NoLeader() != "" {
		return nil
	}
	return s.First()
}

// Acknowledged reports whether the acknowledgement names the leader.
func (s *State) Acknowledged() bool {
	l := s.Leader()
	return l != nil && s.Ack.Names(l)
}

func (s *State) Holders() int {
	if s.NoLeader() != "" {
		return 0
	}
	return s.Recipe.Holders(s.Queue)
}
