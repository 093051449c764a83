package observer

import (
	"context"
	"time"
)

// failedMax bounds the pause after a read that a server answered with an error that
// says nothing about the election.
const failedMax = 2 * time.Second

// If the ACL forbids the list there is nothing to watch (a change of an ACL fires no
// watch), so it is tried again, less and less often.
const (
	deniedPause    = 2 * time.Second
	deniedPauseMax = 30 * time.Second
)

// Spacing of reads. A single change is read at once; after that the next read
// waits for minSpacing, or for four times the load that the last one made, so
// that an observer takes at most a fifth of what one connection can do. The
// load is the time that a read took beyond its round trips: at the server and,
// where the list is long, on the link. The distance is no load.
const (
	minSpacing    = 20 * time.Millisecond
	maxSpacing    = 2 * time.Second
	spacingFactor = 4
)

// A small read that took long is not our load. So the load is at most requestLoad
// for each request, and the time of the replies over a slowLink, in bytes a second.
// For a read of a few children that is less than minSpacing, whatever the server and
// the link do.
const (
	requestLoad = 200 * time.Microsecond
	slowLink    = 128 << 10
)

// replyOverhead is about how large a reply is beyond its names and data: its
// header and a stat.
const replyOverhead = 88

// effort counts what a read has cost up to now.
type effort struct {
	trips    int // one after the other
	requests int
	bytes    int // of replies
}

// asked counts a request whose reply holds so many bytes of names or data.
func (e *effort) asked(bytes int) {
	e.requests++
	e.bytes += replyOverhead + bytes
}

// trip counts a request that was made by itself.
func (e *effort) trip(bytes int) {
	e.trips++
	e.asked(bytes)
}

// spacing returns how long to wait after a read that took this long, from a server at
// this distance.
func (e *effort) spacing(took, distance time.Duration) time.Duration {
	most := time.Duration(e.requests)*requestLoad + time.Duration(e.bytes)*time.Second/slowLink
	load := max(0, min(took-time.Duration(e.trips)*distance, most))
	return min(max(minSpacing, spacingFactor*load), maxSpacing)
}

// pause waits for d; false when ctx ended.
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
