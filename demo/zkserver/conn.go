package zkserver

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"electop/zkwatch/wire"
)

const (
	// handshakeTimeout is how long a peer may take to send its first frame.
	handshakeTimeout = 10 * time.Second
	// maxHandshake bounds that frame: 45 bytes with the usual password.
	maxHandshake = 1 << 10
	// readBuffer holds the usual request whole; larger ones get their own.
	readBuffer = 512
	// keepBuffer is the largest buffer that an idle connection holds on to.
	keepBuffer = 4 << 10
	// lastWrite is how long a last message may take to be written, and
	// lingerTimeout how long the peer may take to close after it.
	lastWrite     = 10 * time.Second
	lingerTimeout = time.Second
	// lingerBytes bounds what is thrown away meanwhile.
	lingerBytes = 64 << 10
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
	handshake *alarm
	sess      *session
	auth      []wire.ID
	data      map[string]struct{} // paths it watches
	child     map[string]struct{}
	stats     connStats
	connFaults

	output
}

// ServeConn serves one connection until it ends, which is also when the
// server is closed. It closes nc.
func (s *Server) ServeConn(nc net.Conn) {
	defer nc.Close()
	c := &conn{s: s, nc: nc}
	c.output.init(c)
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
	c.part(err == nil)
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
		s.counters.rejected.Add(1)
		return false
	}
	s.wg.Add(1)
	s.conns[c] = struct{}{}
	s.alive++
	s.perHost[c.host]++
	c.auth = []wire.ID{{Scheme: "ip", ID: c.host}}
	c.stats.established = s.clock.Now()
	c.handshake = s.after(handshakeTimeout, func() { c.closeSoon() })
	return true
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
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
	c.handshake.stop()
	s.alive--
	if s.perHost[c.host]--; s.perHost[c.host] == 0 {
		delete(s.perHost, c.host)
	}
	s.watches.forget(c)
	if c.sess != nil && c.sess.conn == c {
		c.sess.conn = nil
	}
}

// serve returns nil when the connection ended in good order: the last message
// is queued and worth delivering.
func (c *conn) serve() error {
	in := bufio.NewReaderSize(c.nc, readBuffer)
	c.in = in
	head, err := in.Peek(4)
	if err != nil {
		return err
	}
	if word := string(head); c.s.knownWord(word) {
		c.s.fourLetter(c, word)
		return nil
	}
	if n := binary.BigEndian.Uint32(head); n > maxHandshake {
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
	c.cork()
	if !c.s.connect(c, &req) {
		c.s.log.Debug("session refused", "remote", c.remote, "session", fmt.Sprintf("%#x", req.SessionID))
		return nil
	}
	c.s.log.Debug("session", "remote", c.remote, "session", fmt.Sprintf("%#x", c.sess.id), "resumed", req.SessionID != 0)
	c.flush()
	if c.heard != nil {
		<-c.heard
	}
	for {
		if cap(buf) > keepBuffer {
			buf = nil
		}
		if buf, err = wire.ReadFrameInto(in, buf, wire.MaxFrame); err != nil {
			return err
		}
		c.s.counters.bytesIn.Add(int64(len(buf)) + 4)
		c.cork()
		last, err := c.s.handle(c, buf)
		if err != nil {
			return err
		}
		if last {
			return nil
		}
		// Requests that are here already are answered with one write.
		if !frameBuffered(in) || c.pending() > highWater {
			c.flush()
		}
	}
}

// frameBuffered reports whether the next frame can be read without blocking.
func frameBuffered(in *bufio.Reader) bool {
	n := in.Buffered()
	if n < 4 {
		return false
	}
	head, _ := in.Peek(4)
	return int64(binary.BigEndian.Uint32(head)) <= int64(n-4)
}

// finish ends the conversation. If the last message matters it is written out
// and the peer is given time to read it: closing a TCP connection with unread
// input would reset it and might destroy the message on its way.
func (c *conn) finish(deliver bool) {
	if !deliver {
		c.nc.Close()
		return
	}
	// Not the server's clock: the deadlines belong to the connection.
	c.nc.SetWriteDeadline(time.Now().Add(lastWrite))
	c.flush()
	c.drain()
	c.nc.SetReadDeadline(time.Now().Add(lingerTimeout))
	if half, ok := c.nc.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		io.CopyN(io.Discard, c.nc, lingerBytes)
	}
	c.nc.Close()
}

// closeSoon closes the connection, unless partitioned at once, without waiting
// for it. The caller holds s.mu, or belongs to a goroutine that the server
// waits for.
func (c *conn) closeSoon() {
	c.s.wg.Add(1)
	go func() {
		defer c.s.wg.Done()
		c.s.mu.Lock()
		c.await(func() bool { return c.cut == 0 })
		c.s.mu.Unlock()
		c.nc.Close()
	}()
}
