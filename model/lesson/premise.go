package lesson

import (
	"slices"
	"strings"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

// What a part takes for granted: the recipe, the workers, candidates that are well,
// and, while a question waits for its answer's verdict, the queue that it is about.

// needs says what has to be done first, "" for nothing.
func (r *Run) needs(c *cast) string {
	p := r.now()
	if p.Act == nil {
		return ""
	}
	if why := r.otherRecipe(r.state); why != "" {
		return why
	}
	if why := r.otherRules(r.state); why != "" {
		return why
	}
	if why := c.lacks(r.needed); why != "" {
		return why
	}
	if p.Act.Target != "" {
		if why := c.found[p.Act.Target].cannot(r.state); why != "" {
			return why
		}
	}
	for _, role := range r.needed {
		if why := c.found[role].ails(r.state, role); why != "" {
			return why
		}
	}
	if why := r.mistaken(c, r.state); why != "" {
		return why
	}
	if why := r.misplaced(c); why != "" {
		return why
	}
	if r.phase == waiting && slices.ContainsFunc(r.state.Members, func(m *model.Member) bool { return m.Fault == model.NoFault && m.Belief == model.Volunteering }) {
		return "A candidate is joining. This takes a moment."
	}
	return ""
}

// mistaken says what to do about a candidate that was ordered to make a mistake which the
// part does not expect of it.
func (r *Run) mistaken(c *cast, s *doctor.State) string {
	act := r.now().Act
	for _, role := range r.needed {
		a := c.found[role]
		m := memberNamed(s, a.member)
		slowly := slices.ContainsFunc(act.Until, func(c Condition) bool { return c.Event == Elected && c.Who == role })
		switch {
		case m == nil:
		case m.SlowLead && !slowly && role != SlowOne && c.found[SlowOne].member != m.ID && act.Fault != "slow lead":
			return a.label + " has a slow leader procedure: select " + a.label + ", press X, choose lead on, and press enter."
		case act.Fault != "lose reply":
		case m.NoGuid && role != Guidless:
			return a.label + " gives its znodes no guid: select " + a.label + ", press X, choose guid again, and press enter."
		case !m.NoGuid && role == Guidless:
			return lacking[Guidless]
		}
	}
	return ""
}

// misplaced says what to do if who should take over is not next, or who should
// acknowledge is not first.
func (r *Run) misplaced(c *cast) string {
	act := r.now().Act
	for i := range act.Until {
		u := &act.Until[i]
		switch at := r.place(c, u.To); {
		case u.Event == Handoff && u.Who == Leader && at > 1:
			return c.found[u.To].label + " is not next in the queue: the candidates before it must leave first, or < goes back."
		}
		if at := r.place(c, u.Who); u.Event == Acknowledged && u.Who == act.Target && at != 0 {
			return c.found[u.Who].label + " is not first in the queue: < goes back, > skips this."
		}
	}
	return ""
}

// place is the place of a role in the queue, -1 if it has none.
func (r *Run) place(c *cast, role Role) int {
	a := c.found[role]
	if !a.stands {
		return -1
	}
	_, i := r.state.Candidate(a.id)
	return i
}

// otherRecipe says what to do if the candidates follow another recipe than the part
// needs.
func (r *Run) otherRecipe(s *doctor.State) string {
	p := r.now()
	if slices.ContainsFunc(p.Act.Until, func(c Condition) bool { return c.Event == Recipe }) {
		return ""
	}
	want := p.Recipe
	if want == "" {
		want = dialect.Election().Name()
	}
	switch {
	case s.Recipe == nil || len(s.Members) == 0:
	case s.Recipe.Name() != want && want == dialect.Herd().Name():
		return "In this part everybody watches the leader: press h for that recipe."
	case s.Recipe.Name() != want:
		return "In this part each candidate watches the one before it: press h for that recipe."
	case slices.ContainsFunc(s.Members, func(m *model.Member) bool { return m.Fault == model.NoFault && m.Recipe != want }):
		return "The candidates join again to follow the recipe. This takes a moment."
	}
	return ""
}

// otherRules says what to do if the workers do not do what the part needs.
func (r *Run) otherRules(s *doctor.State) string {
	switch rules := &s.Work.Rules; {
	case r.lesson.Scene.Workers && !rules.Workers:
		return "This lesson needs the workers, and they are off. Press w to start them again."
	case r.now().Unguarded && rules.Fenced:
		return "In this part the workers write without the guard: press w twice to turn it off."
	}
	return ""
}

// ails says what to do about a candidate with a fault, unless its role is about that.
func (a actor) ails(s *doctor.State, role Role) string {
	m := memberNamed(s, a.member)
	if m == nil || role == FrozenOne {
		return ""
	}
	switch m.Fault {
	case model.Frozen:
		return a.label + " is frozen: select " + a.label + " and press f to thaw it."
	case model.Partitioned:
		return a.label + " is partitioned: select " + a.label + ", press X, choose heal, and press enter."
	case model.Killed:
		return a.label + dead
	}
	return ""
}

// misfit says why the question is no longer about the queue that there is now: somebody
// has joined or left who makes a difference, and not by the act. Once the target's
// znode is gone the answer is settled, so what comes later makes none.
func (r *Run) misfit(m *moment) (why string) {
	p := r.now()
	if p.Question == nil || m.cast.left(p.Act.Target, m.after) {
		return ""
	}
	counts, end := p.counts(), slices.Contains(r.needed, Last)
	m.each(func(e model.EventBody) {
		switch e := e.(type) {
		case model.Joined:
			mine := p.Act.Target != "" && m.owns(p.Act.Target, e.Candidate)
			if (counts || end) && !e.Ignored && !mine && (!r.joins() || !m.fresh(e.Candidate)) {
				why = znode.Safe(e.Candidate.Label(), nameMax) + " joined"
			}
		case model.Left:
			if counts && !e.Ignored && !r.joins() {
				why = znode.Safe(e.Candidate.Label(), nameMax) + " left the queue"
			}
		}
	})
	for _, role := range r.needed {
		if role != p.Act.Target && m.cast.left(role, m.after) && !r.expected(role) {
			why = m.cast.found[role].label + " left the queue"
		}
	}
	return why
}

// counts reports whether the question is about how many candidates there are, or
// which number is next.
func (p *Part) counts() bool {
	counted := []string{"{count}", "{waiting}", "{next seq}"}
	for _, o := range p.Question.Options {
		if o.If != nil && o.If.Count == "waiting" || slices.ContainsFunc(counted, func(name string) bool { return strings.Contains(o.Text, name) }) {
			return true
		}
	}
	return false
}

// joins reports whether the act, as far as it was done, is that somebody joins.
func (r *Run) joins() bool {
	before := true
	for i := range r.now().Act.Until {
		c := &r.now().Act.Until[i]
		if c.Event == Joined && (before || !c.Then) {
			return true
		}
		before = before && r.met[i] >= c.times()
	}
	return false
}

// expected reports whether the part waits for the end of who has the role.
func (r *Run) expected(role Role) bool {
	return slices.ContainsFunc(r.now().Act.Until, func(c Condition) bool {
		return c.Who == role && (c.Event == Left || c.Event == Handoff || c.Event == Found || c.Event == Ghosted || c.Event == Joined)
	})
}
