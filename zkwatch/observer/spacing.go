package observer

import (
	"context"
	"time"
)

// failedMax bounds the pause after a failed read.
const failedMax = 2 * time.Second

// Pauses after a list that the ACL forbids. They are long, because a change of an ACL fires no
// watch.
const (
	deniedPause    = 2 * time.Second
	deniedPauseMax = 30 * time.Second
)

// A single change is read at once. The next read waits for spacingFactor times the load of the last
// read, within minSpacing and maxSpacing. So reads use at most a fifth of a connection's capacity
// while the load is below half a second. The load is the time of a read beyond its round trips.
const (
	minSpacing    = 20 * time.Millisecond
	maxSpacing    = 2 * time.Second
	spacingFactor = 4
)

// The load is at most requestLoad for each request plus the time of the replies over a link with
// slowLink bytes a second. A small read that takes longer waits for something else, so its spacing
// stays minSpacing.
const (
	requestLoad = 200 * time.Microsecond
	slowLink    = 128 << 10
)

// replyOverhead is about the size of a header and a stat, in bytes.
const replyOverhead = 88

// effort counts the costs of a read up to now.
type effort struct {
	trips    int // round trips, one after the other
	requests int
	bytes    int // size of the replies
}

// request counts a request. bytes is the size of the names or data in its reply.
func (e *effort) request(bytes int) {
	e.requests++
	e.bytes += replyOverhead + bytes
}

// trip counts a request that took its own round trip.
func (e *effort) trip(bytes int) {
	e.trips++
	e.request(bytes)
}

// spacing returns the pause after a read that took the duration took. distance is the round-trip
// time to the server.
func (e *effort) spacing(took, distance time.Duration) time.Duration {
	most := time.Duration(e.requests)*requestLoad + time.Duration(e.bytes)*time.Second/slowLink
	load := max(0, min(took-time.Duration(e.trips)*distance, most))
	return min(max(minSpacing, spacingFactor*load), maxSpacing)
}

// pause waits for d. It returns false if ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
