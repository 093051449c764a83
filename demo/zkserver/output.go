package zkserver

import (
	"sync"

	"electop/zkwatch/wire"
)

const (
	// highWater is the output, in bytes, beyond which no further request of a
	// connection is taken before the peer has read some.
	highWater = 64 << 10
	// maxQueued is the output, in bytes, at which a peer that does not read
	// its events is cut off. A single reply may be larger.
	maxQueued = 4 << 20
	// keepBuffer is the largest buffer that an idle connection keeps.
	keepBuffer = 4 << 10
)

// An output holds the frames that wait to be written to a connection. Anybody may
// append to it and never waits. A goroutine writes them; it ends when nothing is left.
// A peer that does not read is cut off.
type output struct {
	c       *conn
	mu      sync.Mutex
	shrank  sync.Cond // the queue, or writing became false
	queue   []byte
	batch   int  // bytes being written
	writing bool // the goroutine exists
	broken  bool // a write failed or the peer was cut off
}

// pending returns the number of bytes that wait or are being written.
func (o *output) pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) + o.batch
}

// send appends a frame and returns its length, 0 if the peer is cut off.
func (o *output) send(records ...wire.Record) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken && len(o.queue) > maxQueued {
		o.cutOff()
	}
	if o.broken {
		return 0
	}
	n := len(o.queue)
	o.queue = wire.AppendFrame(o.queue, records...)
	n = len(o.queue) - n
	o.c.s.grown.Add(int64(n))
	if !o.writing {
		o.writing = true
		o.c.s.wg.Go(o.write)
	}
	return n
}

// giveUp cuts off a peer that does not read.
func (o *output) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.cutOff()
	}
}

// cutOff is giveUp for a caller that holds o.mu.
func (o *output) cutOff() {
	o.broken = true
	o.queue, o.batch = nil, 0
	o.c.s.counters.CutOff++
	o.c.closeSoon()
}

// await waits until at most n bytes wait to be written or, if n is negative, until
// everything is written. It does not wait for a connection that is broken.
func (o *output) await(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writing && len(o.queue) > n {
		o.shrank.Wait()
	}
}

// write writes what is queued until nothing is left.
func (o *output) write() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		p := o.queue
		o.queue, o.batch = nil, len(p)
		o.shrank.Broadcast()
		o.mu.Unlock()
		_, err := o.c.Write(p)
		o.mu.Lock()
		o.batch = 0
		if o.broken = o.broken || err != nil; o.broken {
			o.queue = nil
		} else if o.queue == nil && cap(p) <= keepBuffer {
			o.queue = p[:0]
		}
	}
	o.writing = false
	o.shrank.Broadcast()
}
