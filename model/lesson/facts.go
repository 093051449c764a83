package lesson

import (
	"slices"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
)

// allSettled reports whether all of ours without a fault have their place, by
// the recipe of the election, and the first one leads.
func allSettled(s *doctor.State) bool {
	if len(s.Members) == 0 || !s.Acknowledged() {
		return false
	}
	for _, m := range s.Members {
		if m.Fault != model.NoFault {
			continue
		}
		settled := m.Belief == model.Waiting || m.Belief == model.Leading
		stands := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Name == m.Znode }) >= 0
		if !settled || !stands || m.Ending != model.NoEnding || m.Recipe != s.Recipe.Name() {
			return false
		}
	}
	return true
}

func slow(s *doctor.State) bool { return s.Pace != nil && (s.Pace.Steps || s.Pace.Delay > 0) }

func verified(s *doctor.State, i int) bool { return s.Edge(i).State == doctor.Verified }

// unwatched reports whether no other session watches the znode.
func unwatched(s *doctor.State, i int) bool {
	x := s.Queue.At(i)
	for j, other := range s.Queue.All() {
		if other.Session != x.Session && slices.Contains(s.Edge(j).Watched, x.Name) {
			return false
		}
	}
	return true
}

func (c *Condition) woke(m *moment, w *model.Woken) bool {
	if c.Who != "" {
		a := m.cast.found[c.Who]
		switch {
		case w.Candidate != nil && !m.cast.is(c.Who, w.Candidate):
			return false
		case w.Candidate == nil && (!a.stands || w.Znode != a.id.Name):
			return false
		}
	}
	if c.Notified != "" && !slices.Contains(w.Notified, m.cast.found[c.Notified].session) {
		return false
	}
	return c.counted(m, len(w.Notified))
}

// watchCounts adds up the watches of all servers, and those among them that are
// on znodes. ok is false where one did not tell.
func watchCounts(t *session.Table) (total, data int, ok bool) {
	if t == nil {
		return 0, 0, false
	}
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.WatchCount < 0 || s.DataWatches < 0 {
			return 0, 0, false
		}
		total, data = total+s.WatchCount, data+s.DataWatches
	}
	return total, data, len(t.Servers) > 0
}
