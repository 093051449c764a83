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

type eventHead struct {
	N    uint64 `json:"n"`
	At   string `json:"at"`
	Type string `json:"type"`
}

type childEvent struct {
	eventHead
	Znode string `json:"znode"`
	seq
	Session *string `json:"session"`
	data
	Ignored bool `json:"ignored,omitempty"`
}

type handoffEvent struct {
	eventHead
	Cluster    *string  `json:"cluster"` // as the user named it
	Path       string   `json:"path"`
	From       *string  `json:"from"`
	FromName   *string  `json:"from_name"`
	To         *string  `json:"to"`
	ToName     *string  `json:"to_name"`
	ToSession  *string  `json:"to_session"`
	ToData     *string  `json:"to_data"`
	ToBase64   []byte   `json:"to_data_base64,omitempty"`
	ToLength   int      `json:"to_data_length,omitempty"` // set where to_data is cut
	Fence      *string  `json:"fence"`
	Cause      string   `json:"cause"`
	Evidence   *string  `json:"evidence"` // how the cause is known
	SilentMS   *float64 `json:"silent_ms"`
	TakeoverMS *float64 `json:"takeover_ms"`
	VacantMS   *float64 `json:"vacant_ms"`

	Between       *[2]string  `json:"between"`
	SilentRange   *[2]float64 `json:"silent_range_ms"`
	TakeoverRange *[2]float64 `json:"takeover_range_ms"`
	VacantRange   *[2]float64 `json:"vacant_range_ms"`

	TimeoutMS *float64 `json:"session_timeout_ms"` // of the old leader
	// Why a duration is null.
	SilentWhy   *string `json:"silent_unknown"`
	TakeoverWhy *string `json:"takeover_unknown"`
	VacantWhy   *string `json:"vacant_unknown"`
	TimeoutWhy  *string `json:"session_timeout_unknown"`
}

// explainedEvent says that a later answer shows why a leader's znode was deleted.
type explainedEvent struct {
	eventHead
	From     *string `json:"from"` // of the handoff
	Cause    string  `json:"cause"`
	Evidence *string `json:"evidence"`
}

// takeoverEvent has the takeover of a handoff whose own line could not wait for it.
type takeoverEvent struct {
	eventHead
	Leader        *string     `json:"leader"`
	TakeoverMS    *float64    `json:"takeover_ms"`
	TakeoverRange *[2]float64 `json:"takeover_range_ms"`
}

type missedEvent struct {
	eventHead
	Creates *int `json:"creates"`
	Deletes *int `json:"deletes"`
}

type connectionEvent struct {
	eventHead
	State   string  `json:"state"`
	Server  *string `json:"server"`
	Session *string `json:"session"`
}

// epochEvent is a change of the number by which a system counts its leaders.
type epochEvent struct {
	eventHead
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// findingEvent is a finding that was raised or cleared; Key is the same for
// both.
type findingEvent struct {
	eventHead
	State string  `json:"state"`
	Was   *string `json:"was"` // the severity before, where only that changed
	Key   string  `json:"key"`
	finding
}

// riskEvent says that a contender's session is about to expire, or that it is not
// any longer.
type riskEvent struct {
	eventHead
	State string `json:"state"`
	risk
	Gone  bool    `json:"gone"`
	Cause *string `json:"cause"` // set where it is gone
}

// risk says that a session is about to expire.
type risk struct {
	Znode string `json:"znode"`
	seq
	Session   *string  `json:"session"`
	Leader    bool     `json:"leader"`
	ExpiresMS *float64 `json:"expires_within_ms"`
	Epoch     *int64   `json:"ensemble_epoch"` // in which the bound is valid
	Evidence  string   `json:"evidence"`
	Next      *string  `json:"next"` // who would take over
	TimeoutMS *float64 `json:"session_timeout_ms"`
	SilentMS  *float64 `json:"silent_ms"` // at least
}

// riskOf returns a risk; now is zero for one that is over.
func riskOf(path string, r *doctor.Risk, now time.Time) risk {
	c := r.Candidate
	out := risk{
		Znode: znode.Join(path, c.Name), seq: sequence(c), Session: sessionID(c),
		Leader: r.Leader, Evidence: r.Evidence, Next: znodePath(path, r.Next),
	}
	if r.Timeout > 0 {
		out.TimeoutMS = millis(&r.Timeout)
	}
	if !now.IsZero() {
		out.ExpiresMS, out.Epoch = within(r.By, now), epoch(r)
		if !r.Silent.IsZero() {
			out.SilentMS = within(now, r.Silent)
		}
	}
	return out
}

type stateEvent struct {
	eventHead
	status
}

// Event returns the JSON object of an event in the election at path of a cluster.
func Event(cluster, path string, e model.Event) any {
	head := func(kind string) eventHead { return eventHead{e.N, stamp(e.At), kind} }
	child := func(kind string, c *dialect.Candidate, ignored bool) any {
		return childEvent{head(kind), znode.Join(path, c.Name), sequence(c), sessionID(c), content(c.Data, c.Unread), ignored}
	}
	switch b := e.Body.(type) {
	case doctor.Snapshot:
		return stateEvent{head("state"), statusOf(b.State)}
	case model.Joined:
		return child("joined", b.Candidate, b.Ignored)
	case model.Left:
		return child("left", b.Candidate, b.Ignored)
	case model.Handoff:
		out := handoffEvent{
			eventHead: head("handoff"), Cluster: text(znode.Safe(cluster, 0)), Path: path,
			From: znodePath(path, b.From), FromName: name(b.From), To: znodePath(path, b.To), ToName: name(b.To), Cause: string(b.Cause), Evidence: text(b.Evidence),
		}
		m := b.Measures()
		out.SilentMS, out.SilentRange, out.SilentWhy = part(&b, m[0])
		out.TakeoverMS, out.TakeoverRange, out.TakeoverWhy = part(&b, m[1])
		out.VacantMS, out.VacantRange, out.VacantWhy = part(&b, m[2])
		out.TimeoutMS, _, out.TimeoutWhy = part(&b, m[3])
		if !b.Earliest.IsZero() && !b.Latest.IsZero() {
			out.Between = &[2]string{stamp(b.Earliest), stamp(b.Latest)}
		}
		if b.To != nil {
			d := content(b.To.Data, b.To.Unread)
			out.ToSession, out.ToData, out.ToBase64, out.ToLength = sessionID(b.To), d.Data, d.DataBase64, d.DataLength
			if !b.To.Unread {
				out.Fence = text(znode.Zxid(b.Fence))
			}
		}
		return out
	case model.Explained:
		return explainedEvent{head("cause"), znodePath(path, b.From), string(b.Cause), text(b.Evidence)}
	case model.Acknowledged:
		h := b.Handoff
		return takeoverEvent{head("takeover"), znodePath(path, h.To), millis(h.Takeover), rangeOf(h.TakeoverIn)}
	case model.Missed:
		out := missedEvent{eventHead: head("missed")}
		if b.Known {
			out.Creates, out.Deletes = &b.Creates, &b.Deletes
		}
		return out
	case model.LinkChanged:
		link := b.Link
		if link == model.Connecting { // it was connected before
			link = model.Disconnected
		}
		out := connectionEvent{head("connection"), string(link), text(b.Server), nil}
		if b.Session != 0 {
			out.Session = text(znode.Hex(b.Session))
		}
		return out
	case model.EpochChanged:
		return epochEvent{head("epoch"), b.From, b.To}
	case doctor.FindingChanged:
		return findingEvent{head("finding"), changed(b.Raised), text(string(b.Was)), b.Finding.Key, findingOf(b.Finding)}
	case doctor.RiskChanged:
		now := e.At
		if !b.Raised {
			now = time.Time{}
		}
		out := riskEvent{eventHead: head("risk"), State: changed(b.Raised), risk: riskOf(path, &b.Risk, now)}
		if b.Gone {
			out.Gone, out.Cause = true, text(string(b.Cause))
		}
		return out
	}
	panic("plain: unknown event") // the sum is closed
}

// part is a duration of a handoff, its bounds, and why it is not known.
func part(h *model.Handoff, m model.Measure) (ms *float64, in *[2]float64, why *string) {
	return millis(m.Took), rangeOf(m.In), text(phrase.Unmeasured(h, m))
}

// rangeOf are the bounds of a duration in milliseconds.
func rangeOf(s *model.Span) *[2]float64 {
	if s == nil {
		return nil
	}
	return &[2]float64{*millis(&s.Least), *millis(&s.Most)}
}

// changed is the state of a finding or a risk.
func changed(raised bool) string {
	if raised {
		return "raised"
	}
	return "cleared"
}

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
