package zkserver

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

type conn struct {
	s        *Server
	nc       net.Conn
	remote   string // host:port
	host     string
	observer bool

	// s.mu guards the fields from here to event.
	gone     bool     // its requests are not executed any more
	sess     *session // nil before the handshake, and after a failed one
	who      tree.Identities
	stats    connStats
	heldSize int       // size of its messages in the backlog
	released sync.Cond // signals: heldSize is 0, or the server is closed
	request  []byte    // while the connection is paced: the request being executed
	event    int64     // number of the last event that fired a watch of the connection

	in    *bufio.Reader // calls conn.Read; only one goroutine at a time may use it
	frame atomic.Int64  // bytes read from the network; serve resets it before each request

	out output
}

func (c *conn) attach() bool {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.refusing {
		return false
	}
	if limit := s.opts.MaxClientCnxns; limit > 0 && !(s.opts.LoopbackUnbounded && loopback(c.host)) {
		for other := range s.conns {
			if other.host == c.host && !other.gone {
				limit--
			}
		}
		if limit <= 0 {
			s.counters.Rejected++
			return false
		}
	}
	s.wg.Add(1)
	s.conns[c] = struct{}{}
	s.alive++
	c.who = tree.Identities{{Scheme: "ip", ID: c.host}}
	c.stats.established = time.Now()
	c.nc.SetReadDeadline(c.stats.established.Add(handshakeTimeout))
	return true
}

// detach requires that the caller holds s.mu.
func (c *conn) detach() {
	c.dropHeld()
	c.retire()
}

// retire requires that the caller holds s.mu.
func (c *conn) retire() {
	s := c.s
	if c.gone {
		return
	}
	c.gone = true
	s.alive--
	s.watches.forget(c)
	if c.sess != nil && c.sess.conn == c {
		c.sess.conn = nil
	}
}

// drop requires that the caller holds s.mu.
func (c *conn) drop() {
	c.detach()
	c.closeSoon()
}

// send requires that the caller holds s.mu. w and body may be nil.
func (c *conn) send(h wire.ReplyHeader, body wire.Record, w *count) {
	if c.paced() && h.Xid != wire.XidPing {
		c.hold(h, body, w)
		return
	}
	n := c.write(&h, body)
	_, event := body.(*wire.WatcherEvent)
	w.sent(c.sess, n, event)
}

// write requires that the caller holds s.mu. It returns 0 if the output is broken.
func (c *conn) write(records ...wire.Record) int {
	n := c.out.send(records...)
	if n > 0 {
		c.s.counters.reply(int64(n - 4))
	}
	return n
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.nc.Read(p)
	c.frame.Add(int64(n))
	if c.s.grown.Add(int64(n)) > MaxHeld/8 {
		c.s.relieve()
	}
	return n, err
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.nc.Write(p)
	c.s.counters.bytesOut.Add(int64(n))
	return n, err
}

// closeSoon uses a goroutine, because Close may block, for example in TLS. The caller holds s.mu.
func (c *conn) closeSoon() {
	c.s.wg.Go(func() { c.nc.Close() })
}

// acceptPause follows Accept's first temporary error. Further errors double it, up to acceptPauseMax, as in net/http.
const (
	acceptPause    = 5 * time.Millisecond
	acceptPauseMax = time.Second
)

// Serve accepts connections from l until the server is closed, and then returns nil. It returns [ErrClosed] if the
// server is already closed. It retries after temporary errors of Accept, and returns any other one. Serve closes l.
func (s *Server) Serve(l net.Listener) error {
	if !s.listen(l, true) {
		return ErrClosed
	}
	defer s.wg.Done()
	defer l.Close()
	for {
		nc, err := s.accept(l)
		s.mu.Lock()
		closed := s.closed
		if err == nil && !closed {
			s.wg.Go(func() { s.ServeConn(nc) })
			s.mu.Unlock()
			continue
		}
		delete(s.listeners, l)
		s.mu.Unlock()
		if err == nil {
			nc.Close()
		}
		if closed {
			return nil
		}
		return fmt.Errorf("zkserver: accept on %s: %w", l.Addr(), err)
	}
}

// accept retries after temporary errors. File descriptors may be used up, so it also closes silent connections.
func (s *Server) accept(l net.Listener) (net.Conn, error) {
	var failed time.Time
	for pause := acceptPause; ; pause = min(2*pause, acceptPauseMax) {
		nc, err := l.Accept()
		if err == nil && !failed.IsZero() {
			s.trouble(fmt.Sprintf("accepting connections to %s again, after %v", l.Addr(), time.Since(failed).Round(time.Millisecond)))
		}
		var t interface{ Temporary() bool }
		if err == nil || !errors.As(err, &t) || !t.Temporary() {
			return nc, err
		}
		if failed.IsZero() {
			failed = time.Now()
			s.trouble(fmt.Sprintf("cannot accept connections to %s: %v; retrying", l.Addr(), err))
		}
		s.dropSilent()
		select {
		case <-time.After(pause):
		case <-s.closing:
			return nil, err
		}
	}
}

func (s *Server) trouble(text string) {
	s.log.Warn(text)
	if s.opts.Trouble != nil {
		s.opts.Trouble(text)
	}
}

// listen requires that the caller calls s.wg.Done after the result true.
func (s *Server) listen(l net.Listener, clients bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		l.Close()
		return false
	}
	s.listeners[l] = clients
	s.wg.Add(1)
	return true
}

// ErrRefused means that the server refuses connections; see [Server.Refuse].
var ErrRefused = errors.New("zkserver: connection refused")

// Dial returns the client's end of a net.Pipe that the server serves. It works inside a
// testing/synctest bubble. The client has the address 127.0.0.1.
func (s *Server) Dial() (net.Conn, error) { return s.dial(false) }

// DialObserver connects like [Server.Dial], but messages to the client are not delayed, and no [Tally] counts the
// client. Both exceptions end if the session moves to another kind of connection.
func (s *Server) DialObserver() (net.Conn, error) { return s.dial(true) }

func (s *Server) dial(observer bool) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrClosed
	case s.refusing:
		return nil, ErrRefused
	}
	client, server := net.Pipe()
	s.piped++
	nc := pipeConn{Conn: server, remote: pipeAddr(s.piped), observer: observer}
	s.wg.Go(func() { s.ServeConn(nc) })
	return client, nil
}

type pipeConn struct {
	net.Conn
	remote   pipeAddr
	observer bool
}

func (c pipeConn) RemoteAddr() net.Addr { return c.remote }

type pipeAddr int

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return fmt.Sprintf("127.0.0.1:%d", int(a)) }

// ServeConn serves nc, and closes nc before it returns.
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
		c.observer = p.observer
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

// serve returns nil if queued or held output must still be sent.
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

func (c *conn) awaitReleased() {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.heldSize == 0 {
		return
	}
	c.s.wg.Go(func() {
		io.Copy(io.Discard, c.nc) // ends when the connection ends
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
		c.dropHeld()
	})
	for c.heldSize > 0 && !c.s.closed {
		c.released.Wait()
	}
}

// finish discards input, because TCP resets a connection with unread input, and a reset can destroy output.
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

const (
	highWater  = 64 << 10 // with more bytes queued, the server reads no further request of the connection
	maxQueued  = 4 << 20  // with more bytes queued or held, a further message closes the connection
	keepBuffer = 4 << 10
)

type output struct {
	c       *conn
	mu      sync.Mutex
	shrank  sync.Cond // signals: queue is empty, or writing is false
	queue   []byte
	batch   int  // number of bytes that write writes now
	writing bool // the goroutine that runs write exists
	broken  bool
}

func (o *output) pending() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) + o.batch
}

func (o *output) send(records ...wire.Record) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken && len(o.queue) > maxQueued {
		o.cutOff()
	}
	if o.broken {
		return 0
	}
	n := len(o.queue)
	o.queue = wire.AppendFrame(o.queue, records...)
	n = len(o.queue) - n
	o.c.s.grown.Add(int64(n))
	if !o.writing {
		o.writing = true
		o.c.s.wg.Go(o.write)
	}
	return n
}

// giveUp requires that the caller holds s.mu.
func (o *output) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.broken {
		o.cutOff()
	}
}

// cutOff requires that the caller holds s.mu and o.mu.
func (o *output) cutOff() {
	o.broken = true
	o.queue, o.batch = nil, 0
	o.c.s.counters.CutOff++
	o.c.closeSoon()
}

// await waits until at most n bytes are queued or, if n is negative, until write has returned.
func (o *output) await(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.writing && len(o.queue) > n {
		o.shrank.Wait()
	}
}

func (o *output) write() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) > 0 {
		p := o.queue
		o.queue, o.batch = nil, len(p)
		o.shrank.Broadcast()
		o.mu.Unlock()
		_, err := o.c.Write(p)
		o.mu.Lock()
		o.batch = 0
		if o.broken = o.broken || err != nil; o.broken {
			o.queue = nil
		} else if o.queue == nil && cap(p) <= keepBuffer {
			o.queue = p[:0]
		}
	}
	o.writing = false
	o.shrank.Broadcast()
}

const (
	// readBuffer is small because there may be thousands of idle connections.
	readBuffer    = 1 << 10
	maxHandshake  = 1 << 10
	lastWrite     = 10 * time.Second
	lingerTimeout = time.Second
	lingerBytes   = 64 << 10
)

// MaxHeld approximately bounds the incomplete requests, the waiting output and the held messages of all
// connections together, in bytes. The server closes the connections with the most bytes.
const MaxHeld = 128 << 20

func (s *Server) relieve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grown.Store(0)
	all, total := slices.SortedFunc(maps.Keys(s.conns), func(a, b *conn) int { return cmp.Compare(a.memory(), b.memory()) }), 0
	for _, c := range all {
		if total += c.memory(); total > MaxHeld {
			c.out.giveUp()
			c.dropHeld()
		}
	}
}

func (c *conn) memory() int { return c.out.pending() + c.heldSize + int(c.frame.Load()) }

// silentFor may be short, because clients send their first frame immediately.
const silentFor = 100 * time.Millisecond

func (s *Server) dropSilent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.stats.received == 0 && time.Since(c.stats.established) > silentFor {
			c.drop()
		}
	}
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
