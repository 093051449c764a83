package model

import "time"

// StepTaken is a step of the recipe that one of our members took.
type StepTaken struct {
	N      uint64 // counts all steps up from 1
	At     time.Time
	Member string // [Member.ID]
	Name   string
	Step   Step
	Detail string // what it worked on, as text: "C := {12, 13, 14}"
}

// StepsMax is how many steps a state remembers.
const StepsMax = 256

// stepped adds the step that a member says it took. What it said before, as
// old (nil: nothing), is told again with anything else of it that changes.
func stepped(steps []StepTaken, o *Cast, old *Member) []StepTaken {
	m := &o.Member
	if m.Step == StepNone || old != nil && m.Step == old.Step && m.Detail == old.Detail && m.StepAt.Equal(old.StepAt) {
		return steps
	}
	at := wall(m.StepAt)
	if m.StepAt.IsZero() {
		at = wall(o.At)
	}
	n := uint64(1)
	if len(steps) > 0 {
		n = steps[len(steps)-1].N + 1
	}
	return keep(steps, StepTaken{n, at, m.ID, m.Name, m.Step, m.Detail}, StepsMax)
}
