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
)

// output is what waits to be written to a connection. Anybody may append to
// it; whoever finds nobody writing sees to it that somebody does.
type output struct {
	c       *conn
	mu      sync.Mutex
	idle    sync.Cond // writing became false, or pending shrank
	queue   []byte
	spare   []byte // the queue before the last, for reuse
	corked  bool   // the connection's own goroutine is about to flush
	writing bool
	broken  bool // a write failed or the peer was cut off
}

func (o *output) init(c *conn) {
	o.c = c
	o.idle.L = &o.mu
}

// cork promises a flush by the caller.
func (o *output) cork() {
	o.mu.Lock()
	o.corked = true
	o.mu.Unlock()
}

func (o *output) pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

// send appends a frame: a header and, unless it carries an error, a body,
// which may be nil. It never blocks.
func (o *output) send(h wire.ReplyHeader, body wire.Appender) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		return
	}
	if len(o.queue) > maxQueued {
		o.broken = true
		o.queue = nil
		o.c.s.counters.cutOff.Add(1)
		o.c.closeSoon()
		return
	}
	o.c.s.counters.packetsOut.Add(1)
	b, at := wire.BeginFrame(o.queue)
	b = h.Append(b)
	if body != nil && h.Err == wire.OK {
		b = body.Append(b)
	}
	wire.EndFrame(b, at)
	o.appended(b)
}

// sendRaw appends bytes that are framed already, or not framed at all.
func (o *output) sendRaw(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.appended(append(o.queue, p...))
	}
}

func (o *output) appended(queue []byte) {
	o.queue = queue
	if !o.corked && !o.writing {
		o.spawn()
	}
}

// spawn starts a goroutine that writes until nothing is left. The caller holds
// o.mu.
func (o *output) spawn() {
	o.writing = true
	o.c.s.wg.Add(1)
	go func() {
		defer o.c.s.wg.Done()
		o.mu.Lock()
		defer o.mu.Unlock()
		for o.writeBatch() {
		}
	}()
}

// flush lifts the cork and writes what there is. Events that come meanwhile
// are left to a goroutine: a peer that is not reading at the moment, because it
// awaits no reply, must still be listened to. If somebody else writes already,
// flush only waits until little enough is left.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.corked = false
	for o.writing && len(o.queue) > highWater {
		o.idle.Wait()
	}
	if o.writing || len(o.queue) == 0 {
		return
	}
	o.writing = true
	if o.writeBatch() {
		o.spawn()
	}
}

// drain waits until everything is written or writing has failed.
func (o *output) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writing {
		o.idle.Wait()
	}
}

// writeBatch writes what is queued and reports whether more has come since; if
// not, nobody is writing any more. The caller holds o.mu, which is released
// during the write itself, and has set writing.
func (o *output) writeBatch() (more bool) {
	if p := o.queue; len(p) > 0 { // empty if cut off since
		o.queue, o.spare = o.spare, nil
		o.mu.Unlock()
		n, err := o.c.nc.Write(p)
		o.c.s.counters.bytesOut.Add(int64(n))
		o.mu.Lock()
		if err != nil {
			o.broken = true
		}
		if cap(p) <= keepBuffer {
			o.spare = p[:0]
		}
	}
	if o.broken {
		o.queue, o.spare = nil, nil
	}
	o.idle.Broadcast()
	if len(o.queue) > 0 {
		return true
	}
	if cap(o.queue) == 0 || cap(o.queue) > keepBuffer {
		o.queue, o.spare = o.spare, nil
	}
	o.writing = false
	return false
}
