package zkserver

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"electop/zkwatch/wire"
)

// ServeConn serves one connection until it ends, which is also when the
// server is closed. It closes nc.
func (s *Server) ServeConn(nc net.Conn) {
	defer nc.Close()
	c := &conn{s: s, nc: nc}
	c.in = bufio.NewReaderSize(c, readBuffer)
	c.out.c, c.out.shrank.L = c, &c.out.mu
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
	if !c.attach() {
		return
	}
	defer s.wg.Done()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		c.detach()
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

// serve returns nil when the connection ended in good order: the last message
// is queued and worth delivering.
func (c *conn) serve() error {
	head, err := c.in.Peek(4)
	if err != nil {
		return err
	}
	if word := string(head); words[word] != nil {
		return c.answerWord(word)
	}
	if n := binary.BigEndian.Uint32(head); n > maxHandshake {
		return &wire.FrameSizeError{Size: int32(n), Max: maxHandshake}
	}
	buf, err := wire.ReadFrame(c.in, maxHandshake)
	if err != nil {
		return err
	}
	d := wire.NewDecoder(buf)
	var req wire.ConnectRequest
	if req.Fields(d); d.Err() != nil {
		return d.Err()
	}
	c.s.counters.bytesIn.Add(int64(len(buf)) + 4)
	if !c.connect(&req) {
		c.s.log.Debug("session refused", "remote", c.remote, "session", fmt.Sprintf("%#x", req.SessionID))
		return nil
	}
	c.s.log.Debug("session", "remote", c.remote, "session", fmt.Sprintf("%#x", c.sess.id), "resumed", req.SessionID != 0)
	c.nc.SetReadDeadline(time.Time{})
	for {
		if cap(buf) > keepBuffer {
			buf = nil
		}
		c.frame.Store(0)
		if buf, err = wire.ReadFrameInto(c.in, buf, wire.MaxFrame); err != nil {
			return err
		}
		c.s.counters.bytesIn.Add(int64(len(buf)) + 4)
		last, err := c.handle(buf)
		if err != nil {
			return err
		}
		if last {
			return nil
		}
		c.out.await(highWater)
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
	c.s.wg.Go(func() {
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
	c.out.await(-1)
	c.nc.SetReadDeadline(time.Now().Add(lingerTimeout))
	if half, ok := c.nc.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		io.CopyN(io.Discard, c.nc, lingerBytes)
	}
	c.nc.Close()
}
