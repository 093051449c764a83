package zkwatch

import (
	"context"
	"net"
	"os"
	"sync"
	"time"
)

// lineBuffer is how much a connection takes from its client while the line is
// down, in bytes, if it is more than one request. After that a write fails.
const lineBuffer = 64 << 10

// dialLine dials a server, which while the line is down is like dialling into
// a network that drops every packet: there is no answer until it is up again.
func (c *Conn) dialLine(ctx context.Context, network, addr string) (net.Conn, error) {
	line := c.cfg.Line
	if line == nil {
		return c.cfg.Dial(ctx, network, addr)
	}
	if !line.pass(ctx.Done()) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	raw, err := c.cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lineConn{Conn: raw, c: c, line: line, closed: make(chan struct{})}, nil
}

// A lineConn is a connection over a line that can go down, as TCP has it. What
// is read waits. What is written is taken, and delivered when the line is up
// again; what was not by the time the connection is closed never is. Nor does
// the peer learn of the closing while the line is down. Deadlines pass.
//
// What had come as far as a call of the connection below when the line went
// down, has passed.
type lineConn struct {
	net.Conn
	c    *Conn
	line *Gate

	once   sync.Once
	closed chan struct{}

	kept    []byte // read, and not let through; for Read
	keptErr error

	mu         sync.Mutex
	reading    time.Time     // the deadline of reads, zero for none
	changed    chan struct{} // closed when that is changed; nil if nobody waits
	pending    []byte        // to be delivered
	delivering bool          // a goroutine does
}

// Read implements net.Conn.
func (l *lineConn) Read(p []byte) (int, error) {
	for {
		if err := l.await(); err != nil {
			return 0, err
		}
		if len(l.kept) > 0 || l.keptErr != nil {
			n := copy(p, l.kept)
			if l.kept = l.kept[n:]; len(l.kept) > 0 {
				return n, nil
			}
			err := l.keptErr
			l.keptErr = nil
			return n, err
		}
		n, err := l.Conn.Read(p)
		if !l.line.Frozen() || os.IsTimeout(err) {
			return n, err
		}
		l.kept, l.keptErr = append([]byte(nil), p[:n]...), err
	}
}

// Write implements net.Conn.
func (l *lineConn) Write(p []byte) (int, error) {
	l.mu.Lock()
	if !l.delivering && !l.line.Frozen() {
		l.mu.Unlock()
		return l.Conn.Write(p)
	}
	defer l.mu.Unlock()
	if len(l.pending) > 0 && len(l.pending)+len(p) > lineBuffer {
		return 0, os.ErrDeadlineExceeded
	}
	l.pending = append(l.pending, p...)
	if !l.delivering && l.c.begin() {
		l.delivering = true
		go l.deliver()
	}
	return len(p), nil
}

// deliver writes what is pending once the line is up. The owner of its
// goroutine is the Conn.
func (l *lineConn) deliver() {
	defer l.c.calls.Done()
	for l.line.pass(l.closed) {
		l.mu.Lock()
		p := l.pending
		l.pending, l.delivering = nil, len(p) > 0
		l.mu.Unlock()
		if len(p) == 0 {
			return
		}
		l.Conn.Write(p) // its error is the next Read's
	}
}

// Close implements net.Conn. While the line is down the connection below is
// left as it is until the line is up, or its Conn has ended.
func (l *lineConn) Close() error {
	l.once.Do(func() {
		close(l.closed)
		if !l.line.Frozen() || !l.c.begin() {
			l.Conn.Close()
			return
		}
		l.Conn.SetDeadline(time.Unix(1, 0)) // long past: calls return
		go func() {
			defer l.c.calls.Done()
			l.line.pass(l.c.life.Done())
			l.Conn.Close()
		}()
	})
	return nil
}

// SetDeadline implements net.Conn.
func (l *lineConn) SetDeadline(t time.Time) error {
	l.setReading(t)
	return l.Conn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (l *lineConn) SetReadDeadline(t time.Time) error {
	l.setReading(t)
	return l.Conn.SetReadDeadline(t)
}

func (l *lineConn) setReading(t time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading = t
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// await waits until the line is up, for no longer than the deadline.
func (l *lineConn) await() error {
	for {
		select {
		case <-l.closed:
			return net.ErrClosed
		default:
		}
		up := l.line.shut()
		if up == nil {
			return nil
		}
		l.mu.Lock()
		at := l.reading
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		if err := l.awaitUntil(at, up, changed); err != nil {
			return err
		}
	}
}

func (l *lineConn) awaitUntil(at time.Time, up, changed <-chan struct{}) error {
	var expired <-chan time.Time
	if !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-up:
	case <-changed:
	case <-l.closed:
	case <-expired:
		return os.ErrDeadlineExceeded
	}
	return nil
}
