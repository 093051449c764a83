package zkwatch

import (
	"context"
	"math"
	"sync"
	"time"
)

// A Gate stops and releases a candidate as a whole: a frozen one is what a long
// garbage collection pause or a stopped process is to the others. Connections
// that were given the gate neither read, write nor dial while it is shut, and
// the candidate's own goroutines wait at it too. It outlives a single Conn: a
// frozen candidate whose session is gone stays frozen.
//
// The zero Gate is open.
type Gate struct {
	mu   sync.Mutex
	open chan struct{} // nil: the gate is open; else closed when it opens

	thawed time.Time // when it was opened last
}

// Freeze shuts the gate.
func (g *Gate) Freeze() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = make(chan struct{})
	}
}

// Thaw opens the gate.
func (g *Gate) Thaw() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open != nil {
		close(g.open)
		g.open = nil
		g.thawed = time.Now()
	}
}

// openFor is for how long the gate has been open: 0 while it is shut, and
// for ever if it never was.
func (g *Gate) openFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.open != nil:
		return 0
	case g.thawed.IsZero():
		return math.MaxInt64
	}
	return time.Since(g.thawed)
}

// Frozen tells whether the gate is shut.
func (g *Gate) Frozen() bool { return g.shut() != nil }

// Wait returns when the gate is open or ctx is done, with its error then.
func (g *Gate) Wait(ctx context.Context) error {
	if !g.pass(ctx.Done()) {
		return ctx.Err()
	}
	return nil
}

// pass waits until the gate is open and reports true, or until stop is closed
// and reports false.
func (g *Gate) pass(stop <-chan struct{}) bool {
	for {
		select {
		case <-stop:
			return false
		default:
		}
		open := g.shut()
		if open == nil {
			return true
		}
		select {
		case <-open: // and perhaps shut again since
		case <-stop:
			return false
		}
	}
}

func (g *Gate) shut() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}
