package lesson

import (
	"electop/model"
	"electop/model/znode"
)

// strayed says what happened instead of what was asked for. The part is lost
// if its conditions can no longer come true: then it can be restarted with the
// current candidates.
func (r *Run) strayed(m *moment) {
	if r.lost {
		return
	}
	lost := func(why string) {
		r.lost = true
		r.say(why + " Press < to restart this part with the current candidates.")
	}
	if why := r.missed(m); why != "" {
		lost(why)
		return
	}
	const idle = "This lesson needs the workers, and they are off. Press w to start them again."
	switch was, is := m.before.Work.Rules.Workers, m.after.Work.Rules.Workers; {
	case was && !is && r.lesson.Scene.Workers:
		r.say(idle)
	case is && r.stuck == idle:
		r.say("")
	}
	meant, asked := r.meant(), r.askedOf()
	m.members(func(old, now *model.Member) {
		if meant[now.ID] || old.Fault == now.Fault && old.Ending == now.Ending {
			return
		}
		deed := ""
		switch {
		case now.Fault != old.Fault && now.Fault != model.NoFault:
			deed = "was " + string(now.Fault)
		case now.Ending == model.Resigning && now.Recipe == m.after.Recipe.Name():
			deed = "resigned"
		default:
			return
		}
		name := znode.Safe(now.Name, nameMax)
		if asked[now.ID] {
			lost(name + " " + deed + ", so the question no longer fits.")
			return
		}
		if a := m.cast.found[r.now().Act.Target]; a.label != "" {
			r.say("You chose " + name + "; this step needs " + a.label + ". Try again with " + a.label + ".")
			return
		}
		r.say(name + " " + deed + ". This step did not need that; continue.")
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
				why = m.cast.found[c.Who].label + " no longer leads: " + ended(h.Cause) + "."
			})
		case Left:
			m.each(func(e model.EventBody) {
				if l, ok := e.(model.Left); ok && m.is(c.Who, l.Candidate) && why == "" {
					why = m.cast.found[c.Who].label + " is gone: " + ended(m.cause(l.Candidate)) + "."
				}
			})
		case Woke, Joined, Ghosted:
			// What they wait for comes after it is gone, if at all.
		case StaleWrite, FenceHeld, TokenHeld:
			if x := memberNamed(m.after, m.cast.found[c.Who].member); x == nil || x.Fault == model.NoFault && x.Belief != model.Leading && x.Belief != model.Elected {
				why = m.cast.found[c.Who].label + " no longer believes that it leads."
			}
		case Elected:
			l := m.after.Leader()
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
		if why == "" && m.cast.left(c.To, m.after) {
			why = m.cast.found[c.To].label + " is no longer in the queue."
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// ended says how a reign ended.
func ended(c model.Cause) string {
	switch c {
	case model.CauseResigned:
		return "it resigned"
	case model.CauseClosed:
		return "it closed its session"
	case model.CauseExpired:
		return "its session expired"
	}
	return "the cause is unknown"
}
