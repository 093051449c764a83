package client

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"electop/zkwatch/sasl"
	"electop/zkwatch/wire"
)

// minTimeout is the shortest session timeout that a server may grant. The
// library divides by it to get its intervals, and panics at none.
const minTimeout = 10 * time.Millisecond

// readAhead is how many bytes are read from a server at once. The library reads
// the length of a frame and then the frame; it is one system call less for each
// if the frame is here by then.
const readAhead = 4 << 10

// A serverConn stands between the client library and one connection to a server.
// It reads the heads of the frames to learn what the library does not report (the
// granted timeout, round trips, the lease) and to refuse what the library would
// accept (lengths, another session). It adds what the library lacks: SASL and
// credentials before anything else, a bound on the handshake, the gate.
//
// It also keeps the last zxid seen, and hides zxids from the library. The library
// reads its own without a lock when it sets watches again, and would use a zxid
// that it has just learnt over the new connection: earlier changes would trigger
// no watch.
//
// The library writes one frame with each Write, and reads from one goroutine.
type serverConn struct {
	net.Conn // to the server
	c        *Conn
	addr     string
	closed   chan struct{}
	once     sync.Once

	exchange sasl.Exchange // nil: without SASL

	writing chan struct{} // holds a token while a frame is written

	// For Read:
	ahead  *bufio.Reader // of readConn
	head   []byte        // of the present frame, without its length
	size   int           // of the present frame, without its length
	left   int           // bytes of it, with its length, that the library has not read
	auths  int           // replies to credentials seen
	events uint64        // seen so far, while somebody follows

	mu        sync.Mutex
	greeted   bool   // the ConnectRequest has been sent
	settled   bool   // the ConnectResponse has come
	announced bool   // requests may be sent
	requested uint64 // session, in the ConnectRequest
	hello     time.Time
	pings     []time.Time       // unanswered, oldest first
	sent      map[int32]request // unanswered, by xid
	goodbye   chan struct{}     // closed when the server has answered closeSession

	// Requests of this package: see ask.go and follow.go.
	nextXid    int32
	asked      map[int32]chan<- answer
	followings []*Following // replaced, never changed

	since     int64 // the last zxid seen before this connection
	confirmed bool  // guarded by c.mu: the session goes on over this connection
}

type request struct {
	op    wire.Op
	joins bool // it creates a candidate's znode
	at    time.Time
	// watches is a frame that sets watches, nil for others.
	watches []byte
}

func newServerConn(c *Conn, raw net.Conn, addr string, exchange sasl.Exchange, deadline time.Time, since int64) *serverConn {
	n := &serverConn{
		c:        c,
		Conn:     raw,
		addr:     addr,
		exchange: exchange,
		closed:   make(chan struct{}),
		writing:  make(chan struct{}, 1),
		sent:     make(map[int32]request),
		goodbye:  make(chan struct{}),
		nextXid:  lowestXid,
		asked:    make(map[int32]chan<- answer),
		since:    since,
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
	n.c.disconnected(n, err)
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
	if !n.c.gate.Pass(n.closed) {
		return len(p), nil
	}
	h := n.c.handed.Load()
	frame, called := n.note(p)
	if called {
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
// if it is not. called says that it is the request of a call, see [Conn.written].
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
	n.c.requests.Add(1)
	n.sent[xid] = request{op: op, joins: joins(op, frame), at: now, watches: bytes.Clone(watches(op, frame))}
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
