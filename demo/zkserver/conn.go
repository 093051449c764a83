package zkserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"electop/demo/zkserver/clock"
	"electop/demo/zkserver/output"
	"electop/demo/zkserver/status"
	"electop/demo/zkserver/tally"
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
	gone      bool // detached: nothing it asks is answered any more
	handshake *clock.Alarm
	sess      *clientSession
	who       tree.Identities
	stats     status.ConnStats
	heldSize  int       // of its messages in the backlog, with an overhead; 0: none
	released  sync.Cond // none is held, or the server closed
	asked     []byte    // the request being carried out

	in *input // belongs to the connection's goroutine

	out output.Queue
}

// ServeConn serves one connection until it ends, which is also when the
// server is closed. It closes nc.
func (s *Server) ServeConn(nc net.Conn) {
	defer nc.Close()
	c := &conn{s: s, nc: nc, in: &input{nc: nc, bursts: &s.bursts}}
	c.out.Init(c, &s.background)
	c.released.L = &s.mu
	c.remote, c.host = "127.0.0.1:0", "127.0.0.1"
	if a := nc.RemoteAddr(); a != nil {
		if host, _, err := net.SplitHostPort(a.String()); err == nil {
			c.remote, c.host = a.String(), host
		}
	}
	if p, ok := nc.(pipeConn); ok {
		c.backstage = p.backstage
	}
	if !s.attach(c) {
		return
	}
	defer s.wg.Done()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.detach(c)
		delete(s.conns, c)
	}()
	defer s.recovered("connection")
	err := c.serve()
	if err == nil {
		c.awaitReleased()
	}
	c.finish(err == nil)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		s.log.Debug("connection dropped", "remote", c.remote, "err", err)
	}
}

// attach registers a new connection, or reports that it is not welcome.
func (s *Server) attach(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.refusing || s.down || s.failure != nil {
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
	c.stats.Established = time.Now()
	c.handshake = s.clock.After(status.HandshakeTimeout, func() { c.closeSoon() })
	return true
}

// detach ends a connection's part in the conversation: its watches are gone
// and no request of it is carried out any more, though it may take a moment to
// close. Its session, if it has not moved elsewhere, lives on without one. The
// caller holds s.mu.
func (s *Server) detach(c *conn) {
	c.dropHeld()
	s.retire(c)
}

// retire is detach for a connection that is still to deliver its last reply.
func (s *Server) retire(c *conn) {
	if c.gone {
		return
	}
	c.gone = true
	c.handshake.Stop()
	s.alive--
	if s.perHost[c.host]--; s.perHost[c.host] == 0 {
		delete(s.perHost, c.host)
	}
	s.watches.Forget(c)
	if c.sess != nil && c.sess.Client.conn == c {
		c.sess.Client.conn = nil
	}
}

// drop detaches a connection and closes it. The caller holds s.mu.
func (s *Server) drop(c *conn) {
	s.detach(c)
	c.closeSoon()
}

func (s *Server) dropAll() {
	for c := range s.conns {
		s.drop(c)
	}
}

// serve returns nil when the connection ended in good order: the last message
// is queued and worth delivering.
func (c *conn) serve() error {
	in := c.in
	head, err := in.head()
	if err != nil {
		return err
	}
	if word := string(head[:]); status.Known(word) {
		return c.s.answerWord(c, word)
	}
	if n := binary.BigEndian.Uint32(head[:]); n > maxHandshake {
		return &wire.FrameSizeError{Size: int32(n), Max: maxHandshake}
	}
	buf, err := wire.ReadFrame(in, maxHandshake)
	if err != nil {
		return err
	}
	d := wire.NewDecoder(buf)
	var req wire.ConnectRequest
	if req.Decode(d); d.Err() != nil {
		return d.Err()
	}
	c.s.counters.bytesIn.Add(int64(len(buf)) + 4)
	c.out.Cork()
	if !c.s.connect(c, &req) {
		c.s.log.Debug("session refused", "remote", c.remote, "session", fmt.Sprintf("%#x", req.SessionID))
		return nil
	}
	c.s.log.Debug("session", "remote", c.remote, "session", fmt.Sprintf("%#x", c.sess.ID), "resumed", req.SessionID != 0)
	c.out.Flush()
	for {
		if cap(buf) > output.KeepBuffer {
			buf = nil
		}
		if buf, err = wire.ReadFrameInto(in, buf, wire.MaxFrame); err != nil {
			return err
		}
		c.s.counters.bytesIn.Add(int64(len(buf)) + 4)
		c.out.Cork()
		last, err := c.s.handle(c, buf)
		if err != nil {
			return err
		}
		if last {
			return nil
		}
		// Requests that are here already are answered with one write.
		if !in.frameUnread() || c.out.Pending() > output.HighWater {
			c.out.Flush()
		}
	}
}

// awaitReleased holds the end of a connection back whose last messages matter,
// until none of them is held.
func (c *conn) awaitReleased() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.heldSize == 0 {
		return
	}
	c.s.mu.Unlock()
	c.out.Flush() // what was to come before them
	c.s.mu.Lock()
	c.Go(func() {
		io.Copy(io.Discard, c.in) // pings, for one, until the peer goes
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		c.dropHeld()
	})
	for c.heldSize > 0 && !c.s.closed {
		c.released.Wait()
	}
}

// finish ends the conversation. If the last message matters it is written out
// and the peer is given time to read it: closing a TCP connection with unread
// input would reset it and might destroy the message on its way.
func (c *conn) finish(deliver bool) {
	if !deliver {
		c.nc.Close()
		return
	}
	c.nc.SetWriteDeadline(time.Now().Add(lastWrite))
	c.out.Flush()
	c.out.Drain()
	c.nc.SetReadDeadline(time.Now().Add(lingerTimeout))
	if half, ok := c.nc.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		io.CopyN(io.Discard, c.nc, lingerBytes)
	}
	c.nc.Close()
}

// send queues a frame: a header and a body, which may be nil. It counts for w, if
// that is not nil. In slow motion the frame is held back. It never blocks. The
// caller holds s.mu.
func (c *conn) send(h wire.ReplyHeader, body wire.Appender, w *tally.Count) {
	if c.paced() && h.Xid != wire.XidPing {
		c.hold(h, body, w)
		return
	}
	n := c.out.Send(h, body)
	if w != nil {
		_, event := body.(*wire.WatcherEvent)
		w.Sent(&c.sess.Client.Member, n, event && c.s.db.Sessions.Has(c.sess))
	}
}

// Write, TryWrite, Go, CutOff and Sent implement [output.Conn]. CutOff and Sent are called
// where a message is queued, under s.mu.

// Write waits until nothing that the peer learns can be lost in a crash.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.s.settle(); err != nil {
		return 0, err
	}
	n, err := c.nc.Write(p)
	c.s.counters.bytesOut.Add(int64(n))
	return n, err
}

// TryWrite writes nothing where that may take time.
func (c *conn) TryWrite(p []byte) (int, error) {
	nc, ok := c.nc.(*net.TCPConn)
	if !ok || c.s.kept.Load() != nil {
		return 0, nil
	}
	n, err := tryWrite(nc, p)
	c.s.counters.bytesOut.Add(int64(n))
	return n, err
}

func (c *conn) Go(f func()) { c.s.wg.Go(f) }

func (c *conn) CutOff() {
	c.s.counters.CutOff++
	c.closeSoon()
}

func (c *conn) Sent(n int64) {
	c.s.counters.sent++
	c.s.counters.reply(n - 4)
}

// closeSoon closes the connection without waiting for it. The caller holds s.mu,
// or belongs to a goroutine that the server waits for.
func (c *conn) closeSoon() {
	c.Go(func() { c.nc.Close() }) // may block, in TLS for one
}
