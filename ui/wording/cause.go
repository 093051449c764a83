package wording

import (
	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
)

// TookAbout is a duration, marked if it is an estimate.
func TookAbout(m model.Measure) string {
	if m.Guess() {
		return "~" + units.Took(*m.Took)
	}
	return units.Took(*m.Took)
}

// Newest is the newest handoff, nil if there was none.
func Newest(s *doctor.State) *model.Handoff {
	if n := len(s.Handoffs); n > 0 {
		return s.Handoffs[n-1]
	}
	return nil
}
