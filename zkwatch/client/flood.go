package client

import "time"

// A recursive watch brings every change below its path. More than floodMax in
// floodWindow that nobody wants cost more than reading does.
const (
	floodWindow = 10 * time.Second
	floodMax    = 2_000
)

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
