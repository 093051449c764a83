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

const readBufferSize = 4 << 10

// A serverConn is a net.Conn between the library and one connection to a server. The library writes one
// frame with each Write. Only one goroutine at a time calls Read.
//
// For setWatches, the library reads its last zxid without a lock. If it sent a zxid of the new connection,
// the server would not report earlier changes. So the library sees no zxids, and a serverConn sends lastZxid.
type serverConn struct {
	net.Conn // to the server
	conn     *Conn
	addr     string        // the server's host:port, as configured
	lastZxid int64         // the highest zxid of the replies before this connection
	exchange sasl.Exchange // nil without SASL
	closed   chan struct{}
	once     sync.Once

	writing chan struct{} // full while a goroutine writes frames other than SASL tokens

	// Only Read uses these fields. head and size do not include the length prefix of a frame.
	reader      *bufio.Reader
	head        []byte
	size        int
	left        int // bytes of the current frame, with its prefix, that the library has not read
	authReplies int
	events      uint64 // number of events so far, counted while there are listeners

	mu            sync.Mutex
	responded     bool              // the ConnectResponse has arrived
	opened        bool              // calls may be sent
	requested     uint64            // the session in the ConnectRequest; 0: a new one
	connectSent   time.Time         // when the ConnectRequest was sent; zero: not sent yet
	pings         []time.Time       // when the unanswered pings were sent, oldest first
	sent          map[int32]request // unanswered requests by xid
	sessionClosed chan struct{}     // closed when the server has answered closeSession

	nextXid   int32
	waiting   map[int32]chan<- answer // channels of the waiting callers by xid
	listeners []*Following            // replaced, never changed in place
}

type request struct {
	op     wire.Op
	joins  bool
	sentAt time.Time
}

func newServerConn(c *Conn, raw net.Conn, addr string, deadline time.Time, exchange sasl.Exchange) *serverConn {
	n := &serverConn{
		Conn:          raw,
		conn:          c,
		addr:          addr,
		exchange:      exchange,
		closed:        make(chan struct{}),
		writing:       make(chan struct{}, 1),
		sent:          make(map[int32]request),
		sessionClosed: make(chan struct{}),
		nextXid:       lowestXid,
		waiting:       make(map[int32]chan<- answer),
	}
	n.reader = bufio.NewReaderSize(readFunc(n.readConn), readBufferSize)
	raw.SetDeadline(deadline)
	return n
}

func (n *serverConn) shut() {
	n.once.Do(func() {
		close(n.closed)
		n.Conn.Close()
	})
}

func (n *serverConn) fail(err error) {
	n.shut()
	n.conn.linkLost(n, err)
}

func (n *serverConn) Close() error {
	n.fail(errors.New("closed by the client library"))
	return nil
}

// Write implements net.Conn. After an error it closes the connection and returns nil, because the
// library would return the error as the answer to the request.
func (n *serverConn) Write(p []byte) (int, error) {
	if !n.conn.gate.Pass(n.closed) {
		return len(p), nil
	}
	number := n.conn.queued.Load()
	frame, called := n.note(p)
	if called {
		n.conn.dequeued(number)
	}
	if frame == nil {
		return len(p), nil
	}
	if err := n.send(frame); err != nil {
		n.fail(fmt.Errorf("write: %w", err))
	}
	return len(p), nil
}

func (n *serverConn) note(frame []byte) (send []byte, called bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if n.connectSent.IsZero() {
		// ConnectRequest: int protocolVersion, long lastZxidSeen, int timeOut, long sessionId, ...
		n.connectSent = now
		n.requested = binary.BigEndian.Uint64(frame[prefixSize+16:])
		return withZxid(frame, prefixSize+4, n.lastZxid), false
	}
	xid, op := int32(binary.BigEndian.Uint32(frame[prefixSize:])), wire.Op(binary.BigEndian.Uint32(frame[prefixSize+4:]))
	switch {
	case op == wire.OpPing:
		n.pings = append(n.pings, now)
		return frame, false
	case op == wire.OpSetWatches:
		frame = withZxid(frame, prefixSize+8, n.lastZxid) // long relativeZxid, and lists of paths
	case !n.opened:
		// The connection of this call was lost, so its caller gets an error: do not send the request.
		return nil, true
	}
	n.conn.requests.Add(1)
	n.sent[xid] = request{op: op, joins: joins(op, frame), sentAt: now}
	return frame, op != wire.OpSetWatches
}

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

// SetReadDeadline does nothing before the ConnectResponse: the handshake has its own deadline.
func (n *serverConn) SetReadDeadline(t time.Time) error {
	if !n.hasConnectResponse() {
		return nil
	}
	return n.Conn.SetReadDeadline(t)
}

func (n *serverConn) SetWriteDeadline(t time.Time) error {
	if !n.hasConnectResponse() {
		return nil
	}
	return n.Conn.SetWriteDeadline(t)
}

// xidCloseSession is an xid that the library's requests do not reach in practice.
const xidCloseSession = 0x7fffffff

func (n *serverConn) closeSession(timeout time.Duration) {
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
	n.sent[xidCloseSession] = request{op: wire.OpCloseSession, sentAt: time.Now()}
	n.mu.Unlock()
	n.Conn.SetWriteDeadline(time.Now().Add(timeout))
	_, err := n.Conn.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: xidCloseSession, Op: wire.OpCloseSession}))
	<-n.writing
	if err != nil {
		return
	}
	select {
	case <-n.sessionClosed:
	case <-timer.C:
	case <-n.closed:
	}
}

func (n *serverConn) Read(p []byte) (k int, err error) {
	if !n.conn.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	if n.left == 0 {
		err = n.nextFrame()
	}
	if err == nil {
		if k, err = n.reader.Read(p[:min(len(p), n.left)]); err != nil {
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

func (n *serverConn) readConn(p []byte) (int, error) {
	k, err := n.Conn.Read(p)
	if !n.conn.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	return k, err
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func (n *serverConn) hasConnectResponse() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.responded
}

func (n *serverConn) nextFrame() error {
	for {
		if err := n.beginFrame(); err != nil {
			return err
		}
		if !n.hasConnectResponse() || !isFollowingXid(xidOf(n.head)) {
			return nil
		}
		if err := n.takeAnswer(); err != nil {
			return err
		}
	}
}

func (n *serverConn) beginFrame() error {
	prefix, err := n.reader.Peek(prefixSize)
	if err != nil {
		return n.explain(err)
	}
	responded, size := n.hasConnectResponse(), int(int32(binary.BigEndian.Uint32(prefix)))
	if responded {
		err = replySize(size, n.conn.cfg.MaxReply)
	} else {
		err = connectResponseSize(prefix, size)
	}
	if err != nil {
		return err
	}
	frame, err := n.reader.Peek(prefixSize + min(headSize, size))
	if err != nil {
		return n.explain(err)
	}
	n.size, n.left = size, prefixSize+size
	n.head = append(n.head[:0], frame[prefixSize:]...)
	if responded {
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

func (n *serverConn) checkReply() error {
	if replyCode(n.head) == wire.AuthRequired {
		// The Conn ends, because each new connection would get the same answer.
		err := fmt.Errorf("%s: %w", n.addr, ErrAuthRequired)
		n.conn.terminate(Closed, err, false)
		return err
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

func (n *serverConn) received() error {
	if !n.hasConnectResponse() {
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
	var zxid int64 // 0 for a ping: its zxid does not count, as in the Java client
	var small bool
	if xid == wire.XidPing {
		small = true
		if len(n.pings) > 0 {
			at, n.pings = n.pings[0], n.pings[1:]
		}
	} else if r, ok := n.sent[xid]; ok {
		at, zxid = r.sentAt, int64(binary.BigEndian.Uint64(n.head[4:]))
		small = isRead(r.op) && n.size <= smallReply
		delete(n.sent, xid)
		if r.op == wire.OpCloseSession {
			close(n.sessionClosed)
		}
	}
	n.mu.Unlock()
	if !at.IsZero() {
		n.conn.answered(n, at, zxid, small)
	}
	return nil
}
