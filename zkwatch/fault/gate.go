// Package fault makes a client's process and its network fail on demand. A
// [Gate] stops the process, as a long garbage collection pause does. A [Line] is
// the network, which a partition takes away: nothing arrives until it is healed.
// Both stand in front of a net.Conn, so that the client and the server behind
// it run as they are. The local candidates fail that way, and the tests of the
// embedded server make their clients fail that way. [Replies] have a client's
// connection end in place of one reply.
package fault

import (
	"context"
	"math"
	"sync"
	"time"
)

// A Gate stops and releases a whole client: for others a frozen client looks like a
// process in a long garbage collection pause. Connections with the gate neither
// read, write nor dial while it is shut, and the client's goroutines wait at it too.
// A Gate outlives a connection: a frozen client stays frozen when its session ends.
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

// OpenFor returns for how long the gate has been open: 0 while it is shut, and
// the longest duration if it never was.
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

// Frozen tells whether the gate is shut.
func (g *Gate) Frozen() bool { return g.shut() != nil }

// Wait returns when the gate is open or ctx is done, with its error then.
func (g *Gate) Wait(ctx context.Context) error {
	if !g.Pass(ctx.Done()) {
		return ctx.Err()
	}
	return nil
}

// Pass waits until the gate is open and reports true, or until stop is closed
// and reports false.
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
