package client

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"electop/zkwatch/fault"
	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

// readAhead is the number of bytes that are read from a server at once. The library reads
// the length of a frame and then the frame; it is one system call less for each
// if the frame is here by then.
const readAhead = 4 << 10

// A serverConn stands between the client library and one connection to a server, as a
// net.Conn.
//
// It reads the heads of the frames to learn what the library does not report (the
// granted timeout, round trips), reports that to its Conn, and
// refuses what the library would accept (lengths, another session). It adds what the
// library lacks: SASL and credentials before anything else (handshake.go), a
// bound on the handshake, the gate, and requests of its own with
// the events of their watches (follow.go).
//
// It also hides zxids from the library. The library reads its own without a lock when
// it sets watches again, and would use a zxid that it has just learnt over the new
// connection: earlier changes would trigger no watch.
//
// Write takes the library's frames, Read gives it the server's. The
// library writes one frame with each Write, and reads from one goroutine.
type serverConn struct {
	net.Conn // to the server
	conn     *Conn
	addr     string        // the server's host:port, as it was given
	since    int64         // the last zxid seen before this connection
	exchange sasl.Exchange // nil: without SASL
	closed   chan struct{}
	once     sync.Once

	writing chan struct{} // holds a token while a frame is written

	// For Read:
	ahead  *bufio.Reader // of readConn
	head   []byte        // of the present frame, without its length
	size   int           // of the present frame, without its length
	left   int           // bytes of it, with its length, that the library has not read
	auths  int           // replies to credentials seen
	events uint64        // seen so far, while somebody listens

	mu        sync.Mutex
	greeted   bool   // the ConnectRequest has been sent
	settled   bool   // the ConnectResponse has come
	announced bool   // requests may be sent
	requested uint64 // session, in the ConnectRequest
	hello     time.Time
	pings     []time.Time       // unanswered, oldest first
	sent      map[int32]request // unanswered, by xid
	goodbye   chan struct{}     // closed when the server has answered closeSession

	// Requests of our own: see follow.go.
	nextXid   int32
	asked     map[int32]chan<- answer
	listeners []*Following // replaced, never changed
}

type request struct {
	op    wire.Op
	joins bool // it creates a candidate's znode
	at    time.Time
}

// newServerConn takes over raw, which ends at the latest at the deadline of the handshake
// unless a session is granted.
func newServerConn(c *Conn, raw net.Conn, addr string, deadline time.Time, exchange sasl.Exchange) *serverConn {
	n := &serverConn{
		Conn:     raw,
		conn:     c,
		addr:     addr,
		exchange: exchange,
		closed:   make(chan struct{}),
		writing:  make(chan struct{}, 1),
		sent:     make(map[int32]request),
		goodbye:  make(chan struct{}),
		nextXid:  lowestXid,
		asked:    make(map[int32]chan<- answer),
	}
	n.ahead = bufio.NewReaderSize(readFunc(n.readConn), readAhead)
	raw.SetDeadline(deadline)
	return n
}

// shut closes the connection without a message to anybody.
func (n *serverConn) shut() {
	n.once.Do(func() {
		close(n.closed)
		n.Conn.Close()
	})
}

// fail closes the connection because of err.
func (n *serverConn) fail(err error) {
	n.shut()
	n.conn.linkLost(n, err)
}

// Close implements net.Conn.
func (n *serverConn) Close() error {
	n.fail(errors.New("closed by the client library"))
	return nil
}

// announce lets requests through.
func (n *serverConn) announce() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.announced = true
}

// Write implements net.Conn. It never fails: when the library sets watches again,
// it waits forever after a failed write. Instead the connection is closed, which
// Read reports.
func (n *serverConn) Write(p []byte) (int, error) {
	if !n.conn.gate.Pass(n.closed) {
		return len(p), nil
	}
	h := n.conn.handed.Load()
	frame, called := n.note(p)
	if called {
		n.conn.taken(h) // or dropped
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
// if it is not. called says that it is the request of a call.
func (n *serverConn) note(frame []byte) (send []byte, called bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if !n.greeted {
		// int protocolVersion, long lastZxidSeen, int timeOut, long sessionId, ...
		n.greeted, n.hello = true, now
		n.requested = binary.BigEndian.Uint64(frame[prefixSize+16:])
		return withZxid(frame, prefixSize+4, n.since), false
	}
	xid, op := requestHeader(frame)
	switch {
	case op == wire.OpPing:
		n.pings = append(n.pings, now)
		return frame, false
	case op == wire.OpSetWatches:
		frame = withZxid(frame, prefixSize+8, n.since) // long relativeZxid, and lists of paths
	case !n.announced:
		// Left in the library's queue when the last connection was lost. Its caller
		// already got an error; it must not run now.
		return nil, true
	}
	n.conn.requests.Add(1)
	n.sent[xid] = request{op: op, joins: joins(op, frame), at: now}
	return frame, op != wire.OpSetWatches
}

// send writes one frame.
func (n *serverConn) send(frame []byte) error {
	select {
	case n.writing <- struct{}{}:
	case <-n.closed:
		return net.ErrClosed
	}
	defer func() { <-n.writing }()
	_, err := n.Conn.Write(frame)
	return err
}

// SetReadDeadline implements net.Conn. It does nothing during the handshake, which
// has a deadline of its own: the library's is nearly seven session timeouts, and it
// removes that after the first four bytes.
func (n *serverConn) SetReadDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn, as SetReadDeadline does.
func (n *serverConn) SetWriteDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.Conn.SetWriteDeadline(t)
}

// xidGoodbye is an xid that the library's own requests do not reach in practice.
const xidGoodbye = 0x7fffffff

// sayGoodbye has the server end the session and waits for its answer, for at
// most timeout.
func (n *serverConn) sayGoodbye(timeout time.Duration) {
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
	n.sent[xidGoodbye] = request{op: wire.OpCloseSession, at: time.Now()}
	n.mu.Unlock()
	n.Conn.SetWriteDeadline(time.Now().Add(timeout))
	_, err := n.Conn.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: xidGoodbye, Op: wire.OpCloseSession}))
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

// Read implements net.Conn. It returns bytes of one frame.
func (n *serverConn) Read(p []byte) (k int, err error) {
	if !n.conn.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	if n.left == 0 {
		err = n.begin()
	}
	if err == nil {
		if k, err = n.ahead.Read(p[:min(len(p), n.left)]); err != nil {
			err = n.explain(err)
		} else if n.left -= k; n.left == 0 {
			err = n.received()
		}
	}
	if err != nil {
		n.fail(err)
		return 0, err
	}
	return k, nil
}

// readConn reads for ahead. What arrives while the gate is shut has not arrived yet.
func (n *serverConn) readConn(p []byte) (int, error) {
	k, err := n.Conn.Read(p)
	if !n.conn.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	return k, err
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func (n *serverConn) isSettled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.settled
}

// begin checks the head of the next frame that is for the library before that can have
// any of it, and takes the zxid out of a reply.
func (n *serverConn) begin() error {
	for {
		if err := n.beginFrame(); err != nil {
			return err
		}
		if !n.isSettled() || !isOurs(xidOf(n.head)) {
			return nil
		}
		if err := n.takeAnswer(); err != nil {
			return err
		}
	}
}

// beginFrame checks the head of the next frame.
func (n *serverConn) beginFrame() error {
	prefix, err := n.ahead.Peek(prefixSize)
	if err != nil {
		return n.explain(err)
	}
	settled, size := n.isSettled(), int(int32(binary.BigEndian.Uint32(prefix)))
	if settled {
		err = replySize(size, n.conn.cfg.MaxReply)
	} else {
		err = connectResponseSize(prefix, size)
	}
	if err != nil {
		return err
	}
	frame, err := n.ahead.Peek(prefixSize + min(headSize, size))
	if err != nil {
		return n.explain(err)
	}
	n.size, n.left = size, prefixSize+size
	n.head = append(n.head[:0], frame[prefixSize:]...)
	if settled {
		clear(frame[8:16])
		if xidOf(n.head) == wire.XidWatch {
			return n.noteEvent()
		}
		return n.checkReply()
	}
	if length := int32(binary.BigEndian.Uint32(n.head[16:])); length < -1 || int(length) > size-headSize {
		return fmt.Errorf("%w: a password of %d bytes", ErrNotZooKeeper, length)
	}
	return nil
}

// checkReply checks the head of a reply.
func (n *serverConn) checkReply() error {
	if replyCode(n.head) == wire.AuthRequired {
		return n.authRequired()
	}
	n.mu.Lock()
	r, ok := n.sent[xidOf(n.head)]
	n.mu.Unlock()
	switch {
	case !ok:
		return nil
	case r.joins && replyCode(n.head) == wire.OK && n.conn.cfg.Replies.Lose():
		return fault.ErrReplyLost
	}
	return replyCount(r.op, n.head, n.size)
}

// received handles a complete frame.
func (n *serverConn) received() error {
	if !n.isSettled() {
		return n.connectResponse(n.head)
	}
	xid := xidOf(n.head)
	switch xid {
	case wire.XidWatch:
		return nil
	case wire.XidAuth:
		return n.authReply(replyCode(n.head))
	}
	n.mu.Lock()
	var at time.Time
	var zxid int64 // of a ping's answer it does not count, as in the Java client
	var small bool
	if xid == wire.XidPing {
		small = true
		if len(n.pings) > 0 {
			at, n.pings = n.pings[0], n.pings[1:]
		}
	} else if r, ok := n.sent[xid]; ok {
		at, zxid = r.at, int64(binary.BigEndian.Uint64(n.head[4:]))
		small = isRead(r.op) && n.size <= smallReply
		delete(n.sent, xid)
		if r.op == wire.OpCloseSession {
			close(n.goodbye)
		}
	}
	n.mu.Unlock()
	if !at.IsZero() {
		n.conn.answered(n, at, zxid, small)
	}
	return nil
}
