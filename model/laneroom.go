package model

// laneRoom is where the parts of lanes are put, many at once: there are lanes in each
// frame of a screen, and most have one znode, which is there.
type laneRoom struct {
	sketches  chunk[sketch]
	tenancies chunk[tenancy]
	holds     chunk[hold]
	lanes     chunk[Lane]
	znodes    chunk[LaneZnode]
	stretches chunk[Stretch]
}

// chunk is room for values that are made one after the other.
type chunk[T any] struct{ left []T }

// of returns an empty slice with room for n.
func (c *chunk[T]) of(n int) []T {
	if n > len(c.left) {
		c.left = make([]T, max(n, 32))
	}
	out := c.left[:0:n]
	c.left = c.left[n:]
	return out
}

// one returns a zero value.
func (c *chunk[T]) one() *T { return &c.of(1)[:1][0] }

// zeroed returns n times false, in the room of all where that is enough.
func zeroed(all []bool, n int) []bool {
	if n > cap(all) {
		return make([]bool, n)
	}
	all = all[:n]
	clear(all)
	return all
}
