package client

import "time"

// A recursive watch brings every change below its path. More than floodMax in
// floodWindow that nobody wants cost more than reading does.
const (
	floodWindow = 10 * time.Second
	floodMax    = 2_000
)

// FollowAgainAfter is how long reading takes the place of a [Following] that did no good:
// for a flood, hidden children, or missed changes. The reason may be gone then; if not, it
// costs one more list, or floodMax events.
const FollowAgainAfter = 10 * time.Minute

// A Flood counts changes that came with a [Following] and were not wanted. The zero
// value has counted none.
type Flood struct {
	n     int
	since time.Time
}

// Add counts n changes, and reports whether they are too many.
func (f *Flood) Add(n int, now time.Time) bool {
	if now.Sub(f.since) > floodWindow {
		f.n, f.since = 0, now
	}
	f.n += n
	return f.n > floodMax
}
