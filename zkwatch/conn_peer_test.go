package zkwatch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"electop/zkwatch"
)

// Numbers of the protocol that the peer speaks.
const (
	opCreate       = 1
	opGetData      = 4
	opPing         = 11
	opGetChildren2 = 12
	opCloseSession = -11
	opAuth         = 100
	opSetWatches   = 101
)

// A frame is a request as a peer has received it.
type frame struct {
	conn   int // the connection's number, from 1
	opcode int32
	body   []byte // after the header
}

// A peer is a scripted server on the other end of net.Pipe connections: it
// does what no well-behaved server does. Without a script it grants session
// 0x51 for what the client asks and answers every request with an empty
// success.
type peer struct {
	// accept, if set, is given each raw connection; true: it has dealt with it.
	accept func(n int, c net.Conn) bool
	// grant, if set, makes the ConnectResponse.
	grant func(n int, asked time.Duration, session uint64) (timeout time.Duration, granted uint64)
	// refuse, if set, tells to close the connection in reply to a ConnectRequest.
	refuse func(lastZxid uint64) bool
	// answer, if set, answers requests; false: the peer answers as usual.
	answer func(f frame, reply func(xid, code int32, body []byte), xid int32) bool
	// dialled, if set, wraps the client's end.
	dialled func(n int, c net.Conn) (net.Conn, error)

	mu     sync.Mutex
	conns  []net.Conn
	frames []frame
	hellos map[int]int64 // the last zxid seen, by connection
	grants []int         // connections over which a session was granted
	wg     sync.WaitGroup
	zxid   atomic.Int64 // of the last reply: each has another
}

func (p *peer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	client, server := net.Pipe()
	p.mu.Lock()
	p.conns = append(p.conns, server)
	n := len(p.conns)
	p.mu.Unlock()
	p.wg.Go(func() {
		defer server.Close()
		if p.accept == nil || !p.accept(n, server) {
			p.serve(n, server)
		}
	})
	if p.dialled != nil {
		return p.dialled(n, client)
	}
	return client, nil
}

func (p *peer) serve(n int, c net.Conn) {
	hello, err := readFrame(c)
	if err != nil {
		return
	}
	if p.refuse != nil && p.refuse(binary.BigEndian.Uint64(hello[4:])) {
		return
	}
	p.mu.Lock()
	if p.hellos == nil {
		p.hellos = make(map[int]int64)
	}
	p.hellos[n] = int64(binary.BigEndian.Uint64(hello[4:]))
	p.mu.Unlock()
	timeout := time.Duration(binary.BigEndian.Uint32(hello[12:])) * time.Millisecond
	session := binary.BigEndian.Uint64(hello[16:])
	if p.grant != nil {
		timeout, session = p.grant(n, timeout, session)
	} else if session == 0 {
		session = 0x51
	}
	response := make([]byte, 36)
	binary.BigEndian.PutUint32(response[4:], uint32(timeout/time.Millisecond))
	binary.BigEndian.PutUint64(response[8:], session)
	binary.BigEndian.PutUint32(response[16:], 16)
	p.mu.Lock()
	p.grants = append(p.grants, n)
	p.mu.Unlock()
	if writeFrame(c, response) != nil {
		return
	}
	for {
		request, err := readFrame(c)
		if err != nil {
			return
		}
		xid := int32(binary.BigEndian.Uint32(request))
		f := frame{n, int32(binary.BigEndian.Uint32(request[4:])), request[8:]}
		p.mu.Lock()
		p.frames = append(p.frames, f)
		p.mu.Unlock()
		reply := func(xid, code int32, body []byte) {
			b := replyFrame(xid, code, body)
			binary.BigEndian.PutUint64(b[4:], uint64(p.zxid.Add(1)))
			writeFrame(c, b)
		}
		if p.answer == nil || !p.answer(f, reply, xid) {
			reply(xid, 0, emptyReply(f))
		}
		if f.opcode == opCloseSession {
			return
		}
	}
}

// emptyReply is the body of a success: every Stat is zero.
func emptyReply(f frame) []byte {
	switch f.opcode {
	case opCreate:
		n := binary.BigEndian.Uint32(f.body)
		return f.body[:4+n]
	case opGetData, opGetChildren2:
		return make([]byte, 4+68)
	}
	return make([]byte, 68)
}

func replyFrame(xid, code int32, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(xid))
	b = binary.BigEndian.AppendUint64(b, 7) // zxid
	b = binary.BigEndian.AppendUint32(b, uint32(code))
	return append(b, body...)
}

func readFrame(c net.Conn) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(c, prefix[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(prefix[:])
	if n < 8 || n > 1<<20 {
		return nil, errors.New("length of a frame")
	}
	b := make([]byte, n)
	_, err := io.ReadFull(c, b)
	return b, err
}

func writeFrame(c net.Conn, body []byte) error {
	_, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

// drop closes the connection with the given number.
func (p *peer) drop(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[n-1].Close()
}

func (p *peer) dials() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// received are the requests over connection n.
func (p *peer) received(n int) (frames []frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.frames {
		if f.conn == n {
			frames = append(frames, f)
		}
	}
	return frames
}

// hello is the last zxid seen, as connection n began with.
func (p *peer) hello(n int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hellos[n]
}

// opcodes are those received over connection n, without pings; 0: over all.
func (p *peer) opcodes(n int) []int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	ops := []int32{}
	for _, f := range p.frames {
		if f.opcode != opPing && (n == 0 || f.conn == n) {
			ops = append(ops, f.opcode)
		}
	}
	return ops
}

// connect starts a Conn to the peer that is closed with the test.
func (p *peer) connect(t *testing.T, change ...func(*zkwatch.Config)) *zkwatch.Conn {
	t.Helper()
	cfg := zkwatch.Config{
		Servers:        zkwatch.ConnectString{Servers: []string{"peer:2181"}},
		SessionTimeout: 9 * time.Second,
		DialTimeout:    2 * time.Second,
		Dial:           p.dial,
		BufferSize:     16 << 10,
		MaxReply:       64 << 10,
	}
	for _, f := range change {
		f(&cfg)
	}
	return connect(t, cfg)
}

func connect(t *testing.T, cfg zkwatch.Config) *zkwatch.Conn {
	t.Helper()
	c, err := zkwatch.Connect(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// wait returns the first status from now on that ok accepts.
func wait(t *testing.T, c *zkwatch.Conn, what string, ok func(zkwatch.Status) bool) zkwatch.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var last zkwatch.Status
	for s := range c.Subscribe(ctx) {
		if last = s; ok(s) {
			return s
		}
	}
	t.Fatalf("no status %s; the last was %+v", what, last)
	return last
}

func waitState(t *testing.T, c *zkwatch.Conn, state zkwatch.ConnState) zkwatch.Status {
	t.Helper()
	return wait(t, c, state.String(), func(s zkwatch.Status) bool { return s.State == state })
}

func waitErr(t *testing.T, c *zkwatch.Conn, target error) zkwatch.Status {
	t.Helper()
	return wait(t, c, target.Error(), func(s zkwatch.Status) bool { return errors.Is(s.Err, target) })
}

func count[T comparable](list []T, x T) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(y T) bool { return y != x }))
}

// connected waits until c is connected over connection n.
func (p *peer) connected(t *testing.T, c *zkwatch.Conn, n int) zkwatch.Status {
	t.Helper()
	return wait(t, c, fmt.Sprintf("connected over connection %d", n), func(s zkwatch.Status) bool {
		// The connection is dialled some time before the state says so, and the
		// one before is lost by then.
		return p.dials() == n && s.State == zkwatch.Connected && c.Status().State == zkwatch.Connected && p.granted(n)
	})
}

// granted tells whether a session has been granted over connection n.
func (p *peer) granted(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.grants, n)
}
