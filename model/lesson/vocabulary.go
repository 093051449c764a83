package lesson

import (
	"slices"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
)

// meaning is when an event is true. Either it is a state that lasts (holds), or it
// happens, and may happen again.
type meaning struct {
	holds   func(c *Condition, s *doctor.State, who *cast) bool
	happens func(c *Condition, m *moment) (times int)
	// now: of an option, only what is so when the waiting ends counts.
	now bool
}

var vocabulary = map[Event]meaning{
	Joined: {happens: on(func(c *Condition, m *moment, j model.Joined) bool {
		return !j.Ignored && (c.Who != "" || m.fresh(j.Candidate)) && m.owns(c.Who, j.Candidate) && c.numbered(m, j.Candidate)
	})},
	Left: {happens: on(func(c *Condition, m *moment, l model.Left) bool {
		return !l.Ignored && m.is(c.Who, l.Candidate) && (c.Cause == "" || c.Cause == m.cause(l.Candidate))
	})},
	Handoff: {happens: on(func(c *Condition, m *moment, h model.Handoff) bool {
		return m.is(c.Who, h.From) && m.is(c.To, h.To) && (c.Cause == "" || c.Cause == h.Cause)
	})},
	Elected: {happens: on(func(c *Condition, m *moment, h model.Handoff) bool {
		l := m.after.First() // also a ghost
		return h.To != nil && h.Takeover == nil && m.is(c.Who, h.To) && l != nil && l.ID() == h.To.ID() && !m.after.Acknowledged()
	})},
	Acknowledged: {holds: func(c *Condition, s *doctor.State, who *cast) bool {
		return s.Acknowledged() && who.is(c.Who, s.Leader())
	}},
	Ghosted: {happens: on(func(c *Condition, m *moment, j model.Joined) bool {
		return !j.Ignored && m.owns(c.Who, j.Candidate) && twins(m.after, j.Candidate)
	})},
	AllSettled: {holds: func(_ *Condition, s *doctor.State, _ *cast) bool { return allSettled(s) }},

	Frozen:      {holds: ours(func(m *model.Member) bool { return m.Fault == model.Frozen })},
	Killed:      {holds: ours(func(m *model.Member) bool { return m.Fault == model.Killed })},
	Partitioned: {holds: ours(func(m *model.Member) bool { return m.Fault == model.Partitioned })},
	SlowLead:    {holds: ours(func(m *model.Member) bool { return m.SlowLead })},
	QuickLead:   {holds: ours(func(m *model.Member) bool { return !m.SlowLead })},
	NoGuid:      {holds: ours(func(m *model.Member) bool { return m.NoGuid })},
	Thawed: {happens: changed(func(old, now *model.Member) bool {
		return old.Fault == model.Frozen && now.Fault == model.NoFault
	})},
	Found: {happens: changed(func(old, now *model.Member) bool { return !old.StepOn.Found && now.StepOn.Found })},
	Believes: {holds: func(c *Condition, s *doctor.State, who *cast) bool {
		return ours(func(m *model.Member) bool { return m.Belief == c.Belief })(c, s, who)
	}},
	Watches: {now: true, holds: func(c *Condition, s *doctor.State, who *cast) bool {
		to := who.found[c.To]
		return ours(func(m *model.Member) bool { return m.Watches != "" && to.stands && m.Watches == to.id.Name })(c, s, who)
	}},
	Believers: {holds: func(c *Condition, s *doctor.State, who *cast) bool {
		n, _ := who.number(c.Count)
		return len(s.Properties.Believers) >= n
	}},

	Recipe: {holds: func(c *Condition, s *doctor.State, _ *cast) bool {
		return s.Recipe != nil && s.Recipe.Name() == c.Recipe
	}},
	GuardOn:   {holds: func(_ *Condition, s *doctor.State, _ *cast) bool { return s.Work.Rules.Fenced }},
	GuardOff:  {holds: func(_ *Condition, s *doctor.State, _ *cast) bool { return !s.Work.Rules.Fenced }},
	Slowed:    {holds: func(_ *Condition, s *doctor.State, _ *cast) bool { return slow(s) }},
	FullSpeed: {holds: func(_ *Condition, s *doctor.State, _ *cast) bool { return !slow(s) }},
	Woke: {happens: func(c *Condition, m *moment) (n int) {
		m.wakes(func(w *model.Woken) { n += one(c.woke(m, w)) })
		return n
	}},
	StaleWrite: {happens: wrote(func(w *model.Tried) bool { return w.Stale && !w.Refused })},
	GuardHeld: {happens: wrote(func(w *model.Tried) bool {
		return w.Resource == model.Counter && w.Fenced && w.Refused
	})},
	TokenHeld: {happens: wrote(func(w *model.Tried) bool { return w.Resource == model.Tokens && w.Refused })},
	Counted: {now: true, happens: func(c *Condition, m *moment) int {
		total, data, ok := watchCounts(m.after.Table)
		return one(m.newTable() && ok && c.counted(m, total-data))
	}},
	Asked:       {now: true, happens: reported(func(*doctor.State, int) bool { return true })},
	Verified:    {now: true, happens: reported(verified)},
	NotVerified: {now: true, happens: reported(func(s *doctor.State, i int) bool { return !verified(s, i) })},
	Unwatched:   {now: true, happens: reported(unwatched)},
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// on counts the events of a type for which is returns true.
func on[E model.EventBody](is func(*Condition, *moment, E) bool) func(*Condition, *moment) int {
	return func(c *Condition, m *moment) (n int) {
		m.each(func(body model.EventBody) {
			e, ok := body.(E)
			n += one(ok && is(c, m, e))
		})
		return n
	}
}

// ours reports whether is returns true for Who, or for any of ours if it is not set.
func ours(is func(*model.Member) bool) func(*Condition, *doctor.State, *cast) bool {
	return func(c *Condition, s *doctor.State, who *cast) bool {
		return slices.ContainsFunc(s.Members, func(m *model.Member) bool {
			return (c.Who == "" || m.ID == who.found[c.Who].member) && is(m)
		})
	}
}

// changed counts the changes of Who for which is returns true.
func changed(is func(old, now *model.Member) bool) func(*Condition, *moment) int {
	return func(c *Condition, m *moment) (n int) {
		m.members(func(old, now *model.Member) {
			n += one(now.ID == m.cast.found[c.Who].member && is(old, now))
		})
		return n
	}
}

// wrote counts the new writes of Who for which is returns true.
func wrote(is func(*model.Tried) bool) func(*Condition, *moment) int {
	return func(c *Condition, m *moment) (n int) {
		m.writes(func(w *model.Tried) { n += one(w.Member == m.cast.found[c.Who].member && is(w)) })
		return n
	}
}

// reported reports whether the servers' last answers are new, and is returns true
// for Who, by its index in the queue, or for all who wait if it is not set.
func reported(is func(s *doctor.State, i int) bool) func(*Condition, *moment) int {
	return func(c *Condition, m *moment) int {
		t, s := m.after.Table, m.after
		if !m.newTable() || !slices.ContainsFunc(t.Servers, func(s session.Server) bool { return s.Watches.State == session.Answered }) {
			return 0
		}
		if c.Who == "" {
			holders := s.Recipe.Holders(s.Queue)
			for i := holders; i < s.Queue.Len(); i++ {
				if !is(s, i) {
					return 0
				}
			}
			return one(s.Queue.Len() > holders)
		}
		a := m.cast.found[c.Who]
		x, i := s.Candidate(a.id)
		if !a.stands || i < 0 {
			return 0
		}
		// The servers have to be asked after what was done to it.
		if mine := s.Member(x); mine != nil && mine.Fault != model.NoFault && !t.At.After(mine.FaultAt) {
			return 0
		}
		return one(is(s, i))
	}
}
