// Package fault simulates failures of a client and of its network.
//
// A [Gate] freezes a client. A [Line] partitions its network. [Replies] loses a reply together
// with the connection. A [Link] relays TCP connections of any program.
package fault

import (
	"context"
	"math"
	"sync"
	"time"
)

// A Gate freezes a client, like a long garbage collection pause. The zero Gate is open.
type Gate struct {
	mu   sync.Mutex
	thaw chan struct{} // closed by Thaw; nil while the gate is open

	thawed time.Time
}

// Freeze shuts the gate.
func (g *Gate) Freeze() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thaw == nil {
		g.thaw = make(chan struct{})
	}
}

// Thaw opens the gate.
func (g *Gate) Thaw() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thaw != nil {
		close(g.thaw)
		g.thaw = nil
		g.thawed = time.Now()
	}
}

// OpenFor returns how long the gate has been open, 0 while it is shut, and the longest duration if it was never shut.
func (g *Gate) OpenFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.thaw != nil:
		return 0
	case g.thawed.IsZero():
		return math.MaxInt64
	}
	return time.Since(g.thawed)
}

// Frozen reports whether the gate is shut.
func (g *Gate) Frozen() bool { return g.shut() != nil }

// Wait waits until the gate is open. If ctx is done, Wait returns ctx's error, even if the gate is open.
func (g *Gate) Wait(ctx context.Context) error {
	if !g.Pass(ctx.Done()) {
		return ctx.Err()
	}
	return nil
}

// Pass waits until the gate is open. It returns false if stop is closed.
func (g *Gate) Pass(stop <-chan struct{}) bool {
	for {
		select {
		case <-stop:
			return false
		default:
		}
		thaw := g.shut()
		if thaw == nil {
			return true
		}
		select {
		case <-thaw: // the gate may have been shut again
		case <-stop:
			return false
		}
	}
}

func (g *Gate) shut() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.thaw
}
