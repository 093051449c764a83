package lesson

import (
	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
)

// lose says why the part's conditions can no longer come true: it can only be
// restarted, with the current candidates.
func (r *Run) lose(why string) {
	r.lost = true
	r.say(why + " Press < to restart this part with the current candidates.")
}

// strayed says what happened instead of what was asked for.
func (r *Run) strayed(m *moment) {
	if r.lost {
		return
	}
	if why := r.missed(m); why != "" {
		r.lose(why)
		return
	}
	if r.otherRecipe(m.after) != "" {
		r.lose("The candidates follow another recipe now.")
		return
	}
	wrong := func(s *doctor.State) string {
		if why := r.otherRules(s); why != "" {
			return why
		}
		return r.mistaken(m.cast, s)
	}
	switch was, is := wrong(m.before), wrong(m.after); {
	case is != "":
		r.say(is)
	case was != "" && r.stuck == was:
		r.say("")
	}
	if x := memberNamed(m.after, r.astray); x != nil && x.Fault == model.NoFault {
		r.astray = ""
		r.say("")
	}
	act, meant, asked := r.now().Act, r.meant(), r.askedOf()
	target := m.cast.found[act.Target]
	m.members(func(old, now *model.Member) {
		d := m.done(old, now)
		if d == "" || d == thawed && act.wanted() != thawed || meant[now.ID] && act.suits(d) {
			return
		}
		name := znode.Safe(now.Name, nameMax)
		switch mine := target.member == now.ID; {
		case mine && (d == frozen || d == partitioned):
			r.astray = now.ID
			undo := "press f to thaw it"
			if d == partitioned {
				undo = "press X, choose heal and press enter"
			}
			r.say(name + " " + string(d) + ". This step needs something else: " + undo + ", and try again.")
		case mine:
			r.lose(name + " " + string(d) + ". This step needs something else.")
		case asked[now.ID]:
			r.lose(name + " " + string(d) + ", so the question no longer fits.")
		case target.label != "":
			r.say("You chose " + name + "; this step needs " + target.label + ". Try again with " + target.label + ".")
		default:
			r.say(name + " " + string(d) + ". This step did not need that; continue.")
		}
	})
}

// meant are our members that the act affects.
func (r *Run) meant() map[string]bool {
	out := make(map[string]bool)
	act := r.now().Act
	add := func(role Role) {
		if a := r.cast.found[role]; a.member != "" {
			out[a.member] = true
		}
	}
	add(act.Target)
	for i := range act.Until {
		if act.Target == "" {
			add(act.Until[i].Who)
		}
		if act.Until[i].Event == Recipe {
			for _, m := range r.state.Members {
				out[m.ID] = true // all of them resign
			}
		}
	}
	return out
}

// askedOf are our members that the question, its answers or the act name.
func (r *Run) askedOf() map[string]bool {
	out := make(map[string]bool)
	for _, role := range r.needed {
		if a := r.cast.found[role]; a.member != "" {
			out[a.member] = true
		}
	}
	return out
}

// missed says why a condition can no longer come true, "" if all can.
func (r *Run) missed(m *moment) (why string) {
	until := r.now().Act.Until
	for i := range until {
		c := &until[i]
		if r.met[i] >= c.times() {
			continue
		}
		switch c.Event {
		case Handoff:
			m.each(func(e model.EventBody) {
				h, ok := e.(model.Handoff)
				if !ok || c.Who == "" || !m.cast.is(c.Who, h.From) || why != "" {
					return
				}
				why = m.cast.found[c.Who].label + " no longer leads: " + phrase.Cause(h.Cause).Sentence + "."
			})
		case Left:
			m.each(func(e model.EventBody) {
				if l, ok := e.(model.Left); ok && m.is(c.Who, l.Candidate) && why == "" {
					why = m.cast.found[c.Who].label + " is gone: " + phrase.Cause(m.cause(l.Candidate)).Sentence + "."
				}
			})
		case Woke:
			// It comes after who caused it is gone.
		case StaleWrite, GuardHeld, TokenHeld:
			if x := memberNamed(m.after, m.cast.found[c.Who].member); x == nil || x.Fault == model.NoFault && x.Belief != model.Leading && x.Belief != model.Elected {
				why = m.cast.found[c.Who].label + " no longer believes that it leads."
			}
		case Elected:
			l := m.after.First()
			switch {
			case m.cast.left(c.Who, m.after):
				why = m.cast.found[c.Who].label + " is no longer in the queue."
			case l != nil && m.cast.is(c.Who, l) && m.after.Acknowledged():
				why = m.cast.found[c.Who].label + " has acknowledged."
			}
		case Acknowledged, Asked, Verified, NotVerified, Unwatched:
			if m.cast.left(c.Who, m.after) {
				why = m.cast.found[c.Who].label + " is no longer in the queue."
			}
		default:
			if m.cast.quit(c.Who, m.after) {
				why = m.cast.found[c.Who].label + " is gone."
			}
		}
		// Its session is over, and what silenced it was something else.
		if x := memberNamed(m.after, m.cast.found[c.Who].member); why == "" && x != nil && r.now().Act.Target == c.Who && m.cast.left(c.Who, m.after) &&
			x.Fault != model.NoFault && !r.now().Act.suits(deedOf[x.Fault]) {
			why = m.cast.found[c.Who].label + " " + string(deedOf[x.Fault]) + " until its session expired. This step needs something else."
		}
		if why == "" && m.cast.left(c.To, m.after) {
			why = m.cast.found[c.To].label + " is no longer in the queue."
		}
		if why != "" {
			return why
		}
	}
	return ""
}
