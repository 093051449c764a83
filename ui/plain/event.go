package plain

import (
	"fmt"
	"strings"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/units"
	"electop/model/znode"
)

// riskOf describes r at the time now. If the risk is over, now is zero.
func riskOf(path string, r *doctor.Risk, now time.Time) Object {
	c, lasts := r.Candidate, !now.IsZero()
	return Object{
		"znode", znode.Join(path, c.Name),
		"sequence", sequence(c),
		"session", sessionID(c),
		"leader", r.Leader,
		"expires_within_ms", When(lasts && !r.By.IsZero(), within(r.By, now)),
		"ensemble_epoch", When(lasts && !r.By.IsZero(), r.Epoch), // expires_within_ms is valid only in this epoch
		"evidence", r.Evidence,
		"next", znodePath(path, r.Next),
		"session_timeout_ms", When(r.Timeout > 0, millis(r.Timeout)),
		"silent_ms", silence(r, now), // lower bound
	}
}

// silence returns a lower bound in milliseconds; nil if the bound is unknown or now is zero.
func silence(r *doctor.Risk, now time.Time) *float64 {
	return When(!now.IsZero() && !r.Silent.IsZero(), within(now, r.Silent))
}

// Event returns the JSON object of an event in the election at path.
func Event(cluster, path string, e model.Event) any {
	head := func(kind string, fields ...any) Object {
		return append(Object{"n", e.N, "at", stamp(e.At), "type", kind}, fields...)
	}
	child := func(kind string, c *dialect.Candidate, ignored bool) any {
		out := head(kind, "znode", znode.Join(path, c.Name), "sequence", sequence(c), "session", sessionID(c))
		return append(append(out, content("data", c)...), "ignored?", ignored)
	}
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		return head("state", Status(b.State)...)
	case model.Joined:
		return child("joined", b.Candidate, b.Ignored)
	case model.Left:
		return child("left", b.Candidate, b.Ignored)
	case model.Handoff:
		return head("handoff", handoff(cluster, path, &b)...)
	case model.Explained:
		return head("cause", "from", znodePath(path, b.From), "cause", b.Cause, "evidence", text(b.Evidence))
	case model.Acknowledged:
		h := b.Handoff
		return head("takeover", "leader", znodePath(path, h.To), "takeover_ms", millisOrNil(h.Takeover), "takeover_range_ms", rangeOf(h.TakeoverIn))
	case model.Missed:
		return head("missed", "creates", When(b.Known, b.Creates), "deletes", When(b.Known, b.Deletes))
	case model.LinkChanged:
		link := b.Link
		if link == model.Connecting { // this event comes only after Connected: the connection was lost
			link = model.Disconnected
		}
		return head("connection", "state", link, "server", text(b.Server), "session", When(b.Session != 0, znode.Hex(b.Session)))
	case model.EpochChanged:
		return head("epoch", "from", b.From, "to", b.To)
	case doctor.FindingChanged: // "was" is null if the finding is new or cleared
		out := head("finding", "state", changed(b.Raised), "was", text(string(b.Was)), "key", b.Finding.Key)
		return append(out, findingOf(b.Finding)...)
	case doctor.RiskChanged:
		now := e.At
		if !b.Raised {
			now = time.Time{}
		}
		out := append(head("risk", "state", changed(b.Raised)), riskOf(path, &b.Risk, now)...)
		return append(out, "gone", b.Gone, "cause", When(b.Gone && b.Cause != "", b.Cause))
	}
	panic(fmt.Sprintf("plain: unknown event %T", e.Body))
}

func handoff(cluster, path string, h *model.Handoff) Object {
	m := h.Measures()
	out := Object{
		"cluster", text(znode.Safe(cluster, 0)), // as the user named it
		"path", path,
		"from", znodePath(path, h.From),
		"from_name", name(h.From),
		"to", znodePath(path, h.To),
		"to_name", name(h.To),
	}
	if to := h.To; to != nil {
		out = append(append(out, "to_session", sessionID(to)), content("to_data", to)...)
		out = append(out, "fence", When(!to.Unread, znode.Zxid(h.Fence)))
	} else {
		out = append(out, "to_session", nil, "to_data", nil, "fence", nil)
	}
	out = append(out,
		"cause", h.Cause,
		"evidence", text(h.Evidence), // of the cause
		"silent_ms", millisOrNil(m[0].Took),
		"takeover_ms", millisOrNil(m[1].Took),
		"vacant_ms", millisOrNil(m[2].Took),
		"between", When(!h.Earliest.IsZero() && !h.Latest.IsZero(), [2]string{stamp(h.Earliest), stamp(h.Latest)}),
		"silent_range_ms", rangeOf(m[0].In),
		"takeover_range_ms", rangeOf(m[1].In),
		"vacant_range_ms", rangeOf(m[2].In),
		"session_timeout_ms", millisOrNil(m[3].Took), // of the old leader
	)
	for i, name := range []string{"silent", "takeover", "vacant", "session_timeout"} { // why the duration is null
		out = append(out, name+"_unknown", text(phrase.Unmeasured(h, m[i])))
	}
	return out
}

func rangeOf(s *model.Span) *[2]float64 {
	if s == nil {
		return nil
	}
	return &[2]float64{millis(s.Least), millis(s.Most)}
}

func changed(raised bool) string {
	if raised {
		return "raised"
	}
	return "cleared"
}

// Line returns an event as one line of text for people, with its time in loc.
func Line(e model.Event, loc *time.Location) string {
	kind, words := Words(e)
	return fmt.Sprintf("%s  %-10s  %s", e.At.In(loc).Format("15:04:05.000"), kind, words)
}

// Words returns an event's kind and its description.
func Words(e model.Event) (kind, words string) {
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		s := b.State
		if s.Phase == model.NoParent && !phrase.Open(s) {
			return "state", znode.Safe(s.Path, 0) + " does not exist (yet)"
		}
		return "state", stateWords(s)
	case model.Joined:
		return "joined", whoOrWhat(b.Candidate, b.Ignored)
	case model.Left:
		return "left", whoOrWhat(b.Candidate, b.Ignored)
	case model.Handoff:
		return "handoff", phrase.Who(b.From) + " -> " + phrase.To(&b, phrase.Who) + handoffNotes(b)
	case model.Explained:
		return "cause", phrase.Who(b.From) + map[bool]string{false: ", who led: ", true: ", who held: "}[b.Lock] + phrase.CauseOf(&b.Handoff).Row + "  (" + znode.Safe(b.Evidence, 0) + ")"
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
	panic(fmt.Sprintf("plain: unknown event %T", e.Body))
}

func handoffNotes(h model.Handoff) string {
	var b strings.Builder
	if h.From != nil {
		b.WriteString("  " + phrase.CauseOf(&h).Row)
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

func measureNotes(m model.Measure) string {
	switch {
	case m.Guess():
		return fmt.Sprintf("  %s ~%s (%s to %s)", m.Name, units.Took(*m.Took), units.Took(m.In.Least), units.Took(m.In.Most))
	case m.Took != nil:
		return fmt.Sprintf("  %s %s", m.Name, units.Took(*m.Took))
	}
	return ""
}

func first(evidence []string) string {
	if len(evidence) == 0 {
		return ""
	}
	return "  " + znode.Safe(evidence[0], 0)
}
