// Package serverconn stands between the client library and one connection to a
// server, as a net.Conn.
//
// It reads the heads of the frames to learn what the library does not report (the
// granted timeout, round trips, which watches are set), tells that to its [Owner], and
// refuses what the library would accept (lengths, another session). It adds what the
// library lacks: SASL and credentials before anything else (handshake.go,
// authenticate.go), a bound on the handshake, the gate, and requests of its own with
// the events of persistent watches (ask.go, listen.go).
//
// It also hides zxids from the library. The library reads its own without a lock when
// it sets watches again, and would use a zxid that it has just learnt over the new
// connection: earlier changes would trigger no watch.
//
// [Conn.Write] takes the library's frames, [Conn.Read] (received.go) gives it the
// server's. The library writes one frame with each Write, and reads from one goroutine.
package serverconn

import (
	"bufio"
	"bytes"
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

// readAhead is how many bytes are read from a server at once. The library reads
// the length of a frame and then the frame; it is one system call less for each
// if the frame is here by then.
const readAhead = 4 << 10

// An Owner has the session. Its methods may be called by several goroutines.
type Owner interface {
	// Granted is called when the server has granted a session or confirmed one. After
	// an error the library does not learn of it.
	Granted(n *Conn, g Grant) error
	// Ready is called when the library may learn that it has a session over n. Then n
	// waits for [Conn.Announce].
	Ready(n *Conn)
	// Handed returns which request the library has and has not written, and Taken is
	// called when that one was written or dropped.
	Handed() uint64
	Taken(handed uint64)
	// Sent is called for each request, without pings and the handshake, with a lock held.
	Sent()
	// Answered is called when the server has answered what was sent at sent. zxid is the
	// one in the answer, 0 if it does not count. small says that the time it took is
	// only the way to the server and back.
	Answered(n *Conn, sent time.Time, zxid int64, small bool)
	// Lost is called when n is closed, and why.
	Lost(n *Conn, err error)
	// Refused is called when no connection would do: the servers do not accept the
	// account.
	Refused(err error)
	// Go runs f in a goroutine that the owner waits for, or reports that it has ended.
	Go(f func()) bool
}

// A Grant is a server's answer to the request for a session.
type Grant struct {
	Asked, ID uint64 // sessions: 0 for a new one, or for none
	Timeout   time.Duration
	Sent      time.Time // when the session was asked for
}

// Options are those of one connection.
type Options struct {
	Addr     string
	Deadline time.Time     // of the handshake
	Within   time.Duration // how long that was
	Since    int64         // the last zxid seen before this connection
	MaxReply int           // bytes
	Gate     *fault.Gate
	Replies  *fault.Replies

	// Mechanism is the name of what Exchange authenticates with; nil: without SASL.
	Mechanism string
	Exchange  sasl.Exchange
	// Credentials are sent before anything that the library sends.
	Credentials []Credential

	// Explain, if set, says what an error during the handshake means, "" if it does
	// not know.
	Explain func(error) string
}

// A Credential is for one of the server's authentication schemes. Secret is a function
// so that nothing prints it.
type Credential struct {
	Scheme string
	Secret func() string
}

// A Conn is one connection to a server.
type Conn struct {
	net.Conn // to the server
	opts     Options
	owner    Owner
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

	// Requests of this package: see ask.go and listen.go.
	nextXid   int32
	asked     map[int32]chan<- Answer
	listeners []listening // replaced, never changed
}

type request struct {
	op    wire.Op
	joins bool // it creates a candidate's znode
	at    time.Time
	// watches is a frame that sets watches, nil for others.
	watches []byte
}

// New takes over raw, which ends at the latest at the deadline of the handshake unless
// a session is granted.
func New(raw net.Conn, owner Owner, opts Options) *Conn {
	n := &Conn{
		Conn:    raw,
		opts:    opts,
		owner:   owner,
		closed:  make(chan struct{}),
		writing: make(chan struct{}, 1),
		sent:    make(map[int32]request),
		goodbye: make(chan struct{}),
		nextXid: lowestXid,
		asked:   make(map[int32]chan<- Answer),
	}
	n.ahead = bufio.NewReaderSize(readFunc(n.readConn), readAhead)
	raw.SetDeadline(opts.Deadline)
	return n
}

// Addr is the server's host:port, as it was given.
func (n *Conn) Addr() string { return n.opts.Addr }

// Since is the last zxid seen before this connection.
func (n *Conn) Since() int64 { return n.opts.Since }

// Shut closes the connection without a message to anybody.
func (n *Conn) Shut() {
	n.once.Do(func() {
		close(n.closed)
		n.Conn.Close()
	})
}

// Fail closes the connection because of err.
func (n *Conn) Fail(err error) {
	n.Shut()
	n.owner.Lost(n, err)
}

// Close implements net.Conn.
func (n *Conn) Close() error {
	n.Fail(errors.New("closed by the client library"))
	return nil
}

// Announce lets requests through.
func (n *Conn) Announce() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.announced = true
}

// Write implements net.Conn. It never fails: when the library sets watches again,
// it waits forever after a failed write. Instead the connection is closed, which
// Read reports.
func (n *Conn) Write(p []byte) (int, error) {
	if !n.opts.Gate.Pass(n.closed) {
		return len(p), nil
	}
	h := n.owner.Handed()
	frame, called := n.note(p)
	if called {
		n.owner.Taken(h) // or dropped
	}
	if frame == nil {
		return len(p), nil
	}
	if err := n.send(frame); err != nil {
		n.Fail(fmt.Errorf("write: %w", err))
	}
	return len(p), nil
}

// note remembers when a frame was sent, and returns it as it is to be sent; nil
// if it is not. called says that it is the request of a call, see [Owner].
func (n *Conn) note(frame []byte) (send []byte, called bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	if !n.greeted {
		// int protocolVersion, long lastZxidSeen, int timeOut, long sessionId, ...
		n.greeted, n.hello = true, now
		n.requested = binary.BigEndian.Uint64(frame[prefixSize+16:])
		return withZxid(frame, prefixSize+4, n.opts.Since), false
	}
	xid, op := requestHeader(frame)
	switch {
	case op == wire.OpPing:
		n.pings = append(n.pings, now)
		return frame, false
	case op == wire.OpSetWatches:
		frame = withZxid(frame, prefixSize+8, n.opts.Since) // long relativeZxid, and lists of paths
	case !n.announced:
		// Left in the library's queue when the last connection was lost. Its caller
		// already got an error; it must not run now.
		return nil, true
	}
	n.owner.Sent()
	n.sent[xid] = request{op: op, joins: joins(op, frame), at: now, watches: bytes.Clone(watches(op, frame))}
	return frame, op != wire.OpSetWatches
}

// send writes one frame.
func (n *Conn) send(frame []byte) error {
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
func (n *Conn) SetReadDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn, as SetReadDeadline does.
func (n *Conn) SetWriteDeadline(t time.Time) error {
	if !n.isSettled() {
		return nil
	}
	return n.Conn.SetWriteDeadline(t)
}
