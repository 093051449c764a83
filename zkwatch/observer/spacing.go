package observer

import (
	"context"
	"time"
)

const failedMax = 2 * time.Second

// A change of an ACL fires no watch, so these pauses are long.
const (
	deniedPause    = 2 * time.Second
	deniedPauseMax = 30 * time.Second
)

// The load is the time of a read beyond its round trips. While the load is below half a second, reads
// use at most a fifth of a connection's capacity.
const (
	minSpacing    = 20 * time.Millisecond
	maxSpacing    = 2 * time.Second
	spacingFactor = 4
)

// The load is at most requestLoad for each request and the time to send the bytes on a slowLink: a
// longer read waits for something else.
const (
	requestLoad = 200 * time.Microsecond
	slowLink    = 128 << 10 // bytes per second
)

const replyOverhead = 88

type effort struct {
	trips    int // round trips, one after the other
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
	most := time.Duration(e.requests)*requestLoad + time.Duration(e.bytes)*time.Second/slowLink
	load := max(0, min(took-time.Duration(e.trips)*distance, most))
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
