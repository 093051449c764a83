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

// acknowledgement has the acknowledgement znodes of an election. One znode that names the leader is enough.
type acknowledgement struct {
	ackZnode            // set by choose
	all      []ackZnode // never written in place, because states share it
	paths    []string
	expected bool       // the configuration expects an acknowledgement, or one was seen
	since    timeBounds // of the last handoff; unknown after its acknowledgement or a lost connection
}

type ackZnode struct {
	AckState
	changed timeBounds
	missed  bool      // the connection was lost after the last read
	sent    time.Time // when the last read was requested; zero: unusable
}

func newAcknowledgement(paths []string, byData, expected bool) acknowledgement {
	a := acknowledgement{expected: expected, paths: paths}
	for _, path := range paths {
		a.all = append(a.all, ackZnode{AckState: AckState{Path: path, Presence: Absent, ByData: byData}})
	}
	a.choose(nil)
	return a
}

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
	if best == 0 { // no znode shows a leader
		a.Presence = Absent
	}
}

// read applies o. ok reports whether o acknowledges the last handoff.
func (a *acknowledgement) read(o *Ack, head *dialect.Candidate, gap bool) (took *time.Duration, within *Span, ok bool) {
	i := slices.IndexFunc(a.all, func(z ackZnode) bool { return o.Path == "" || o.Path == z.Path })
	if i < 0 {
		return nil, nil, false // a late reply about a path of the previous dialect
	}
	a.all = slices.Clone(a.all)
	z := &a.all[i]
	z.missed = false
	z.AckState = AckState{Path: z.Path, ByData: z.ByData, Presence: o.Presence, At: wallClock(o.At), Session: o.Session}
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

func (a *ackZnode) bounds(o *Ack, gap bool) timeBounds {
	// More changes may follow the notified change, so the upper bound is the time of the read.
	m := timeBounds{earliest: a.sent, latest: wallClock(o.At), likely: wallClock(o.At)}
	a.sent = wallClock(o.Sent)
	if o.Sent.IsZero() || gap || o.Sent.After(o.At) {
		a.sent = time.Time{}
	}
	if o.Notified.IsZero() || o.Notified.After(o.At) {
		return m
	}
	m.likely = wallClock(o.Notified)
	if !o.AppliedAfter.IsZero() && !m.earliest.IsZero() {
		m.earliest = session.Later(m.earliest, wallClock(o.AppliedAfter))
	}
	if m.earliest.After(m.latest) { // the clock was set back
		m.earliest = time.Time{}
	}
	return m
}

func (a *acknowledgement) unread() bool {
	return slices.ContainsFunc(a.all, func(z ackZnode) bool { return z.At.IsZero() || z.missed })
}

func (a *acknowledgement) connectionLost() {
	a.since, a.all = timeBounds{}, slices.Clone(a.all)
	for i := range a.all {
		a.all[i].missed = true
	}
}

func (a *acknowledgement) handoff(head *dialect.Candidate, changed timeBounds) (took *time.Duration, within *Span, waits bool) {
	a.since = timeBounds{}
	a.choose(head)
	if a.Names(head) {
		if changed.known() && !a.At.Before(changed.lower()) { // an older read may be of an earlier reign
			took, within = lasted(changed, a.changed)
		}
		return took, within, false
	}
	if head != nil {
		a.since = changed
	}
	return nil, nil, a.since.known() && a.Path != "" && a.expected
}

type ackJSON struct {
	Znode string `json:"znode"`
	Czxid string `json:"czxid"` // hex, 0x...
}

// AckData encodes the path and the czxid of the leader's znode.
func AckData(path string, czxid int64) []byte {
	b, err := json.Marshal(ackJSON{path, znode.Hex(uint64(czxid))})
	if err != nil {
		panic("model: acknowledgement: " + err.Error()) // two strings always marshal
	}
	return b
}

// ParseAck parses the result of [AckData]. For other data it returns "" and 0.
func ParseAck(data []byte) (znode string, czxid int64) {
	var t ackJSON
	if json.Unmarshal(data, &t) != nil || !strings.HasPrefix(t.Znode, "/") {
		return "", 0
	}
	z, err := strconv.ParseUint(strings.TrimPrefix(t.Czxid, "0x"), 16, 64)
	if err != nil {
		return "", 0
	}
	return t.Znode, int64(z)
}

// AckState is an acknowledgement as it was last read.
type AckState struct {
	Path     string // "" for none
	Presence Presence
	At       time.Time
	Session  uint64 // the ephemeral owner
	Znode    string // the leader's znode according to the data; "": unknown
	Fence    int64  // the czxid of the leader's znode according to the data
	ID       string // the name of the leader's znode according to Solr's data, "" for none
	// ByData reports whether each leader copies the data of its own znode to this persistent znode.
	ByData bool
	Data   znode.Data
}

// Names reports whether the acknowledgement names contender c as the leader.
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

func (a *acknowledgement) unmeasured(ackChild string) Unmeasured {
	switch {
	case ackChild == "" && a.Path == "":
		return NoAck
	case !a.since.known():
		return Unwatched
	}
	return NoAckYet
}
