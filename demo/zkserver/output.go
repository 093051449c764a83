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
	// keepBuffer is the largest buffer that an idle connection holds on to.
	keepBuffer = 4 << 10
)

// An output holds what waits to be written to a connection. Anybody may append to it and
// nobody waits then; whoever finds nobody writing starts a goroutine that does. A peer that
// does not read is given up.
type output struct {
	c       *conn
	mu      sync.Mutex
	idle    sync.Cond // writing became false, or pending shrank
	queue   []byte
	spare   []byte // the queue before the last, for reuse
	batch   int    // bytes being written
	corked  bool   // the connection's own goroutine is about to flush
	writing bool
	broken  bool // a write failed or the peer was cut off
}

// cork promises a flush by the caller.
func (o *output) cork() {
	o.mu.Lock()
	o.corked = true
	o.mu.Unlock()
}

// pending returns the number of bytes that wait or are being written.
func (o *output) pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) + o.batch
}

// send appends a frame: a header and a body, which may be nil. It returns the
// number of bytes appended, 0 if the peer is cut off.
func (o *output) send(h wire.ReplyHeader, body wire.Record) int {
	return o.message(func(queue []byte) []byte { return appendReply(queue, h, body) })
}

// sendFrame is send for a message that was built earlier and held back.
func (o *output) sendFrame(frame []byte) int {
	return o.message(func(queue []byte) []byte { return append(queue, frame...) })
}

// message has a message appended and returns its length, 0 if the peer is cut off
// because it does not read.
func (o *output) message(add func(queue []byte) []byte) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken && len(o.queue) > maxQueued {
		o.cutOff()
	}
	if o.broken {
		return 0
	}
	queue := add(o.queue)
	n := len(queue) - len(o.queue)
	o.c.s.counters.sent++
	o.c.s.counters.reply(int64(n - 4))
	o.c.s.grown.Add(int64(n))
	o.appended(queue)
	return n
}

// appendReply appends a frame to b.
func appendReply(b []byte, h wire.ReplyHeader, body wire.Record) []byte {
	b, at := wire.BeginFrame(b)
	b = wire.Append(b, &h)
	if body != nil { // some errors have one
		b = wire.Append(b, body)
	}
	wire.EndFrame(b, at)
	return b
}

// giveUp cuts off a peer that does not read.
func (o *output) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.cutOff()
	}
}

// cutOff gives a peer up that does not read. The caller holds o.mu.
func (o *output) cutOff() {
	o.broken = true
	o.queue, o.batch = nil, 0
	o.c.s.counters.CutOff++
	o.c.closeSoon()
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
		o.writing = true
		o.c.s.wg.Go(o.write)
	}
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
		o.c.s.wg.Go(o.write)
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
	p := o.queue
	if len(p) == 0 { // cut off since
		return o.wrote(p, nil)
	}
	o.queue, o.spare = o.spare, nil
	o.batch = len(p)
	o.mu.Unlock()
	_, err := o.c.Write(p)
	o.mu.Lock()
	return o.wrote(p, err)
}

// wrote ends the write of p, and reports whether more has come since.
func (o *output) wrote(p []byte, err error) (more bool) {
	o.batch = 0
	if err != nil {
		o.broken = true
	}
	if len(p) > 0 && cap(p) <= keepBuffer {
		o.spare = p[:0]
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

// write writes what is queued until nothing is left.
func (o *output) write() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writeBatch() {
	}
}
