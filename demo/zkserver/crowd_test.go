package zkserver_test

import (
	"bufio"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"electop/zkwatch/wire"
)

// A crowd is many sessions on one server, light enough to have thousands of them in
// a process: a session is a goroutine that reads, and a small buffer. Nothing pings.
// The first failure is kept and ends every wait.
type crowd struct {
	addr string

	replies, events, ends meter // of all sessions

	reading sync.WaitGroup
	err     atomic.Pointer[error]
	failed  chan struct{}
}

func newCrowd(addr string) *crowd {
	c := &crowd{addr: addr, failed: make(chan struct{})}
	for _, m := range []*meter{&c.replies, &c.events, &c.ends} {
		m.reached = make(chan struct{}, 1)
	}
	return c
}

// fail keeps the first failure.
func (c *crowd) fail(err error) {
	if c.err.CompareAndSwap(nil, &err) {
		close(c.failed)
	}
}

// A meter counts up to a goal.
type meter struct {
	n, goal atomic.Int64
	reached chan struct{}
}

func (m *meter) count() {
	if m.n.Add(1) == m.goal.Load() {
		select {
		case m.reached <- struct{}{}:
		default:
		}
	}
}

// crowdPatience bounds the wait for what thousands of sessions do.
const crowdPatience = time.Minute

// await waits until n more are counted than there were at the moment from.
func (c *crowd) await(t testing.TB, what string, m *meter, from int64, n int) {
	t.Helper()
	select {
	case <-m.reached: // of an earlier goal
	default:
	}
	m.goal.Store(from + int64(n))
	late := time.After(crowdPatience)
	for m.n.Load() < m.goal.Load() {
		select {
		case <-m.reached:
		case <-c.failed:
			t.Fatalf("%s of %s: %v", what, c.addr, *c.err.Load())
		case <-late:
			t.Fatalf("%s of %s: %d after %v, want %d", what, c.addr, m.n.Load()-from, crowdPatience, n)
		}
	}
}

// An attendee is a session of a crowd.
type attendee struct {
	crowd *crowd
	nc    net.Conn
	conn  wire.ConnectResponse
	xid   int32
	asked time.Time // when it last sent something

	onEvent atomic.Pointer[func(wire.WatcherEvent)] // called by the goroutine that reads
	credit  chan struct{}                           // a token for each chunk of replies
	got     int
}

// chunk is how many requests a pipeline sends at once; two chunks are on their way.
const chunk = 50

// connectors is how many sessions are established at once. It is less than Apache's
// listen backlog of 50.
const connectors = 32

// join connects sessions. Each can send a first request together with its handshake,
// so that a short timeout cannot pass before.
func (c *crowd) join(t testing.TB, n int, timeout time.Duration, first ...func(session int) (wire.Op, wire.Appender)) []*attendee {
	t.Helper()
	all := make([]*attendee, n)
	share(n, func(i int) {
		var err error
		var more []byte
		for _, f := range first {
			op, req := f(i)
			more = wire.AppendFrame(more, &wire.RequestHeader{Xid: 1, Op: op}, req)
		}
		if all[i], err = c.connect(timeout, more); err != nil {
			c.fail(fmt.Errorf("session %d: %w", i, err))
		}
	})
	if err := c.err.Load(); err != nil {
		t.Fatalf("connect to %s: %v", c.addr, *err)
	}
	return all
}

// share calls f for each of n numbers, for some of them at the same time.
func share(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, connectors) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

func (c *crowd) connect(timeout time.Duration, more []byte) (*attendee, error) {
	nc, err := net.DialTimeout("tcp", c.addr, patience)
	if err != nil {
		return nil, err
	}
	a := &attendee{crowd: c, nc: nc, xid: 1, asked: time.Now(), credit: make(chan struct{}, 4)}
	req := wire.ConnectRequest{Timeout: int32(timeout.Milliseconds()), Passwd: make([]byte, 16), HasReadOnly: true}
	nc.SetDeadline(time.Now().Add(crowdPatience))
	in := bufio.NewReaderSize(nc, 1<<10)
	frame, err := func() ([]byte, error) {
		if _, err := nc.Write(append(wire.AppendFrame(nil, &req), more...)); err != nil {
			return nil, err
		}
		return wire.ReadFrame(in, 1<<10)
	}()
	if err == nil {
		d := wire.NewDecoder(frame)
		a.conn.Decode(d)
		err = d.Err()
	}
	if err == nil && (a.conn.SessionID == 0 || a.conn.Timeout != req.Timeout) {
		err = fmt.Errorf("asked for %v, got %+v", timeout, a.conn)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	nc.SetDeadline(time.Time{})
	c.reading.Go(func() { a.read(in, frame) })
	return a, nil
}

// read takes what the server sends until the connection ends.
func (a *attendee) read(in *bufio.Reader, buf []byte) {
	defer a.crowd.ends.count()
	defer a.nc.Close()
	for {
		var err error
		if buf, err = wire.ReadFrameInto(in, buf, 8<<20); err != nil {
			return
		}
		var h wire.ReplyHeader
		d := wire.NewDecoder(buf)
		h.Decode(d)
		switch {
		case d.Err() != nil:
			a.crowd.fail(d.Err())
			return
		case h.Xid == wire.XidWatch:
			if f := a.onEvent.Load(); f != nil {
				var ev wire.WatcherEvent
				ev.Decode(d)
				(*f)(ev)
			}
			a.crowd.events.count()
			continue
		case h.Err != wire.OK:
			a.crowd.fail(fmt.Errorf("reply to xid %d: %w", h.Xid, h.Err))
		}
		if a.got++; a.got%chunk == 0 {
			select {
			case a.credit <- struct{}{}:
			default: // nobody pipelines
			}
		}
		a.crowd.replies.count()
	}
}

// send writes n requests at once. Their replies are counted in crowd.replies.
func (a *attendee) send(n int, request func(i int) (wire.Op, wire.Appender)) {
	var b []byte
	for i := range n {
		op, req := request(i)
		a.xid++
		xid := a.xid
		if op == wire.OpPing {
			xid = wire.XidPing
		}
		records := []wire.Appender{&wire.RequestHeader{Xid: xid, Op: op}}
		if req != nil {
			records = append(records, req)
		}
		b = wire.AppendFrame(b, records...)
	}
	a.asked = time.Now()
	if _, err := a.nc.Write(b); err != nil {
		a.crowd.fail(err)
	}
}

// all has each session send n requests at once, and waits for the replies.
func (c *crowd) all(t testing.TB, what string, sessions []*attendee, n int, request func(session, i int) (wire.Op, wire.Appender)) {
	t.Helper()
	from := c.replies.n.Load()
	share(len(sessions), func(s int) {
		sessions[s].send(n, func(i int) (wire.Op, wire.Appender) { return request(s, i) })
	})
	c.await(t, what, &c.replies, from, n*len(sessions))
}

// pipeline has some sessions send n requests together, each without waiting for the
// replies to its last ones, and waits for all replies. request may be called by
// several goroutines.
func (c *crowd) pipeline(t testing.TB, what string, sessions []*attendee, n int, request func(i int) (wire.Op, wire.Appender)) {
	t.Helper()
	from := c.replies.n.Load()
	var wg sync.WaitGroup
	for s, a := range sessions {
		wg.Go(func() {
			lo, hi := s*n/len(sessions), (s+1)*n/len(sessions)
			for range len(a.credit) { // of what was sent before
				<-a.credit
			}
			a.credit <- struct{}{}
			a.credit <- struct{}{}
			for lo < hi {
				select {
				case <-a.credit:
				case <-c.failed:
					return
				}
				first, size := lo, min(hi-lo, chunk)
				a.send(size, func(i int) (wire.Op, wire.Appender) { return request(first + i) })
				lo += size
			}
		})
	}
	wg.Wait()
	c.await(t, what, &c.replies, from, n)
}

// leave waits until every connection has ended, and whatever reads from one.
func (c *crowd) leave(all ...*attendee) {
	for _, a := range all {
		a.nc.Close()
	}
	c.reading.Wait()
}
