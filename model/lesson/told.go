package lesson

import (
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
)

// recent is how many of the last wakes are looked at after each observation.
const recent = 16

// wakes calls f with those of which the last word has come.
func (m *moment) wakes(f func(*model.Woken)) {
	after := m.after.Wakes
	after = after[max(0, len(after)-recent):]
	for _, w := range after {
		if !w.Settled || m.stale(w.Deleted) {
			continue
		}
		old := m.before.Wakes
		old = old[max(0, len(old)-2*recent):]
		if slices.ContainsFunc(old, func(o *model.Woken) bool { return o.Zxid == w.Zxid && o.Settled }) {
			continue
		}
		f(w)
	}
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
	if c.Told != "" && !slices.Contains(w.Notified, m.cast.found[c.Told].session) {
		return false
	}
	return c.counted(m, len(w.Notified))
}

// writes calls f with the attempts that are new.
func (m *moment) writes(f func(*model.Tried)) {
	tries := func(s *doctor.State) int {
		w := &s.Work
		return w.Counter.Accepted + w.Counter.Refused + w.Tokens.Accepted + w.Tokens.Refused
	}
	last := m.after.Work.Last
	n := min(tries(m.after)-tries(m.before), len(last))
	for i := len(last) - max(0, n); i < len(last); i++ {
		if last[i].Write != nil {
			f(&last[i])
		}
	}
}

func (c *Condition) wrote(m *moment, w *model.Tried) bool {
	if w.Member != m.cast.found[c.Who].member {
		return false
	}
	switch c.Event {
	case StaleWrite:
		return w.Stale && !w.Refused
	case FenceHeld:
		return w.Resource == model.Counter && w.Fenced && w.Refused
	}
	return w.Resource == model.Tokens && w.Refused
}

// tabled reports whether the servers' last answers are new and say so.
func (c *Condition) tabled(m *moment) bool {
	t := m.after.Table
	if t == nil || m.before.Table == t || !t.At.After(m.asked) {
		return false
	}
	if c.Event == Counted {
		total, data, ok := watchCounts(t)
		return ok && c.counted(m, total-data)
	}
	if !slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Watches.State == session.Answered }) {
		return false
	}
	s := m.after
	if c.Who == "" {
		for i := s.Recipe.Holders(s.Queue); i < len(s.Queue); i++ {
			if s.Edge(i).State != doctor.Verified {
				return false
			}
		}
		return c.Event == Verified && len(s.Queue) > s.Recipe.Holders(s.Queue)
	}
	a := m.cast.found[c.Who]
	x, i := s.Candidate(a.id)
	if !a.stands || i < 0 {
		return false
	}
	// What was done to it, the servers were to be asked after.
	if mine := s.Member(x); mine != nil && mine.Fault != model.NoFault && !t.At.After(mine.FaultAt) {
		return false
	}
	switch c.Event {
	case Asked:
		return true
	case Verified:
		return s.Edge(i).State == doctor.Verified
	case NotVerified:
		return s.Edge(i).State != doctor.Verified
	}
	for i := range s.Queue {
		if s.Queue[i].Session != x.Session && slices.Contains(s.Edge(i).Watched, x.Name) {
			return false
		}
	}
	return true
}

// watchCounts adds up the watches of all servers, and those among them that are
// on znodes. ok is false where one did not tell.
func watchCounts(t *session.Table) (total, data int, ok bool) {
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.WatchCount < 0 || s.DataWatches < 0 {
			return 0, 0, false
		}
		total, data = total+s.WatchCount, data+s.DataWatches
	}
	return total, data, len(t.Servers) > 0
}
