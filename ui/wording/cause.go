package wording

import (
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/term"
)

// Label is what to call a candidate, or nobody.
func Label(c *dialect.Candidate) string {
	if c == nil {
		return "nobody"
	}
	return c.Label()
}

// CauseOf says why the leader before a handoff stopped leading.
func CauseOf(h *model.Handoff) (term.Style, string) {
	switch {
	case h.From == nil && h.Vacant != nil:
		return term.Muted, "no leader"
	case h.From == nil:
		return term.Muted, "first"
	case h.Cause == model.CauseExpired:
		return term.Trouble, "session expired"
	case h.Cause == model.CauseResigned:
		return term.Text, "resigned"
	case h.Cause == model.CauseClosed:
		return term.Text, "closed"
	case h.Cause == model.CauseLeft:
		return term.Text, "left alive"
	}
	return term.Muted, "cause unknown"
}

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
