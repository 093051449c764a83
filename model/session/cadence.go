package session

import (
	"strconv"
	"time"

	"electop/model/units"
	"electop/model/znode"
)

// By default servers are asked for connections and sessions only if all of them
// together have this many connections at most, and answer within this time.
const (
	CheapConnections = 2000
	CheapAnswer      = 100 * time.Millisecond
)

// Restraint is why servers are not asked for connections and sessions by default.
type Restraint struct {
	// Connections is how many connections the servers have together, if that is
	// more than [CheapConnections].
	Connections int `json:"connections,omitempty"`
	// Server took longer than [CheapAnswer], if Took is set. The servers are asked
	// again at Again.
	Server string        `json:"server,omitempty"`
	Took   time.Duration `json:"took,omitempty"`
	Again  time.Time     `json:"again,omitzero"`
}

// demand is what has the servers asked for connections and sessions.
const demand = "--admin-sessions 2s"

// Unasked says why the servers are not asked for connections and sessions regularly,
// and how to have them asked; "" if they are. A nil table is none.
func (t *Table) Unasked() string {
	switch {
	case t == nil:
		return "servers not asked (" + demand + ")" // it has to fit a narrow screen
	case t.Every > 0:
		return ""
	case t.Restraint == (Restraint{}):
		return "the servers are asked for connections and sessions only on request (v; " + demand + " regularly)"
	case t.Restraint.Connections > 0:
		return "the servers are not asked for connections and sessions by default, because they have " + strconv.Itoa(t.Restraint.Connections) +
			" connections, more than " + strconv.Itoa(CheapConnections) + " (v asks once, " + demand + " regularly)"
	}
	r := t.Restraint
	return "the servers are not asked for connections and sessions until " + units.Clock(r.Again) + ", because " + znode.Safe(r.Server, 0) + " took " +
		units.Took(r.Took) + ", more than " + units.Exact(CheapAnswer) + " (v asks once, " + demand + " regularly)"
}
