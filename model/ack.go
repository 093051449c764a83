package model

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"electop/model/session"
	"electop/model/znode"
)

// lookForAck makes another znode the acknowledgement; "": there is none.
func (j *Journal) lookForAck(path string) {
	if path == j.cfg.AckPath {
		return
	}
	j.resolve(nil, nil)
	j.cfg.AckPath, j.ackSeen, j.ackFrom = path, false, timeBounds{}
	j.acked, j.ackSent = timeBounds{}, time.Time{}
	j.state.Ack = AckState{Path: path, Presence: Absent}
}

// ack applies a look at the acknowledgement.
func (j *Journal) ack(o *Ack) {
	if o.Path != "" && o.Path != j.cfg.AckPath {
		return // it was on its way when another was looked for
	}
	a := AckState{Path: j.cfg.AckPath, Presence: o.Presence, At: wall(o.At), Session: o.Session}
	if o.Presence == Present {
		j.ackSeen = true
		a.Znode, a.Fence = ParseAck(o.Data.Bytes)
	}
	j.state.Ack = a
	j.acked = j.ackChanged(o)
	if !a.Names(j.head) || !j.ackFrom.known() {
		return
	}
	took, within := lasted(j.ackFrom, j.acked)
	j.ackFrom = timeBounds{}
	if j.pending != nil {
		j.resolve(took, within)
		return
	}
	j.amend(len(j.state.Handoffs)-1, took, within) // too late for the event, not for the screen
}

// ackChanged returns when the acknowledgement became as a look shows it. Several
// changes may be behind one notification, so only the answer is later than all.
func (j *Journal) ackChanged(o *Ack) timeBounds {
	m := timeBounds{earliest: j.ackSent, latest: wall(o.At), likely: wall(o.At)}
	j.ackSent = wall(o.Sent)
	if o.Sent.IsZero() || j.gap || o.Sent.After(o.At) {
		j.ackSent = time.Time{}
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
