package plain

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/model/znode"
)

// Line returns an event as one line of text for people, times in loc.
func Line(e model.Event, loc *time.Location) string {
	at := e.At.In(loc).Format("15:04:05.000")
	line := func(kind, format string, args ...any) string {
		return fmt.Sprintf("%s  %-10s  %s", at, kind, fmt.Sprintf(format, args...))
	}
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		s := b.State
		switch {
		case s.Phase == model.NoParent:
			return line("state", "%s does not exist (yet)", znode.Safe(s.Path, 0))
		case s.NoLeader() != model.NoCandidate && s.Leader() == nil:
			return line("state", "%s", noLeader(s))
		case s.ElectionUnseen():
			return line("state", "%s", noLeader(s))
		case s.Leader() == nil && s.Single:
			return line("state", "nobody leads: %s does not exist", znode.Safe(s.Path, 0))
		case s.Leader() == nil:
			return line("state", "no candidate in %s", znode.Safe(s.Path, 0))
		}
		return line("state", "%s, %s", leads(s), waiting(s))
	case model.Joined:
		return line("joined", "%s", whoOrWhat(b.Candidate, b.Ignored))
	case model.Left:
		return line("left", "%s", whoOrWhat(b.Candidate, b.Ignored))
	case model.Handoff:
		return line("handoff", "%s -> %s%s", Who(b.From), Who(b.To), handoffNotes(b))
	case model.Missed:
		if !b.Known {
			return line("missed", "an unknown number of changes")
		}
		return line("missed", "%s, %s", units.Count(b.Creates, "create", "creates"), units.Count(b.Deletes, "delete", "deletes"))
	case model.LinkChanged:
		s := string(b.Link)
		if b.Server != "" {
			s += "  " + znode.Safe(b.Server, 0)
		}
		if b.Session != 0 {
			s += "  session " + znode.Hex(b.Session)
		}
		return line("connection", "%s", s)
	case doctor.FindingChanged:
		f := b.Finding
		what, severity := changed(b.Raised), strings.ToUpper(string(f.Severity))
		if b.Was != "" {
			what, severity = "now", severity+", was "+strings.ToUpper(string(b.Was))
		}
		return line("finding", "%s  %s  %s  (%s)%s", what, severity, znode.Safe(f.Title, 0), f.ID, first(f.Evidence))
	case doctor.RiskChanged:
		return line("risk", "%s", riskText(b, e.At))
	}
	panic("plain: unknown event") // the sum is closed
}

func handoffNotes(h model.Handoff) string {
	var b strings.Builder
	if h.From != nil {
		b.WriteString("  " + CauseText(h.Cause))
	}
	for _, m := range h.Measures() {
		switch {
		case m.Guess():
			fmt.Fprintf(&b, "  %s ~%s (%s to %s)", m.Name, units.Took(*m.Took), units.Took(m.In.Least), units.Took(m.In.Most))
		case m.Took != nil:
			fmt.Fprintf(&b, "  %s %s", m.Name, units.Took(*m.Took))
		}
	}
	if h.Fence != 0 {
		b.WriteString("  token " + znode.Zxid(h.Fence))
	}
	if h.Evidence != "" {
		b.WriteString("  (" + znode.Safe(h.Evidence, 0) + ")")
	}
	return b.String()
}

// first is the first piece of evidence, to end a line with.
func first(evidence []string) string {
	if len(evidence) == 0 {
		return ""
	}
	return "  " + znode.Safe(evidence[0], 0)
}

func riskText(r doctor.RiskChanged, now time.Time) string {
	who := Who(r.Risk.Candidate)
	switch {
	case r.Gone:
		if r.Risk.Leader {
			who += ", who led"
		}
		return who + ": " + goneText(r.Cause)
	case r.Risk.Leader:
		who += ", who leads,"
	}
	if !r.Raised {
		return who + " is not at risk any more"
	}
	return RiskText(who, &r.Risk, now)
}

// goneText says how a candidate at risk ended.
func goneText(c model.Cause) string {
	switch c {
	case model.CauseUnknown:
		return "its znode was deleted while it was at risk"
	case model.CauseExpired:
		return "its session expired"
	}
	return "its znode was deleted, " + CauseText(c)
}
