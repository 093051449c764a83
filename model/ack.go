package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"electop/model/dialect"
	"electop/model/session"
	"electop/model/znode"
)

// acknowledgement has what is known of the znodes by which a leader acknowledges, and
// what their reads say of the takeover. Usually there is one; if a system has
// several, one with the leader's session is enough.
type acknowledgement struct {
	ackZnode            // the one that counts now, of all
	all      []ackZnode // by path; replaced when it changes
	paths    []string   // of all, nil for none
	expected bool       // leaders here acknowledge: configured, or one was seen
	// since is when the last handoff was, while it waits to be acknowledged. After
	// a lost connection an acknowledgement may be old by the time it is seen.
	since timeBounds
}

// ackZnode is one znode by which leaders acknowledge.
type ackZnode struct {
	AckState
	changed timeBounds // when it became as it is
	missed  bool       // the connection was lost since it was read
	sent    time.Time  // when it was last requested; zero: not known, or in a gap
}

// newAcknowledgement is for the znodes at paths, "" for none.
func newAcknowledgement(paths []string, byData, expected bool) acknowledgement {
	a := acknowledgement{expected: expected, paths: paths}
	for _, path := range paths {
		a.all = append(a.all, ackZnode{AckState: AckState{Path: path, Presence: Absent, ByData: byData}})
	}
	a.choose(nil)
	return a
}

// choose makes the znode count that names head; else one that names another, one in
// the way, an unknown one, and an absent one, in this order.
func (a *acknowledgement) choose(head *dialect.Candidate) {
	best := -1
	a.ackZnode = ackZnode{AckState: AckState{Presence: Absent}}
	for i, z := range a.all {
		rank := 0
		switch {
		case z.Names(head):
			rank = 4
		case z.Presence == Present && (z.Session != 0 || z.ByData):
			rank = 3
		case z.Presence == Present && i == 0:
			rank = 2
		case z.At.IsZero() || z.Presence == Denied:
			rank = 1
		}
		if rank > best {
			best, a.ackZnode = rank, z
		}
	}
	if best == 0 { // a znode in the way, of no leader
		a.Presence = Absent
	}
}

// read applies a read. If the last handoff waited for it, ok is true and took is
// the takeover, within its bounds.
func (a *acknowledgement) read(o *Ack, head *dialect.Candidate, gap bool) (took *time.Duration, within *Span, ok bool) {
	i := slices.IndexFunc(a.all, func(z ackZnode) bool { return o.Path == "" || o.Path == z.Path })
	if i < 0 {
		return nil, nil, false // requested before another path was followed
	}
	a.all = slices.Clone(a.all)
	z := &a.all[i]
	z.missed = false
	z.AckState = AckState{Path: z.Path, ByData: z.ByData, Presence: o.Presence, At: wall(o.At), Session: o.Session}
	if o.Presence == Present {
		a.expected = true
		z.Znode, z.Fence = ParseAck(o.Data.Bytes)
		var solr struct{ ID string }
		if json.Unmarshal(o.Data.Bytes, &solr) == nil {
			z.ID = solr.ID
		}
		if z.ByData {
			z.Data = o.Data
		}
	}
	z.changed = z.bounds(o, gap)
	a.choose(head)
	if !a.Names(head) || !a.since.known() {
		return nil, nil, false
	}
	took, within = lasted(a.since, a.changed)
	a.since = timeBounds{}
	return took, within, true
}

// bounds returns when the acknowledgement became as a read shows it. Several
// changes may be behind one notification, so only the answer is later than all.
func (a *ackZnode) bounds(o *Ack, gap bool) timeBounds {
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

// unread reports whether one of the znodes was not read yet, or not since the connection was
// lost.
func (a *acknowledgement) unread() bool {
	return slices.ContainsFunc(a.all, func(z ackZnode) bool { return z.At.IsZero() || z.missed })
}

// connectionLost notes that the znodes may have changed unseen.
func (a *acknowledgement) connectionLost() {
	a.since, a.all = timeBounds{}, slices.Clone(a.all)
	for i := range a.all {
		a.all[i].missed = true
	}
}

// handoff applies a new head, nil for none, and returns the takeover if the head
// has acknowledged already. If it has not, waits reports whether it can be
// expected to.
func (a *acknowledgement) handoff(head *dialect.Candidate, changed timeBounds) (took *time.Duration, within *Span, waits bool) {
	// The deletion is notified before the acknowledgement,
	// so an acknowledgement from before belongs to an earlier reign.
	a.since = timeBounds{}
	a.choose(head)
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

// AckState has what is known of the acknowledgement znode.
type AckState struct {
	Path     string // "": there is none
	Presence Presence
	At       time.Time
	Session  uint64
	Znode    string // the leader's znode as its text says; "" unknown
	Fence    int64  // likewise its czxid
	// ID is the name of the leader's znode as Solr writes it, "" for none. Its overseer goes by
	// it, whoever owns the acknowledgement.
	ID string
	// ByData says that the znode is persistent and has the data of the leader's
	// znode, which is in Data.
	ByData bool
	Data   znode.Data
}

// Names reports whether the acknowledgement is of that contender.
func (a AckState) Names(c *dialect.Candidate) bool {
	switch {
	case a.Presence != Present || c == nil:
		return false
	case a.ByData:
		return !c.Unread && !a.Data.Denied && !c.Data.Denied && !a.Data.Truncated() && c.Data.Length == a.Data.Length && bytes.Equal(a.Data.Bytes, c.Data.Bytes)
	}
	if a.Znode != "" {
		return znode.Base(a.Znode) == c.Name && a.Fence == c.Czxid
	}
	return a.ID != "" && a.ID == c.Name || a.Session != 0 && a.Session == c.Session
}
