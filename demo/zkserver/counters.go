package zkserver

import (
	"maps"
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
	CutOff        int64 // connections that did not read their events, or held most, see MaxHeld
	Rejected      int64 // connections beyond MaxClientCnxns
	Panics        int64 // bugs survived
}

// Operation codes from -11 to 107 have a counter each; all others share one.
const (
	opLow   = -11
	opHigh  = 107
	opOther = opHigh + 1
)

// counters are guarded by s.mu, except for the atomic ones, which take the place
// of those in Counters.
type counters struct {
	Counters
	bytesIn, bytesOut, panics atomic.Int64

	authFailed     int64
	received, sent int64 // packets
	// Sizes of replies and events, in bytes without the length prefix; -1
	// until there is one.
	lastReply, leastReply, mostReply int64
}

func (k *counters) reply(size int64) {
	k.sent++
	k.lastReply = size
	if k.leastReply < 0 || size < k.leastReply {
		k.leastReply = size
	}
	k.mostReply = max(k.mostReply, size)
}

func (k *counters) request(op wire.Op) {
	if op < opLow || op > opHigh {
		op = opOther
	}
	k.Requests[op]++
	k.received++
}

func (k *counters) snapshot() Counters {
	out := k.Counters
	out.Requests = maps.Clone(k.Requests)
	out.BytesIn, out.BytesOut, out.Panics = k.bytesIn.Load(), k.bytesOut.Load(), k.panics.Load()
	return out
}
