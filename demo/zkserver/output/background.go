package output

import (
	"runtime"
	"sync"
)

// crowded is how many connections may wait for each writer before there is one more.
const crowded = 64

// A Background writes what waits for connections whose own goroutines have nothing to
// do: thousands of events at once, if thousands of clients watch a znode that changes.
// One goroutine writes them in turn, as long as there are any, or one for each processor
// if that many wait: almost all of the time is the kernel's, for each event. They let
// others go first, so that requests are not queued behind all events. Where a write would
// block, a goroutine of its own waits.
type Background struct {
	mu         sync.Mutex
	waiting    []batch
	writers    int
	processors int // at the start of the first writer
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
	if b.writers == 0 {
		b.processors = runtime.GOMAXPROCS(0)
	}
	if len(b.waiting) > b.writers*crowded && b.writers < b.processors {
		b.writers++
		start(b.write)
	}
}

// write is a writer.
func (b *Background) write() {
	for w := b.next(); w != nil; w = b.next() {
		w.tryBatch()
		runtime.Gosched()
	}
}

// next takes the batch that has waited for longest, or ends a writer.
func (b *Background) next() (first batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) == 0 {
		b.waiting = nil
		b.writers--
		return nil
	}
	first, b.waiting[0] = b.waiting[0], nil
	b.waiting = b.waiting[1:]
	return first
}
