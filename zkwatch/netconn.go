package zkwatch

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"electop/zkwatch/wire"
)

// minTimeout is the shortest session timeout that a server may grant. The
// library divides by it to get its intervals, and panics at none.
const minTimeout = 10 * time.Millisecond

// readAhead is how many bytes are read from a server at once. The library reads
// the length of a frame and then the frame; it is one system call less for each
// if the frame is here by then.
const readAhead = 4 << 10

// A netConn stands between the client library and one connection to a server.
// It reads along, without holding frames back, to learn what the library does
// not tell (the granted timeout, round trips, the lease), to refuse what the
// library would believe (lengths, another session), and to do what it lacks
// (credentials before anything else, a bound on the handshake, the gate).
//
// It also keeps the last zxid seen in the library's place, which learns of
// none. The library reads its own without a lock while it asks for watches to
// be set again, and names in that request what it learnt a moment before, over
// the new connection: changes from before that would trigger no watch.
//
// The library writes one frame with each Write, and reads from one goroutine.
type netConn struct {
	c        *Conn
	raw      net.Conn
	addr     string
	deadline time.Time // of the handshake
	closed   chan struct{}
	once     sync.Once

	writing chan struct{} // holds a token while a frame is written

	ahead *bufio.Reader // for Read: of raw
	in    frameReader   // for Read
	auths int           // for Read: replies to credentials seen

	mu        sync.Mutex
	greeted   bool   // the ConnectRequest has been sent
	settled   bool   // the ConnectResponse has come
	announced bool   // requests may be sent
	asked     uint64 // session, in the ConnectRequest
	hello     time.Time
	pings     []time.Time       // unanswered, oldest first
	sent      map[int32]request // unanswered, by xid
	goodbye   chan struct{}     // closed when the server has answered closeSession

	since     int64 // the last zxid seen before this connection
	confirmed bool  // guarded by c.mu: the session goes on over this connection
}

type request struct {
	opcode int32
	at     time.Time
	lose   *atomic.Bool // see call
}

var errReplyLost = errors.New("the reply to a create was lost, as was asked for")

func newNetConn(c *Conn, raw net.Conn, addr string, deadline time.Time, since int64) *netConn {
	n := &netConn{
		c:        c,
		raw:      raw,
		addr:     addr,
		deadline: deadline,
		closed:   make(chan struct{}),
		ahead:    bufio.NewReaderSize(raw, readAhead),
		writing:  make(chan struct{}, 1),
		sent:     make(map[int32]request),
		goodbye:  make(chan struct{}),
		since:    since,
	}
	raw.SetDeadline(deadline)
	return n
}

// shut closes the connection and tells nobody.
func (n *netConn) shut() {
	n.once.Do(func() {
		close(n.closed)
		n.raw.Close()
	})
}

// fail closes the connection because of err.
func (n *netConn) fail(err error) {
	n.shut()
	n.c.disconnected(n, err)
}

// Close implements net.Conn.
func (n *netConn) Close() error {
	n.fail(errors.New("closed by the client library"))
	return nil
}

// announce lets requests through.
func (n *netConn) announce() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.announced = true
}

// Write implements net.Conn. It never fails: where the library sends
// credentials or watches again, it waits for ever after a write that failed.
// Instead the connection is closed, which Read reports.
func (n *netConn) Write(p []byte) (int, error) {
	if !n.c.gate.Pass(n.closed) {
		return len(p), nil
	}
	h := n.c.inQueue()
	opcode, frame := n.note(p, h)
	if opcode != opHello && opcode != opPing && opcode != opSetWatches {
		n.c.written(h) // or dropped
	}
	if frame == nil {
		return len(p), nil
	}
	if err := n.send(frame); err != nil {
		n.fail(fmt.Errorf("write: %w", err))
	}
	return len(p), nil
}

// note remembers when a frame was sent, and returns it as it is to be sent; nil
// if it is not. h is the request in the library's queue: this one, unless it is
// of the library's own.
func (n *netConn) note(frame []byte, h *handing) (opcode int32, send []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if !n.greeted {
		n.greeted, n.hello = true, now
		send, n.asked, _ = connectRequest(frame, n.since)
		return opHello, send
	}
	xid, opcode, ok := requestHeader(frame)
	switch {
	case !ok:
		return opHello, nil
	case xid == wire.XidPing:
		n.pings = append(n.pings, now)
		return opcode, frame
	case opcode == opSetWatches:
		if frame, ok = setWatches(frame, n.since); !ok {
			return opcode, nil
		}
	case !n.announced:
		// Left in the library's queue when the last connection was lost. Its
		// caller was told so; it must not run now.
		return opcode, nil
	}
	r := request{opcode: opcode, at: now}
	if h != nil && opcode != opSetWatches {
		r.lose = h.lose
	}
	n.sent[xid] = r
	return opcode, frame
}

// send writes one frame.
func (n *netConn) send(frame []byte) error {
	select {
	case n.writing <- struct{}{}:
	case <-n.closed:
		return net.ErrClosed
	}
	defer func() { <-n.writing }()
	_, err := n.raw.Write(frame)
	return err
}

// Read implements net.Conn.
func (n *netConn) Read(p []byte) (int, error) {
	if !n.c.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	k, err := n.ahead.Read(p)
	if !n.c.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	for rest, broken := p[:k], error(nil); len(rest) > 0; {
		var complete bool
		rest, complete, broken = n.in.feed(rest, n.isSettled(), n.sized, n.headed)
		if broken == nil && complete {
			broken = n.received()
		}
		if broken != nil {
			n.fail(broken)
			return 0, broken
		}
	}
	if err != nil {
		n.fail(n.explain(err))
	}
	return k, err
}

func (n *netConn) isSettled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.settled
}

// sized checks the length of a frame that begins.
func (n *netConn) sized(prefix [prefixSize]byte, size int) error {
	if !n.isSettled() {
		return connectResponseSize(prefix, size)
	}
	return replySize(size, n.c.cfg.MaxReply)
}

// headed checks the head of a frame before the library can have all of it.
func (n *netConn) headed(head []byte, size int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.settled {
		if length := int32(binary.BigEndian.Uint32(head[16:])); length < -1 || int(length) > size-headSize {
			return fmt.Errorf("%w: a password of %d bytes", ErrNotZooKeeper, length)
		}
		return nil
	}
	r, ok := n.sent[int32(binary.BigEndian.Uint32(head))]
	if !ok {
		return nil
	}
	return replyCount(r.opcode, head, size)
}

// received acts on a complete frame.
func (n *netConn) received() error {
	head := n.in.head[:min(headSize, n.in.size)]
	if !n.isSettled() {
		return n.connectResponse(head)
	}
	xid := int32(binary.BigEndian.Uint32(head))
	switch xid {
	case wire.XidWatch:
		return nil
	case wire.XidAuth:
		return n.authReply(int32(binary.BigEndian.Uint32(head[12:])))
	}
	n.mu.Lock()
	if r := n.sent[xid]; r.lose != nil && binary.BigEndian.Uint32(head[12:]) == 0 && r.lose.CompareAndSwap(true, false) {
		n.mu.Unlock()
		return errReplyLost
	}
	var at time.Time
	var zxid int64 // that a ping's answer names counts as little as in the Java client
	if xid == wire.XidPing {
		if len(n.pings) > 0 {
			at, n.pings = n.pings[0], n.pings[1:]
		}
	} else if r, ok := n.sent[xid]; ok {
		at, zxid = r.at, int64(binary.BigEndian.Uint64(head[4:]))
		delete(n.sent, xid)
		if r.opcode == opCloseSession {
			close(n.goodbye)
		}
	}
	n.mu.Unlock()
	if !at.IsZero() {
		n.c.answered(n, at, zxid)
	}
	return nil
}

// sayGoodbye has the server end the session and waits for its answer, for at
// most timeout.
func (n *netConn) sayGoodbye(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case n.writing <- struct{}{}:
	case <-timer.C:
		return
	case <-n.closed:
		return
	}
	n.mu.Lock()
	n.sent[xidGoodbye] = request{opcode: opCloseSession, at: time.Now()}
	n.mu.Unlock()
	n.raw.SetWriteDeadline(time.Now().Add(timeout))
	_, err := n.raw.Write(closeFrame())
	<-n.writing
	if err != nil {
		return
	}
	select {
	case <-n.goodbye:
	case <-timer.C:
	case <-n.closed:
	}
}

// LocalAddr implements net.Conn.
func (n *netConn) LocalAddr() net.Addr { return n.raw.LocalAddr() }

// RemoteAddr implements net.Conn.
func (n *netConn) RemoteAddr() net.Addr { return n.raw.RemoteAddr() }

// SetDeadline implements net.Conn. During the handshake its own deadline
// stands: the library's is nearly seven session timeouts, and it lifts that
// after the first four bytes.
func (n *netConn) SetDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.raw.SetDeadline(t)
}

// SetReadDeadline implements net.Conn, as SetDeadline does.
func (n *netConn) SetReadDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.raw.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn, as SetDeadline does.
func (n *netConn) SetWriteDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.raw.SetWriteDeadline(t)
}
