package observer

import (
	"context"
	"time"
)

// failedMax bounds the pause after a failed read.
const failedMax = 2 * time.Second

// If the ACL forbids the list, the observer tries again, less and less often: a change of
// an ACL fires no watch.
const (
	deniedPause    = 2 * time.Second
	deniedPauseMax = 30 * time.Second
)

// Spacing of reads. A single change is read at once. The next read waits for minSpacing, or
// for spacingFactor times the load of the last read, but not longer than maxSpacing. So an
// observer uses at most a fifth of the capacity of a connection, unless the load exceeds half
// a second. The load is the time that a read took beyond its round trips: at the server and,
// if the list is long, on the link.
const (
	minSpacing    = 20 * time.Millisecond
	maxSpacing    = 2 * time.Second
	spacingFactor = 4
)

// The observer is not the cause if a small read takes long. So the load is at most
// requestLoad for each request plus the time of the replies over a link with slowLink bytes
// a second. For a read of a few children the spacing is then minSpacing, even if the server
// or the link is slow.
const (
	requestLoad = 200 * time.Microsecond
	slowLink    = 128 << 10
)

// replyOverhead is about the size of a reply without names and data: a header and a stat.
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

// trip counts a request that took a round trip of its own.
func (e *effort) trip(bytes int) {
	e.trips++
	e.request(bytes)
}

// spacing returns the time to wait after a read of the duration took. distance is the round
// trip time to the server.
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
