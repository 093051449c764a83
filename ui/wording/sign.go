package wording

import (
	"strings"

	"electop/model/doctor"
	"electop/ui/rows"
	"electop/ui/term"
)

// LeaderSign is the sign of a contender at the head of the queue: hollow unless it
// leads.
func LeaderSign(g *term.Glyphs, s *doctor.State, r rows.Row, alarm bool) (term.Style, string) {
	switch {
	case alarm:
		return term.Alarm, g.LeaderLost
	case r.Position == 0 && s.Lead() != doctor.Leads:
		return term.Lead, g.LeaderLost
	}
	return term.Lead, g.Leader
}

// Pointed is the sign before a row: mark where it is selected, else the pointer where the
// student of a lesson is to act on it. at is the ID of that member, "" for none.
func Pointed(g *term.Glyphs, r rows.Row, at, mark string) (term.Style, string) {
	if r.Member != nil && r.Member.ID == at && strings.TrimSpace(mark) == "" {
		return term.Lead, g.Pointed
	}
	return term.Strong, mark
}
