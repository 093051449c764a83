package output

import (
	"runtime"
	"sync"
)

// A Background writes what waits for connections whose own goroutines have nothing to
// do: thousands of events at once, if thousands of clients watch a znode that changes.
// One goroutine writes them in turn, as long as there are any, and lets others go
// first, so that requests are not queued behind all events. Where a write would block, a
// goroutine of its own waits.
type Background struct {
	mu      sync.Mutex
	waiting []batch
	running bool
}

// A batch is what waits for one connection.
type batch interface {
	tryBatch() // does not wait
}

// add has a batch written. start runs a goroutine that somebody waits for.
func (b *Background) add(w batch, start func(f func())) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, w)
	if !b.running {
		b.running = true
		start(b.run)
	}
}

func (b *Background) run() {
	for {
		b.mu.Lock()
		batches := b.waiting
		b.waiting = nil
		b.running = len(batches) > 0
		b.mu.Unlock()
		if len(batches) == 0 {
			return
		}
		for _, w := range batches {
			w.tryBatch()
			runtime.Gosched()
		}
	}
}
