package plain

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
)

// Line returns an event as one line of text for people, times in loc.
func Line(e model.Event, loc *time.Location) string {
	kind, words := Words(e)
	return fmt.Sprintf("%s  %-10s  %s", e.At.In(loc).Format("15:04:05.000"), kind, words)
}

// Words returns an event's kind, and what happened.
func Words(e model.Event) (kind, words string) {
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		s := b.State
		if s.Phase == model.NoParent {
			return "state", znode.Safe(s.Path, 0) + " does not exist (yet)"
		}
		return "state", stateWords(s)
	case model.Joined:
		return "joined", whoOrWhat(b.Candidate, b.Ignored)
	case model.Left:
		return "left", whoOrWhat(b.Candidate, b.Ignored)
	case model.Handoff:
		return "handoff", phrase.Who(b.From) + " -> " + phrase.Who(b.To) + handoffNotes(b)
	case model.Explained:
		return "cause", phrase.Who(b.From) + ", who led: " + phrase.Cause(b.Cause).Row + "  (" + znode.Safe(b.Evidence, 0) + ")"
	case model.Acknowledged:
		return "takeover", phrase.Who(b.Handoff.To) + " acknowledged" + measureNotes(b.Handoff.Measures()[1])
	case model.Missed:
		return "missed", phrase.Missed(b)
	case model.LinkChanged:
		words = string(b.Link)
		if b.Server != "" {
			words += "  " + znode.Safe(b.Server, 0)
		}
		if b.Session != 0 {
			words += "  session " + znode.Hex(b.Session)
		}
		return "connection", words
	case model.EpochChanged:
		return "epoch", fmt.Sprintf("%d -> %d", b.From, b.To)
	case doctor.FindingChanged:
		f := b.Finding
		what, severity := changed(b.Raised), strings.ToUpper(string(f.Severity))
		if b.Was != "" {
			what, severity = "now", severity+", was "+strings.ToUpper(string(b.Was))
		}
		return "finding", fmt.Sprintf("%s  %s  %s  (%s)%s", what, severity, znode.Safe(f.Title, 0), f.ID, first(f.Evidence))
	case doctor.RiskChanged:
		return "risk", phrase.RiskChanged(b, e.At, phrase.Who)
	}
	panic("plain: unknown event") // the sum is closed
}

func handoffNotes(h model.Handoff) string {
	var b strings.Builder
	if h.From != nil {
		b.WriteString("  " + phrase.Cause(h.Cause).Row)
	}
	measures := h.Measures()
	for _, m := range measures[:3] {
		b.WriteString(measureNotes(m))
	}
	if h.Silent != nil && h.Timeout > 0 {
		b.WriteString("  session timeout " + units.Exact(h.Timeout))
	}
	if h.Fence != 0 {
		b.WriteString("  token " + znode.Zxid(h.Fence))
	}
	if h.Evidence != "" {
		b.WriteString("  (" + znode.Safe(h.Evidence, 0) + ")")
	}
	return b.String()
}

// measureNotes is a duration of a handoff, "" for none.
func measureNotes(m model.Measure) string {
	switch {
	case m.Guess():
		return fmt.Sprintf("  %s ~%s (%s to %s)", m.Name, units.Took(*m.Took), units.Took(m.In.Least), units.Took(m.In.Most))
	case m.Took != nil:
		return fmt.Sprintf("  %s %s", m.Name, units.Took(*m.Took))
	}
	return ""
}

// first is the first piece of evidence, to end a line with.
func first(evidence []string) string {
	if len(evidence) == 0 {
		return ""
	}
	return "  " + znode.Safe(evidence[0], 0)
}
