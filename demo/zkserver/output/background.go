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
	waiting []*Queue
	running bool
}

// add has a queue written, whose writing flag the caller has set.
func (b *Background) add(o *Queue) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, o)
	if !b.running {
		b.running = true
		o.c.Go(b.run)
	}
}

func (b *Background) run() {
	for {
		b.mu.Lock()
		queues := b.waiting
		b.waiting = nil
		b.running = len(queues) > 0
		b.mu.Unlock()
		if len(queues) == 0 {
			return
		}
		for _, o := range queues {
			o.tryBatch()
			runtime.Gosched()
		}
	}
}

// tryBatch writes what can be written without waiting, and leaves the rest to a
// goroutine.
func (o *Queue) tryBatch() {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.take()
	if len(p) == 0 {
		o.wrote(p, nil)
		return
	}
	o.mu.Unlock()
	n, err := o.c.TryWrite(p)
	o.mu.Lock()
	if err == nil && n < len(p) {
		o.c.Go(func() { o.finish(p, n) })
		return
	}
	if o.wrote(p, err) {
		o.background.add(o)
	}
}

// finish writes the rest of a batch, and what comes meanwhile.
func (o *Queue) finish(p []byte, n int) {
	_, err := o.c.Write(p[n:])
	o.mu.Lock()
	defer o.mu.Unlock()
	for more := o.wrote(p, err); more; {
		more = o.writeBatch()
	}
}
