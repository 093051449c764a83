// Package output is what waits to be written to a connection. Anybody may append
// to a [Queue] and nobody waits then; whoever finds nobody writing sees to it
// that somebody does. A peer that does not read is given up.
package output

import (
	"sync"

	"electop/zkwatch/wire"
)

const (
	// HighWater is the output, in bytes, beyond which no further request of a
	// connection is taken before the peer has read some.
	HighWater = 64 << 10
	// MaxQueued is the output, in bytes, at which a peer that does not read
	// its events is cut off. A single reply may be larger.
	MaxQueued = 4 << 20
	// KeepBuffer is the largest buffer that an idle connection holds on to.
	KeepBuffer = 4 << 10
)

// A Conn is the connection that a queue belongs to.
type Conn interface {
	Write(p []byte) (int, error)
	Go(f func())  // runs f in a goroutine that somebody waits for
	CutOff()      // gives up a peer that does not read; does not block
	Sent(n int64) // counts a message of n bytes
}

// A Queue is the output of one connection.
type Queue struct {
	c       Conn
	mu      sync.Mutex
	idle    sync.Cond // writing became false, or pending shrank
	queue   []byte
	spare   []byte // the queue before the last, for reuse
	batch   int    // bytes being written
	corked  bool   // the connection's own goroutine is about to flush
	writing bool
	broken  bool // a write failed or the peer was cut off
}

// Init prepares a queue. It must be called first.
func (o *Queue) Init(c Conn) {
	o.c = c
	o.idle.L = &o.mu
}

// Cork promises a flush by the caller.
func (o *Queue) Cork() {
	o.mu.Lock()
	o.corked = true
	o.mu.Unlock()
}

// Pending returns the number of bytes that wait or are being written.
func (o *Queue) Pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) + o.batch
}

// Send appends a frame: a header and a body, which may be nil. It returns the
// number of bytes appended, 0 if the peer is cut off.
func (o *Queue) Send(h wire.ReplyHeader, body wire.Appender) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open() {
		return 0
	}
	return o.framed(AppendReply(o.queue, h, body))
}

// open reports whether a message may be appended, and cuts a peer off that does
// not read. The caller holds o.mu.
func (o *Queue) open() bool {
	if !o.broken && len(o.queue) > MaxQueued {
		o.cutOff()
	}
	return !o.broken
}

// framed takes the queue with one more message and returns the message's
// length. The caller holds o.mu.
func (o *Queue) framed(queue []byte) int {
	n := len(queue) - len(o.queue)
	o.c.Sent(int64(n))
	o.appended(queue)
	return n
}

// AppendReply appends a frame to b.
func AppendReply(b []byte, h wire.ReplyHeader, body wire.Appender) []byte {
	b, at := wire.BeginFrame(b)
	b = h.Append(b)
	if body != nil { // some errors have one
		b = body.Append(b)
	}
	wire.EndFrame(b, at)
	return b
}

// GiveUp cuts off a peer that does not read.
func (o *Queue) GiveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.cutOff()
	}
}

// cutOff gives a peer up that does not read. The caller holds o.mu.
func (o *Queue) cutOff() {
	o.broken = true
	o.queue, o.batch = nil, 0
	o.c.CutOff()
}

// SendFrame is Send for a message that was built earlier and held back.
func (o *Queue) SendFrame(frame []byte) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.open() {
		return 0
	}
	return o.framed(append(o.queue, frame...))
}

// SendRaw appends bytes that are framed already, or not framed at all.
func (o *Queue) SendRaw(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.appended(append(o.queue, p...))
	}
}

func (o *Queue) appended(queue []byte) {
	o.queue = queue
	if !o.corked && !o.writing {
		o.writing = true
		o.c.Go(o.write)
	}
}

// Flush lifts the cork and writes what there is. Events that come meanwhile
// are left to a goroutine: a peer that is not reading at the moment, because it
// awaits no reply, must still be listened to. If somebody else writes already,
// Flush only waits until little enough is left.
func (o *Queue) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.corked = false
	for o.writing && len(o.queue) > HighWater {
		o.idle.Wait()
	}
	if o.writing || len(o.queue) == 0 {
		return
	}
	o.writing = true
	if o.writeBatch() {
		o.c.Go(o.write)
	}
}

// Drain waits until everything is written or writing has failed.
func (o *Queue) Drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writing {
		o.idle.Wait()
	}
}

// writeBatch writes what is queued and reports whether more has come since; if
// not, nobody is writing any more. The caller holds o.mu, which is released
// during the write itself, and has set writing.
func (o *Queue) writeBatch() (more bool) {
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
func (o *Queue) wrote(p []byte, err error) (more bool) {
	o.batch = 0
	if err != nil {
		o.broken = true
	}
	if len(p) > 0 && cap(p) <= KeepBuffer {
		o.spare = p[:0]
	}
	if o.broken {
		o.queue, o.spare = nil, nil
	}
	o.idle.Broadcast()
	if len(o.queue) > 0 {
		return true
	}
	if cap(o.queue) == 0 || cap(o.queue) > KeepBuffer {
		o.queue, o.spare = o.spare, nil
	}
	o.writing = false
	return false
}

// write writes what is queued until nothing is left.
func (o *Queue) write() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writeBatch() {
	}
}
