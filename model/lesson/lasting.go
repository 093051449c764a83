package lesson

import (
	"slices"

	"electop/model"
	"electop/model/doctor"
)

// lasting reports whether the condition is a state that lasts, which
// [Condition.holds] tells.
func (c *Condition) lasting() bool {
	switch c.Event {
	case Acknowledged, AllStand, Frozen, Killed, Partitioned, SlowLead, QuickLead, NoGuid,
		Believes, Watches, Believers, Recipe, FenceOn, FenceOff, Slowed, FullSpeed:
		return true
	}
	return false
}

// holds reports whether it is so in a state.
func (c *Condition) holds(s *doctor.State, who *cast) bool {
	switch c.Event {
	case Acknowledged:
		return s.Acknowledged() && who.is(c.Who, s.Leader())
	case AllStand:
		return allStand(s)
	case Believers:
		n, _ := who.number(c.Count)
		return len(s.Properties.Believers) >= n
	case Recipe:
		return s.Recipe != nil && s.Recipe.Name() == c.Recipe
	case FenceOn, FenceOff:
		return s.Work.Rules.Fenced == (c.Event == FenceOn)
	case Slowed, FullSpeed:
		slow := s.Pace != nil && (s.Pace.Steps || s.Pace.Delay > 0)
		return slow == (c.Event == Slowed)
	}
	if c.Who == "" {
		return slices.ContainsFunc(s.Members, func(m *model.Member) bool { return c.holdsFor(m, who) })
	}
	m := memberNamed(s, who.found[c.Who].member)
	return m != nil && c.holdsFor(m, who)
}

// holdsFor reports whether the condition holds for a member.
func (c *Condition) holdsFor(m *model.Member, who *cast) bool {
	switch c.Event {
	case Frozen:
		return m.Fault == model.Frozen
	case Killed:
		return m.Fault == model.Killed
	case Partitioned:
		return m.Fault == model.Partitioned
	case SlowLead, QuickLead:
		return m.SlowLead == (c.Event == SlowLead)
	case NoGuid:
		return m.NoGuid
	case Believes:
		return m.Belief == c.Belief
	case Watches:
		to := who.found[c.To]
		return m.Watches != "" && (c.To == "" || to.stands && m.Watches == to.id.Name)
	}
	return false
}

// allStand reports whether all of ours without a fault have their place, by
// the recipe of the election, and the first one leads.
func allStand(s *doctor.State) bool {
	if len(s.Members) == 0 || len(s.Queue) < len(s.Members) || !s.Acknowledged() {
		return false
	}
	for _, m := range s.Members {
		settled := m.Belief == model.Waiting || m.Belief == model.Leading
		if m.Fault == model.NoFault && (!settled || m.Ending != model.NoEnding || m.Recipe != s.Recipe.Name()) {
			return false
		}
	}
	return true
}
