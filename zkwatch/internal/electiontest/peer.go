package electiontest

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"electop/zkwatch/client"
	"electop/zkwatch/wire"
)

type Request struct {
	Conn   int // the connection's number, from 1
	Opcode wire.Op
	Body   []byte // after the header
}

// A Peer is a scripted server.
type Peer struct {
	// Intercept, if set, gets each connection, numbered from 1. If Intercept returns true, the peer closes the
	// connection without serving it.
	Intercept func(n int, c net.Conn) bool
	Grant     func(n int, requested time.Duration, session uint64) (timeout time.Duration, granted uint64)
	// Refuse, if set, reports whether the peer closes the connection after a ConnectRequest.
	Refuse func(lastZxid uint64) bool
	// Answer handles a request. If Answer is nil or returns false, the peer replies without an error.
	Answer  func(f Request, reply func(xid, code int32, body []byte), xid int32) bool
	Dialled func(n int, c net.Conn) (net.Conn, error)

	mu        sync.Mutex
	conns     []net.Conn
	requests  []Request
	lastSeen  map[int]int64 // LastZxidSeen by connection; a refused connection has no entry
	responses []int         // connections that Serve did not refuse
	Served    sync.WaitGroup
	Zxid      atomic.Int64 // the zxid of the last reply
}

func (p *Peer) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	client, server := net.Pipe()
	p.mu.Lock()
	p.conns = append(p.conns, server)
	n := len(p.conns)
	p.mu.Unlock()
	p.Served.Go(func() {
		defer server.Close()
		if p.Intercept == nil || !p.Intercept(n, server) {
			p.Serve(n, server)
		}
	})
	if p.Dialled != nil {
		return p.Dialled(n, client)
	}
	return client, nil
}

func (p *Peer) Serve(n int, c net.Conn) {
	var hello wire.ConnectRequest
	frame, err := wire.ReadFrame(c, maxFrame)
	if hello.Fields(wire.NewDecoder(frame)); err != nil || p.Refuse != nil && p.Refuse(uint64(hello.LastZxidSeen)) {
		return
	}
	timeout, session := time.Duration(hello.Timeout)*time.Millisecond, uint64(hello.SessionID)
	if p.Grant != nil {
		timeout, session = p.Grant(n, timeout, session)
	} else if session == 0 {
		session = 0x51
	}
	p.mu.Lock()
	if p.lastSeen == nil {
		p.lastSeen = make(map[int]int64)
	}
	p.lastSeen[n] = hello.LastZxidSeen
	p.responses = append(p.responses, n)
	p.mu.Unlock()
	granted := wire.ConnectResponse{Timeout: int32(timeout / time.Millisecond), SessionID: int64(session), Passwd: make([]byte, 16)}
	if _, err := c.Write(wire.AppendFrame(nil, &granted)); err != nil {
		return
	}
	for {
		request, err := wire.ReadFrame(c, maxFrame)
		if err != nil {
			return
		}
		d := wire.NewDecoder(request)
		var h wire.RequestHeader
		h.Fields(d)
		xid, f := h.Xid, Request{n, h.Op, d.Rest()}
		p.mu.Lock()
		p.requests = append(p.requests, f)
		p.mu.Unlock()
		reply := func(xid, code int32, body []byte) {
			h := wire.ReplyHeader{Xid: xid, Zxid: p.Zxid.Add(1), Err: wire.Code(code)}
			WriteFrame(c, append(wire.Append(nil, &h), body...))
		}
		if p.Answer == nil || !p.Answer(f, reply, xid) {
			reply(xid, 0, defaultReply(f))
		}
		if f.Opcode == wire.OpCloseSession {
			return
		}
	}
}

func defaultReply(f Request) []byte {
	switch f.Opcode {
	case wire.OpCreate:
		n := binary.BigEndian.Uint32(f.Body)
		return f.Body[:4+n]
	case wire.OpGetData, wire.OpGetChildren2:
		return make([]byte, 4+68)
	}
	return make([]byte, 68)
}

const maxFrame = 1 << 20

func WriteFrame(c net.Conn, body []byte) error {
	_, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

func (p *Peer) Drop(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[n-1].Close()
}

func (p *Peer) Dials() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Received returns the requests of connection n, or of all connections if n is 0.
func (p *Peer) Received(n int) (frames []Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.requests {
		if n == 0 || f.Conn == n {
			frames = append(frames, f)
		}
	}
	return frames
}

// LastSeen returns LastZxidSeen of connection n's ConnectRequest.
func (p *Peer) LastSeen(n int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastSeen[n]
}

// Opcodes returns the opcodes of Received, without pings.
func (p *Peer) Opcodes(n int) []wire.Op {
	ops := []wire.Op{}
	for _, f := range p.Received(n) {
		if f.Opcode != wire.OpPing {
			ops = append(ops, f.Opcode)
		}
	}
	return ops
}

func (p *Peer) Connect(t *testing.T, change ...func(*client.Config)) *client.Conn {
	t.Helper()
	cfg := client.Config{
		Servers:        client.ConnectString{Servers: []string{"peer:2181"}},
		SessionTimeout: 9 * time.Second,
		DialTimeout:    2 * time.Second,
		Dial:           p.Dial,
		BufferSize:     16 << 10,
		MaxReply:       64 << 10,
	}
	for _, f := range change {
		f(&cfg)
	}
	return Connect(t, cfg)
}

func (p *Peer) Session(t *testing.T, change ...func(*client.Config)) *client.Conn {
	t.Helper()
	c := p.Connect(t, change...)
	WaitState(t, c, client.Connected)
	return c
}

func (p *Peer) Connected(t *testing.T, c *client.Conn, n int) client.Status {
	t.Helper()
	return Wait(t, c, fmt.Sprintf("connected over connection %d", n), func(s client.Status) bool {
		// Subscribe may deliver s after its connection was lost.
		return p.Dials() == n && s.State == client.Connected && c.Status().State == client.Connected && p.responded(n)
	})
}

func (p *Peer) responded(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.responses, n)
}
