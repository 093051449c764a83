package zkserver

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// conn is one connection: of a session, of a four-letter word, or of a
// stranger.
type conn struct {
	s      *Server
	nc     net.Conn
	remote string // host:port
	host   string
	// backstage says that it is neither paced nor counted.
	backstage bool

	// Guarded by s.mu.
	gone     bool // detached: nothing it asks is answered any more
	sess     *session
	who      tree.Identities
	stats    connStats
	heldSize int       // of its messages in the backlog, with an overhead; 0: none
	released sync.Cond // none is held, or the server closed
	asked    []byte    // the request being carried out

	in    *bufio.Reader // of Read; belongs to the connection's goroutine
	frame atomic.Int64  // bytes read of the present one

	out output
}

// attach registers a new connection, or reports that it is not welcome.
func (c *conn) attach() bool {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.refusing {
		return false
	}
	if limit := s.opts.MaxClientCnxns; limit > 0 && s.perHost[c.host] >= limit && !(s.opts.LoopbackUnbounded && loopback(c.host)) {
		s.counters.Rejected++
		return false
	}
	s.wg.Add(1)
	s.conns[c] = struct{}{}
	s.alive++
	s.perHost[c.host]++
	c.who = tree.From(c.host)
	c.stats.established = time.Now()
	c.nc.SetReadDeadline(c.stats.established.Add(handshakeTimeout))
	return true
}

// detach ends a connection's part in the conversation: its watches are gone
// and no request of it is carried out any more, though it may take a moment to
// close. Its session, if it has not moved elsewhere, lives on without one. The
// caller holds s.mu.
func (c *conn) detach() {
	c.dropHeld()
	c.retire()
}

// retire is detach for a connection that is still to deliver its last reply.
func (c *conn) retire() {
	s := c.s
	if c.gone {
		return
	}
	c.gone = true
	s.alive--
	if s.perHost[c.host]--; s.perHost[c.host] == 0 {
		delete(s.perHost, c.host)
	}
	s.watches.forget(c)
	if c.sess != nil && c.sess.conn == c {
		c.sess.conn = nil
	}
}

// drop detaches a connection and closes it. The caller holds s.mu.
func (c *conn) drop() {
	c.detach()
	c.closeSoon()
}

// send queues a frame: a header and a body, which may be nil. It counts for w, if
// that is not nil. In slow motion the frame is held back. It never blocks. The
// caller holds s.mu.
func (c *conn) send(h wire.ReplyHeader, body wire.Record, w *count) {
	if c.paced() && h.Xid != wire.XidPing {
		c.hold(h, body, w)
		return
	}
	n := c.write(&h, body)
	_, event := body.(*wire.WatcherEvent)
	w.sent(c.sess, n, event)
}

// write queues a frame at once, counts it and returns its length, 0 if the peer is cut
// off. The caller holds s.mu.
func (c *conn) write(records ...wire.Record) int {
	n := c.out.send(records...)
	if n > 0 {
		c.s.counters.reply(int64(n - 4))
	}
	return n
}

// Read reads from the network, and counts.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.nc.Read(p)
	c.frame.Add(int64(n))
	if c.s.grown.Add(int64(n)) > MaxHeld/8 {
		c.s.relieve()
	}
	return n, err
}

// Write writes to the network, and counts.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.nc.Write(p)
	c.s.counters.bytesOut.Add(int64(n))
	return n, err
}

// closeSoon closes the connection without waiting for it. The caller holds s.mu,
// or belongs to a goroutine that the server waits for.
func (c *conn) closeSoon() {
	c.s.wg.Go(func() { c.nc.Close() }) // may block, in TLS for one
}
