package observer

import (
	"context"
	"time"
)

const retryPauseMax = 2 * time.Second

// deniedPause and deniedPauseMax bound the pause before a denied read is repeated. No watch reports a change of an ACL.
const (
	deniedPause    = 2 * time.Second
	deniedPauseMax = 30 * time.Second
)

// After a read, the observer waits for spacingFactor times the load, between minSpacing and maxSpacing. The load is the
// read's duration without the time of its round trips, and bounded.
const (
	minSpacing    = 20 * time.Millisecond
	maxSpacing    = 2 * time.Second
	spacingFactor = 4
)

// These constants bound the load, because a read that takes longer waits for something else.
const (
	requestLoad = 200 * time.Microsecond
	slowLink    = 128 << 10 // bytes per second
)

const replyOverhead = 88 // bytes of length, header and stat

type effort struct {
	trips    int // sequential round trips
	requests int
	bytes    int // size of the replies
}

func (e *effort) request(bytes int) {
	e.requests++
	e.bytes += replyOverhead + bytes
}

func (e *effort) trip(bytes int) {
	e.trips++
	e.request(bytes)
}

func (e *effort) spacing(took, distance time.Duration) time.Duration {
	limit := time.Duration(e.requests)*requestLoad + time.Duration(e.bytes)*time.Second/slowLink
	load := max(0, min(took-time.Duration(e.trips)*distance, limit))
	return min(max(minSpacing, spacingFactor*load), maxSpacing)
}

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
