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
	stopped bool // nothing is written for now: see Server.Partition
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
// which may be nil. It counts for w, if that is not nil. It never blocks. The
// caller holds s.mu.
func (o *output) send(h wire.ReplyHeader, body wire.Appender, w *wake) {
	if b := o.c.holder(); b != nil && h.Xid != wire.XidPing {
		b.add(o.c, h, body, w)
		return
	}
	n := o.sendNow(h, body)
	if w != nil {
		_, event := body.(*wire.WatcherEvent)
		w.sent(o.c, n, event)
	}
}

// sendNow returns the number of bytes appended, 0 if the peer is cut off.
func (o *output) sendNow(h wire.ReplyHeader, body wire.Appender) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open() {
		return 0
	}
	return o.framed(appendReply(o.queue, h, body))
}

// open reports whether a message may be appended, and cuts a peer off that does
// not read. The caller holds o.mu.
func (o *output) open() bool {
	if !o.broken && len(o.queue) > maxQueued {
		o.cutOff()
	}
	return !o.broken
}

// framed takes the queue with one more message and returns the message's
// length. The caller holds o.mu.
func (o *output) framed(queue []byte) int {
	n := len(queue) - len(o.queue)
	o.c.s.counters.packetsOut.Add(1)
	o.c.s.counters.replies.add(int64(n - 4))
	o.appended(queue)
	return n
}

func appendReply(b []byte, h wire.ReplyHeader, body wire.Appender) []byte {
	b, at := wire.BeginFrame(b)
	b = h.Append(b)
	if body != nil { // some errors have one
		b = body.Append(b)
	}
	wire.EndFrame(b, at)
	return b
}

// cutOff gives a peer up that does not read. The caller holds o.mu.
func (o *output) cutOff() {
	o.broken = true
	o.queue = nil
	o.c.s.counters.cutOff.Add(1)
	o.c.closeSoon()
}

// sendFrame is sendNow for a message that was built earlier and held back.
func (o *output) sendFrame(frame []byte) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open() {
		return 0
	}
	return o.framed(append(o.queue, frame...))
}

// stop keeps what is queued from being written, and resume lets it go.
func (o *output) stop() {
	o.mu.Lock()
	o.stopped = true
	o.mu.Unlock()
}

func (o *output) resume() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = false
	if len(o.queue) > 0 {
		o.appended(o.queue)
	}
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
	if !o.corked && !o.writing && !o.stopped {
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
	if o.writing || o.stopped || len(o.queue) == 0 {
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
	if p := o.queue; len(p) > 0 && !o.stopped { // empty if cut off since
		o.queue, o.spare = o.spare, nil
		o.mu.Unlock()
		n, err := 0, o.c.s.settle() // nobody learns what a crash could take back
		if err == nil {
			n, err = o.c.nc.Write(p)
		}
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
	if len(o.queue) > 0 && !o.stopped {
		return true
	}
	if len(o.queue) == 0 && (cap(o.queue) == 0 || cap(o.queue) > keepBuffer) {
		o.queue, o.spare = o.spare, nil
	}
	o.writing = false
	return false
}
