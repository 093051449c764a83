package zkserver

import (
	"sync/atomic"

	"electop/zkwatch/wire"
)

// Counters count what a server has done since its start.
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

// packets are those since they were reset.
func (k *counters) packets() (received, sent int64) {
	for i := range k.requests {
		received += k.requests[i].Load()
	}
	return received + k.openings.Load() - k.receivedBefore.Load(), k.packetsOut.Load() - k.sentBefore.Load()
}

func (k *counters) snapshot() Counters {
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
