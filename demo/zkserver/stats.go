package zkserver

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"electop/zkwatch/wire"
)

// A latency is the time from a request's arrival to its reply being queued.
type latency struct {
	count          int64
	total          time.Duration
	least, longest time.Duration
}

// add counts one more.
func (l *latency) add(d time.Duration) {
	if l.count == 0 || d < l.least {
		l.least = d
	}
	l.longest = max(l.longest, d)
	l.total += d
	l.count++
}

func (l *latency) mean() time.Duration { return l.total / time.Duration(max(l.count, 1)) }

// average is in milliseconds with up to four decimals and at least one.
func (l *latency) average() string {
	if l.count == 0 {
		return "0.0"
	}
	ms := float64(l.total) / float64(l.count) / float64(time.Millisecond)
	text := strconv.FormatFloat(math.Round(ms*1e4)/1e4, 'f', -1, 64)
	if math.Trunc(ms) == ms || !strings.ContainsRune(text, '.') {
		return strconv.FormatFloat(math.Round(ms), 'f', 1, 64)
	}
	return text
}

// handshakeTimeout is how long a peer may take to send its first frame.
const handshakeTimeout = 10 * time.Second

// connStats is what the server reports about a connection.
type connStats struct {
	established    time.Time
	received, sent int64 // packets
	lastOp         string
	lastXid        int32
	lastZxid       int64
	lastReply      time.Duration // since the server's start
	lastLatency    time.Duration
	latency        latency
}

// done counts a request that was answered at a time since the server's start.
func (st *connStats) done(op string, xid int32, zxid int64, at, took time.Duration) {
	if xid >= 0 {
		st.lastXid = xid
	}
	st.lastOp, st.lastZxid = op, zxid
	st.lastReply = at
	st.lastLatency = took
	st.latency.add(took)
}

// opLabel is the short name of an operation in the cons word.
func opLabel(op wire.Op) string { return cmp.Or(opLabels[op], "NA") }

var opLabels = map[wire.Op]string{
	wire.OpCreate: "CREA", wire.OpCreate2: "CREA", wire.OpCreateContainer: "CREA", wire.OpCreateTTL: "CREA",
	wire.OpDelete: "DELE", wire.OpSetData: "SETD", wire.OpSetACL: "SETA", wire.OpCheck: "CHEC", wire.OpMulti: "MULT",
	wire.OpExists: "EXIS", wire.OpGetData: "GETD", wire.OpGetACL: "GETA", wire.OpMultiRead: "MLTR",
	wire.OpGetChildren: "GETC", wire.OpGetChildren2: "GETC", wire.OpGetAllChildrenNumber: "GETACN",
	wire.OpSync: "SYNC", wire.OpPing: "PING", wire.OpWhoAmI: "HOMI", wire.OpGetEphemerals: "GETE",
	wire.OpSetWatches: "SETW", wire.OpSetWatches2: "STW2", wire.OpAddWatch: "ADDW",
	wire.OpCheckWatches: "CHKW", wire.OpRemoveWatches: "REMW", wire.OpCloseSession: "CLOS",
}
