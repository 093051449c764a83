package plain

import (
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/phrase"
	"electop/model/znode"
)

type eventHead struct {
	N    uint64 `json:"n"`
	At   string `json:"at"`
	Type string `json:"type"`

	at time.Time
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
	head := func(kind string) eventHead { return eventHead{e.N, stamp(e.At), kind, e.At} }
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
			From: znodePath(path, b.From), FromName: nameOf(b.From), To: znodePath(path, b.To), ToName: nameOf(b.To), Cause: string(b.Cause), Evidence: text(b.Evidence),
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
		return riskEventOf(path, head("risk"), b)
	}
	panic("plain: unknown event") // the sum is closed
}

// nameOf is the name of a leader, nil for nobody.
func nameOf(c *dialect.Candidate) *string {
	if c == nil {
		return nil
	}
	return name(c)
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

func riskEventOf(path string, head eventHead, r doctor.RiskChanged) any {
	now := head.at
	if !r.Raised {
		now = time.Time{}
	}
	out := riskEvent{eventHead: head, State: changed(r.Raised), risk: riskOf(path, &r.Risk, now)}
	if r.Gone {
		out.Gone, out.Cause = true, text(string(r.Cause))
	}
	return out
}

// changed is the state of a finding or a risk.
func changed(raised bool) string {
	if raised {
		return "raised"
	}
	return "cleared"
}
