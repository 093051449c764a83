package wording

import (
	"slices"
	"strconv"

	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
	"electop/ui/term"
)

// Style is the style of a severity, and of what has none.
func Style(v doctor.Severity) term.Style {
	return map[doctor.Severity]term.Style{"": term.Muted, doctor.Info: term.Text, doctor.Warning: term.Trouble, doctor.Critical: term.Alarm}[v]
}

// Severity is how a severity is shown: never by colour alone.
func Severity(g *term.Glyphs, v doctor.Severity) (st term.Style, sign, word string) {
	return Style(v), map[doctor.Severity]string{doctor.Info: g.Info, doctor.Warning: g.Warning, doctor.Critical: g.Critical}[v], string(v)
}

// FindingsBadge counts the findings, "" for none.
func FindingsBadge(s *doctor.State) string {
	if len(s.Findings) == 0 {
		return ""
	}
	critical := 0
	for _, x := range s.Findings {
		if x.Severity == doctor.Critical {
			critical++
		}
	}
	text := units.Count(len(s.Findings), "finding", "findings")
	if critical > 0 {
		text += " (" + strconv.Itoa(critical) + " critical)"
	}
	return text
}

// About returns the findings that are about a candidate.
func About(s *doctor.State, c *dialect.Candidate) []*doctor.Finding {
	path := ZnodePath(s, c)
	var out []*doctor.Finding
	for _, x := range s.Findings {
		if slices.Contains(x.Znodes, path) || c.Session != 0 && slices.Contains(x.Sessions, c.Session) {
			out = append(out, x)
		}
	}
	return out
}

// RiskWarning says why a risk to the leader would not be seen in time, "" where it
// would be, or nobody leads.
func RiskWarning(s *doctor.State) string {
	l := s.Leader()
	if l == nil {
		return ""
	}
	if why := s.RiskWatch(l); why != "" {
		return "A risk to " + l.Label() + " may not be seen before its znode is deleted: " + znode.Safe(why, 0)
	}
	return ""
}
