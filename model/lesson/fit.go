package lesson

import (
	"cmp"
	"slices"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// cannot is what a lesson says where a part cannot go on.
const cannot = "This part cannot go on: < restarts it."

// Fits reports whether the part can begin in the state s: its roles are there, the
// candidates are as they should be, and electop can act on its target.
func (r *Run) Fits(s *doctor.State) bool {
	p, c := r.now(), castOf(s)
	if p.Act == nil {
		return true
	}
	if r.otherRules(s, nil) || p.Act.Target != "" && c.found[p.Act.Target].member == "" {
		return false
	}
	needs := p.needs()
	for _, role := range needs {
		if a := c.found[role]; a.label == "" || !a.stands && role != FrozenOne {
			return false
		}
	}
	for _, u := range p.Act.Until {
		if u.Event == Handoff && c.found[u.To].stands && c.found[u.To].id != c.found[Second].id ||
			u.Event == Acknowledged && u.Who == p.Act.Target && c.found[u.Who].id != c.found[Leader].id {
			return false // who should lead next is not next
		}
	}
	for _, x := range s.Queue.All() {
		m := s.Member(x)
		if m == nil {
			continue
		}
		is := func(role Role) bool { return slices.Contains(needs, role) && c.found[role].member == m.ID }
		if m.Recipe != s.Recipe.Name() || m.Ending != model.NoEnding || m.Fault != model.NoFault && !is(FrozenOne) ||
			m.SlowLead && !is(SlowOne) || m.NoGuid && !is(Guidless) && !is(Ghost) {
			return false
		}
	}
	return true
}

// otherRules reports whether the candidates follow another recipe, or their workers other
// rules, than the part is about. Keys are those that may change them.
func (r *Run) otherRules(s *doctor.State, keys []string) bool {
	sc := r.scene()
	recipe := s.Recipe != nil && s.Recipe.Name() == sc.Recipe
	rules := s.Work.Rules.Workers && s.Work.Rules.Fenced == sc.Guarded
	return !recipe && !slices.Contains(keys, "h") || sc.Workers && !rules && !slices.Contains(keys, "w")
}

// deed returns the fault that began or ended for a candidate, by its name in the list of
// faults; "" for none. A candidate whose reply is to be lost leaves and joins again: that
// it resigns is a part of this fault.
func deed(old, now *model.Member) string {
	switch {
	case now.LosesReply && !old.LosesReply:
		return "lose reply"
	case now.Fault != old.Fault:
		return map[model.Fault]string{model.Killed: "kill", model.Frozen: "freeze", model.Partitioned: "partition"}[cmp.Or(now.Fault, old.Fault)]
	case now.Ending != old.Ending && now.Ending == model.Resigning && !now.LosesReply:
		return "resign"
	case now.NoGuid != old.NoGuid:
		return "no guid"
	case now.SlowLead != old.SlowLead:
		return "slow lead"
	}
	return ""
}

// disturbed reports whether something happened while the part waits by which it cannot go
// on: to its target, or, if it judges an answer, to anything that the question may be about.
// It notes what was done to the target, and names a wrong candidate.
func (r *Run) disturbed(m *moment) bool {
	act, asks := r.now().Act, r.now().Question != nil
	target := m.cast.found[act.Target]
	lost := r.otherRules(m.after, act.Keys)
	for _, now := range m.after.Members {
		old := memberNamed(m.before, now.ID)
		if old == nil || old == now {
			continue
		}
		switch d := deed(old, now); {
		case d == "":
		case now.ID != target.member:
			lost = lost || asks
			if target.label != "" {
				r.wrong, r.dirty = "You chose "+znode.Safe(now.Name, nameMax)+"; this step needs "+target.label+".", true
			}
		case d == act.Fault:
			r.acted, r.wrong, r.dirty = true, "", true
		default:
			lost = true
		}
	}
	if m.is(act.Target, m.after.First()) && !m.is(act.Target, m.before.First()) {
		lost = true // it was not to lead yet
	}
	each(m.before, m.after, func(gone *dialect.Candidate) {
		mine := act.Target != "" && m.owns(act.Target, gone)
		lost = lost || mine && !r.acted || !mine && asks
	})
	each(m.after, m.before, func(joined *dialect.Candidate) {
		expected := act.Fault == "lose reply" && m.owns(act.Target, joined) || slices.ContainsFunc(act.Until, func(c Condition) bool {
			return c.Event == Joined && (c.Who == "" || m.owns(c.Who, joined))
		})
		lost = lost || asks && !expected
	})
	return lost
}

// each calls f with the candidates that are in the queue of s and not in that of other.
func each(s, other *doctor.State, f func(*dialect.Candidate)) {
	for _, x := range s.Queue.All() {
		if _, i := other.Candidate(x.ID()); i < 0 {
			f(x)
		}
	}
}
