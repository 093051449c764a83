package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// acknowledgement is the acknowledgement znode, and what its reads say of the
// takeover.
type acknowledgement struct {
	AckState
	expected bool       // leaders here acknowledge: configured, or one was seen
	changed  timeBounds // when it became as it is
	sent     time.Time  // when it was last requested; zero: not known, or in a gap
	// since is when the last handoff was, while it waits to be acknowledged. After
	// a lost connection an acknowledgement may be old by the time it is seen.
	since timeBounds
}

func newAcknowledgement(path string, expected bool) acknowledgement {
	return acknowledgement{AckState: AckState{Path: path, Presence: Absent}, expected: expected}
}

// read takes in a read. If the last handoff waited for it, ok is true and took is
// the takeover, within its bounds.
func (a *acknowledgement) read(o *Ack, head *dialect.Candidate, gap bool) (took *time.Duration, within *Span, ok bool) {
	if o.Path != "" && o.Path != a.Path {
		return nil, nil, false // requested before another path was followed
	}
	a.AckState = AckState{Path: a.Path, Presence: o.Presence, At: wall(o.At), Session: o.Session}
	if o.Presence == Present {
		a.expected = true
		a.Znode, a.Fence = ParseAck(o.Data.Bytes)
	}
	a.changed = a.bounds(o, gap)
	if !a.Names(head) || !a.since.known() {
		return nil, nil, false
	}
	took, within = lasted(a.since, a.changed)
	a.since = timeBounds{}
	return took, within, true
}

// bounds returns when the acknowledgement became as a read shows it. Several
// changes may be behind one notification, so only the answer is later than all.
func (a *acknowledgement) bounds(o *Ack, gap bool) timeBounds {
	m := timeBounds{earliest: a.sent, latest: wall(o.At), likely: wall(o.At)}
	a.sent = wall(o.Sent)
	if o.Sent.IsZero() || gap || o.Sent.After(o.At) {
		a.sent = time.Time{}
	}
	if o.Notified.IsZero() || o.Notified.After(o.At) {
		return m
	}
	m.likely = wall(o.Notified)
	if !o.Heard.IsZero() && !m.earliest.IsZero() {
		m.earliest = session.Later(m.earliest, wall(o.Heard))
	}
	if m.earliest.After(m.latest) { // a clock that was set
		m.earliest = time.Time{}
	}
	return m
}

// handoff takes in a new head, nil for none, and returns the takeover if the head
// has acknowledged already. If it has not, waits reports whether it can be
// expected to.
func (a *acknowledgement) handoff(head *dialect.Candidate, changed timeBounds) (took *time.Duration, within *Span, waits bool) {
	// The notification of the deletion comes before that of the acknowledgement,
	// so an acknowledgement from before belongs to an earlier reign.
	a.since = timeBounds{}
	if a.Names(head) {
		if changed.known() && !a.At.Before(changed.since()) {
			took, within = lasted(changed, a.changed)
		}
		return took, within, false
	}
	if head != nil {
		a.since = changed
	}
	return nil, nil, a.since.known() && a.Path != "" && a.expected
}

// ackText is the acknowledgement's data.
type ackText struct {
	Znode string `json:"znode"`
	Czxid string `json:"czxid"` // hex, 0x...
}

// AckData returns the data of an acknowledgement: which znode leads, and its
// czxid, the fencing token.
func AckData(node string, czxid int64) []byte {
	b, err := json.Marshal(ackText{node, znode.Hex(uint64(czxid))})
	if err != nil {
		panic("model: acknowledgement: " + err.Error()) // two strings always marshal
	}
	return b
}

// ParseAck reads [AckData]; "" and 0 for data that is none.
func ParseAck(data []byte) (znode string, czxid int64) {
	var t ackText
	if json.Unmarshal(data, &t) != nil || !strings.HasPrefix(t.Znode, "/") {
		return "", 0
	}
	z, err := strconv.ParseUint(strings.TrimPrefix(t.Czxid, "0x"), 16, 64)
	if err != nil {
		return "", 0
	}
	return t.Znode, int64(z)
}
