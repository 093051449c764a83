package zkserver

import (
	"time"

	"electop/zkwatch/wire"
)

// Pace is how slowly a server answers. Each reply and each watch event, except those
// of [Server.DialBackstage], is held for Delay or, with Steps, until [Server.Step]
// releases it. Pings and handshakes are never held, so no session expires.
// Transactions with one check are not held either, so no leader loses its lease:
// their replies overtake held ones, for clients that match replies by xid. A [Tally]
// does not count them, because a leader sends them all the time.
//
// Requests are executed as usual; only the replies are late. Messages leave in the
// order in which they were produced, over all sessions. When a connection ends, its
// held messages are lost, as in a network. While a message is held, the session's
// deadline moves too. Held messages are bounded: at 4 MiB the server closes the
// connection, as for a client that does not read.
//
// The reply to a client that closes its session is held too: the session has ended,
// but its connection stays until the reply is released or the client disconnects.
// go-zookeeper's Close waits one second for that reply, and gives up the connection
// after at most two thirds of the session timeout.
type Pace struct {
	Delay time.Duration // PaceMax at most
	Steps bool          // Delay does not matter then
}

// PaceMax is the longest Delay.
const PaceMax = 1500 * time.Millisecond

// Paced describes a message that the [Pace] holds.
type Paced struct {
	Session int64
	N       int       // counts the messages, up from 1
	Since   time.Time // when it was made
	// Op is what the message answers, and for a watch event
	// [wire.OpNotification].
	Op wire.Op
	// Path is the znode that the event or the request is about, for a create
	// the one that was made. It is empty where there is none or, as in a multi,
	// more than one.
	Path  string
	Event int32     // type of a watch event, [wire.EventNodeDeleted] for one
	Xid   int32     // the request's
	Err   wire.Code // a reply's
}

// Passed is a message that the [Pace] no longer holds.
type Passed struct {
	Paced
	Left time.Time
	// Lost says that its connection ended first: it was never sent.
	Lost bool
}

// describe says what a message is, except for its session, number and time. asked is the
// request being carried out.
func describe(asked []byte, r wire.ReplyHeader, body wire.Record) Paced {
	m := Paced{Xid: r.Xid, Err: r.Err}
	switch b := body.(type) {
	case *wire.WatcherEvent:
		m.Op, m.Path, m.Event = wire.OpNotification, b.Path, b.Type
		return m
	case *wire.PathResponse:
		m.Path = b.Path
	case *wire.CreateResponse:
		m.Path = b.Path
	}
	d := wire.NewDecoder(asked)
	var h wire.RequestHeader
	h.Fields(d)
	m.Op = h.Op
	if m.Path == "" && beginsWithPath(m.Op) {
		d.String(&m.Path)
	}
	return m
}

// beginsWithPath reports whether a request's first field is a znode's path.
func beginsWithPath(op wire.Op) bool {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpDelete,
		wire.OpExists, wire.OpGetData, wire.OpSetData, wire.OpGetACL, wire.OpSetACL, wire.OpSync, wire.OpCheck,
		wire.OpGetChildren, wire.OpGetChildren2, wire.OpGetAllChildrenNumber, wire.OpAddWatch,
		wire.OpCheckWatches, wire.OpRemoveWatches:
		return true
	}
	return false
}
