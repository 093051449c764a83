package model

import "slices"

// News reports whether there will be something new to see after o, besides
// events.
func (j *Journal) News(o Observation) bool {
	switch o := o.(type) {
	case *Cast:
		old := j.members[o.Member.ID]
		if old == nil || o.Gone {
			return old != nil || !o.Gone
		}
		m := &o.Member
		return m.Step != old.Step || !m.StepOn.Equal(old.StepOn) || !m.StepAt.Equal(old.StepAt) || m.Belief != old.Belief || m.Znode != old.Znode ||
			m.Fault != old.Fault || m.Ending != old.Ending ||
			m.NoGuid != old.NoGuid || m.LosesReply != old.LosesReply || m.SlowLead != old.SlowLead
	case *Wake:
		return !slices.ContainsFunc(j.wakes.last, func(w *Woken) bool { return w.Zxid == o.Zxid && w.Znode == o.Znode })
	case *Pace: // of what is held, those that left are enough to see
		return len(o.Passed) > 0
	case *Switch, *Rules, *Write:
		return true
	}
	return false
}
