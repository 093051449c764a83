package fault

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"electop/zkwatch/wire"
)

var errReplyLost = errors.New("the reply to a create was lost on request")

// Replies are the servers' replies to a client. One of them can get lost together
// with its connection; then the client cannot know what the server did.
//
// The zero Replies loses none.
type Replies struct{ lose atomic.Bool }

// LoseCreate loses the next reply to a create of an ephemeral sequential znode: a
// candidate joins an election with such a create.
func (r *Replies) LoseCreate() { r.lose.Store(true) }

// Losing tells whether a reply is still to be lost.
func (r *Replies) Losing() bool { return r.lose.Load() }

// Over returns a connection that loses replies which come over conn. Each Write
// has to be one frame, and the first a ConnectRequest.
func (r *Replies) Over(conn net.Conn) net.Conn {
	return &replyConn{Conn: conn, replies: r, creates: make(map[int32]bool)}
}

// replyHead is how much of a reply's frame is looked at: length, xid, zxid and
// error.
const replyHead = 20

// ephemeralSequential are the flags of a create.
const ephemeralSequential = 3

type replyConn struct {
	net.Conn
	replies *Replies

	mu      sync.Mutex
	greeted bool           // the ConnectRequest was written
	creates map[int32]bool // unanswered, by xid

	// The present frame, for Read.
	head      [replyHead]byte
	seen      int  // bytes
	size      int  // with its length, once that has been seen
	connected bool // the ConnectResponse has been seen
}

// Write implements net.Conn.
func (c *replyConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	if c.greeted && entersElection(p) {
		c.creates[int32(binary.BigEndian.Uint32(p[4:]))] = true
	}
	c.greeted = true
	c.mu.Unlock()
	return c.Conn.Write(p)
}

// entersElection tells whether a frame is the create of an ephemeral sequential
// znode: its flags come last.
func entersElection(frame []byte) bool {
	if len(frame) < 16 {
		return false
	}
	switch wire.Op(binary.BigEndian.Uint32(frame[8:])) {
	case wire.OpCreate, wire.OpCreate2:
		return binary.BigEndian.Uint32(frame[len(frame)-4:]) == ephemeralSequential
	}
	return false
}

// Read implements net.Conn. The reply that gets lost is not let through as a
// whole: the connection ends within it.
func (c *replyConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if before, lost := c.follow(p[:n]); lost {
		c.Conn.Close()
		return before, errReplyLost
	}
	return n, err
}

// follow follows the frames in p up to the head of a reply that gets lost, and
// returns how many bytes are before its frame.
func (c *replyConn) follow(p []byte) (before int, lost bool) {
	for i := 0; i < len(p); {
		if c.seen == 0 {
			before = i
		}
		if c.seen < 4 || c.seen < min(replyHead, c.size) {
			c.head[c.seen] = p[i]
			c.seen++
			i++
		} else {
			n := min(c.size-c.seen, len(p)-i)
			c.seen += n
			i += n
		}
		if c.seen < 4 {
			continue
		}
		c.size = 4 + max(0, int(int32(binary.BigEndian.Uint32(c.head[:]))))
		if c.seen == replyHead && c.connected && c.loses() {
			return before, true
		}
		if c.seen == c.size {
			c.seen, c.connected = 0, true
		}
	}
	return 0, false
}

// loses tells whether the reply with the present head gets lost.
func (c *replyConn) loses() bool {
	xid := int32(binary.BigEndian.Uint32(c.head[4:]))
	c.mu.Lock()
	created := c.creates[xid]
	delete(c.creates, xid)
	c.mu.Unlock()
	code := wire.Code(binary.BigEndian.Uint32(c.head[16:]))
	return created && code == wire.OK && c.replies.lose.CompareAndSwap(true, false)
}
