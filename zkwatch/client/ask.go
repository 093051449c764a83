package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/zkwatch/wire"
)

// The library lacks addWatch, it cannot take back a watch, and its replies come in no order
// with the events. So this package makes requests of its own, on the library's
// connection and in its session: send writes them between the library's, and Read takes
// out their replies. Their xids are below those of the protocol, and the library's are
// positive.
const (
	lowestXid  = math.MinInt32
	highestXid = -1 << 16
)

func isOurs(xid int32) bool { return xid <= highestXid }

// An answer is the reply to a request of our own.
type answer struct {
	code wire.Code
	body []byte
	// seen is the number of the last event that the connection brought before.
	seen uint64
}

// ErrUnsupported: the server does not know the request. Before it is 3.6 it also
// closes the connection.
var ErrUnsupported = errors.New("the server does not know this request")

// ask makes a request that the library lacks, over the connection of f, and decodes its
// reply; reply is nil if there is none. seen is the number of the last event before the
// reply.
func (f *Following) ask(ctx context.Context, k call, op wire.Op, request wire.Record, reply wire.Record) (seen uint64, err error) {
	cfg := &f.conn.cfg
	if size := requestOverhead + len(cfg.Servers.full(k.path)); size > cfg.BufferSize {
		return 0, k.failed(fmt.Errorf("%w: %d bytes, the limit is %d", ErrRequestTooLarge, size, cfg.BufferSize))
	}
	if err := ctx.Err(); err != nil {
		return 0, k.failed(fmt.Errorf("%w: not sent", err))
	}
	n := f.over
	xid, frame, answers := n.expect(op, request)
	defer n.forget(xid)
	sends := f.conn.spawn(func() { // which may block
		if !f.conn.gate.Pass(n.closed) {
			return
		}
		if err := n.send(frame); err != nil {
			n.fail(fmt.Errorf("write: %w", err))
		}
	})
	if !sends {
		return 0, k.failed(fmt.Errorf("%w: %w", ErrNotConnected, ErrClosed))
	}
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		return 0, k.unanswered(ctx.Err())
	case <-f.lost:
		select {
		case a = <-answers: // it arrived just before
		default:
			return 0, k.unanswered(f.conn.lostErr())
		}
	}
	return a.seen, k.decode(&a, reply)
}

func (k call) decode(a *answer, reply wire.Record) error {
	switch a.code {
	case wire.OK:
	case wire.NoNode:
		return k.failed(zk.ErrNoNode)
	case wire.NoAuth:
		return k.failed(zk.ErrNoAuth)
	case wire.BadArguments:
		return k.failed(zk.ErrInvalidPath)
	case wire.Unimplemented:
		return k.failed(ErrUnsupported)
	default:
		return k.failed(a.code)
	}
	if reply == nil {
		return nil
	}
	d := wire.NewDecoder(a.body)
	if reply.Fields(d); d.Err() != nil {
		return k.failed(fmt.Errorf("%w: %w", ErrProtocol, d.Err()))
	}
	return nil
}

// expect prepares for the reply to a request, and returns its xid and its frame.
func (n *serverConn) expect(op wire.Op, r wire.Record) (xid int32, frame []byte, answers <-chan answer) {
	c := make(chan answer, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	xid = n.nextXid
	if n.nextXid++; !isOurs(n.nextXid) {
		n.nextXid = lowestXid
	}
	n.asked[xid] = c
	frame = wire.AppendFrame(nil, &wire.RequestHeader{Xid: xid, Op: op}, r)
	n.sent[xid] = request{op: op, at: time.Now(), watches: watches(op, frame)}
	n.conn.requests.Add(1)
	return xid, frame, c
}

// forget is called when nobody waits for a reply any more.
func (n *serverConn) forget(xid int32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.asked, xid)
}

// takeAnswer reads the reply that n.head begins, which the library does not get.
func (n *serverConn) takeAnswer() error {
	frame := make([]byte, n.left)
	if _, err := io.ReadFull(n.ahead, frame); err != nil {
		return n.explain(err)
	}
	n.left = 0
	if err := n.received(); err != nil {
		return err
	}
	xid := xidOf(n.head)
	n.mu.Lock()
	c := n.asked[xid]
	delete(n.asked, xid) // a second reply would wait for ever
	n.mu.Unlock()
	if c != nil {
		c <- answer{code: replyCode(n.head), body: frame[prefixSize+replyHeaderSize:], seen: n.events}
	}
	return nil
}
