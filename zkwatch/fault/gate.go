// Package fault makes a client's process and its network fail on demand, for tests and the demo.
//
// A [Gate] stops the process, a [Line] the network. [Replies] lose one reply and the connection.
package fault

import (
	"context"
	"math"
	"sync"
	"time"
)

// A Gate freezes and thaws a client, as a long garbage collection pause does.
// The zero Gate is open.
type Gate struct {
	mu   sync.Mutex
	open chan struct{} // closed by Thaw; nil while the gate is open

	thawed time.Time
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

// OpenFor returns how long the gate has been open: 0 while shut, the maximum if never shut.
func (g *Gate) OpenFor() time.Duration {
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

// Frozen reports whether the gate is shut.
func (g *Gate) Frozen() bool { return g.shut() != nil }

// Wait waits until the gate is open. It returns ctx's error if ctx is done.
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
		open := g.shut()
		if open == nil {
			return true
		}
		select {
		case <-open: // the gate may have been shut again
		case <-stop:
			return false
		}
	}
}

// shut returns the channel that the next Thaw closes, nil if the gate is open.
func (g *Gate) shut() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}
