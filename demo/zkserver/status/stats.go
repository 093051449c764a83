package status

import (
	"math"
	"strconv"
	"strings"
	"time"

	"electop/zkwatch/wire"
)

// A Latency is the time from a request's arrival to its reply being queued.
type Latency struct {
	count          int64
	total          time.Duration
	least, longest time.Duration
}

// Add counts one more.
func (l *Latency) Add(d time.Duration) {
	if l.count == 0 || d < l.least {
		l.least = d
	}
	l.longest = max(l.longest, d)
	l.total += d
	l.count++
}

// average is in milliseconds with up to four decimals and at least one.
func (l *Latency) average() string {
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

// ConnStats is what the server reports about a connection.
type ConnStats struct {
	Established    time.Time
	Received, Sent int64 // packets
	lastOp         string
	lastXid        int32
	lastZxid       int64
	lastReply      time.Duration // since the server's start
	lastLatency    time.Duration
	latency        Latency
}

// Reset forgets all but when the connection was made, which is what crst does. A
// new connection is different from one that was reset: its lastOp is empty, which
// reads as null, and its numbers are 0.
func (st *ConnStats) Reset() {
	*st = ConnStats{Established: st.Established, lastOp: "NA", lastXid: -1, lastZxid: -1}
}

// Done counts a request that was answered at a time since the server's start.
func (st *ConnStats) Done(op string, xid int32, zxid int64, at, took time.Duration) {
	if xid >= 0 {
		st.lastXid = xid
	}
	st.lastOp, st.lastZxid = op, zxid
	st.lastReply = at
	st.lastLatency = took
	st.latency.Add(took)
}

// OpLabel is the short name of an operation in the cons word.
func OpLabel(op wire.Op) string {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return "CREA"
	case wire.OpDelete:
		return "DELE"
	case wire.OpSetData:
		return "SETD"
	case wire.OpSetACL:
		return "SETA"
	case wire.OpCloseSession:
		return "CLOS"
	case wire.OpSync:
		return "SYNC"
	case wire.OpCheck:
		return "CHEC"
	case wire.OpExists:
		return "EXIS"
	case wire.OpGetData:
		return "GETD"
	case wire.OpSetWatches:
		return "SETW"
	case wire.OpSetWatches2:
		return "STW2"
	case wire.OpAddWatch:
		return "ADDW"
	case wire.OpGetACL:
		return "GETA"
	case wire.OpGetChildren, wire.OpGetChildren2:
		return "GETC"
	case wire.OpGetAllChildrenNumber:
		return "GETACN"
	case wire.OpCheckWatches:
		return "CHKW"
	case wire.OpRemoveWatches:
		return "REMW"
	case wire.OpWhoAmI:
		return "HOMI"
	case wire.OpGetEphemerals:
		return "GETE"
	case wire.OpMulti:
		return "MULT"
	case wire.OpMultiRead:
		return "MLTR"
	case wire.OpPing:
		return "PING"
	}
	return "NA"
}
