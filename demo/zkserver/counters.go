package zkserver

import (
	"sync/atomic"
	"time"

	"electop/zkwatch/wire"
)

// Counters are what a server has done since it was made.
type Counters struct {
	Requests      map[wire.Op]int64 // after the handshake, by operation
	Notifications int64             // watch events sent
	BytesIn       int64             // frames of clients, with their prefixes
	BytesOut      int64
	Expired       int64 // sessions that were not closed by their client
	CutOff        int64 // connections that did not read their events
	Rejected      int64 // connections beyond MaxClientCnxns
	Panics        int64 // bugs survived
}

// Operation codes from -11 to 107 have a counter each; all others share one.
const (
	opLow   = -11
	opHigh  = 107
	opOther = opHigh + 1
)

type counters struct {
	requests                       [opOther - opLow + 1]atomic.Int64
	notifications                  atomic.Int64
	bytesIn, bytesOut              atomic.Int64
	expired, cutOff, rejected      atomic.Int64
	panics, authFailed, packetsOut atomic.Int64
	openings                       atomic.Int64 // four-letter words and handshakes
	receivedBefore, sentBefore     atomic.Int64 // packets at the last srst
	replies                        sizes
}

// sizes are of replies and events, in bytes without the length prefix. All are
// 0 until there is one.
type sizes struct{ last, least, most atomic.Int64 }

func (z *sizes) add(n int64) {
	z.last.Store(n)
	for old := z.least.Load(); (old == 0 || n < old) && !z.least.CompareAndSwap(old, n); {
		old = z.least.Load()
	}
	for old := z.most.Load(); n > old && !z.most.CompareAndSwap(old, n); {
		old = z.most.Load()
	}
}

func (k *counters) request(op wire.Op) {
	if op < opLow || op > opHigh {
		op = opOther
	}
	k.requests[op-opLow].Add(1)
}

// Counters returns a snapshot. Requests has an entry for each operation asked
// for at least once; codes outside of -11..107 are counted as 108.
func (s *Server) Counters() Counters {
	k := &s.counters
	out := Counters{
		Requests:      make(map[wire.Op]int64),
		Notifications: k.notifications.Load(),
		BytesIn:       k.bytesIn.Load(),
		BytesOut:      k.bytesOut.Load(),
		Expired:       k.expired.Load(),
		CutOff:        k.cutOff.Load(),
		Rejected:      k.rejected.Load(),
		Panics:        k.panics.Load(),
	}
	for i := range k.requests {
		if n := k.requests[i].Load(); n > 0 {
			out.Requests[wire.Op(i+opLow)] = n
		}
	}
	return out
}

// latency is the time from a request's arrival to its reply being queued.
type latency struct {
	count          int64
	total          time.Duration
	least, longest time.Duration
}

func (l *latency) add(d time.Duration) {
	if l.count == 0 || d < l.least {
		l.least = d
	}
	l.longest = max(l.longest, d)
	l.total += d
	l.count++
}

// connStats is what the four-letter words tell about a connection.
type connStats struct {
	established    time.Time
	received, sent int64
	lastOp         string
	lastXid        int32
	lastZxid       int64
	lastReply      time.Duration // since the server's start
	lastLatency    time.Duration
	latency        latency
}

// reset is what crst does. A new connection is different from one that was
// reset: its lastOp is empty, which reads as null, and its numbers are 0.
func (st *connStats) reset() {
	*st = connStats{established: st.established, lastOp: "NA", lastXid: -1, lastZxid: -1}
}

func (st *connStats) done(s *Server, op string, xid int32, took time.Duration) {
	if xid >= 0 {
		st.lastXid = xid
	}
	st.lastOp, st.lastZxid = op, s.zxid
	st.lastReply = s.elapsed()
	st.lastLatency = took
	st.latency.add(took)
}

// opLabel is the short name of an operation in the cons word.
func opLabel(op wire.Op) string {
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
