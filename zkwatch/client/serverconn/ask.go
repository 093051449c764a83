package serverconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"electop/zkwatch/wire"
)

// The library lacks addWatch, and its replies come in no order with the events of
// persistent watches. So this package makes requests of its own, on the library's
// connection and in its session: send writes them between the library's, and Read takes
// out their replies. Their xids are below those of the protocol, and the library's are
// positive.
const (
	lowestXid  = math.MinInt32
	highestXid = -1 << 16
)

func isOurs(xid int32) bool { return xid <= highestXid }

// An Answer is the reply to a request of this package.
type Answer struct {
	Code wire.Code
	Body []byte
	// Seen is the number of the last event that the connection brought before.
	Seen uint64
}

var (
	// ErrEnded: the owner has ended. The request was not sent.
	ErrEnded = errors.New("ended")
	// ErrLost: the connection was lost before the answer.
	ErrLost = errors.New("connection lost")
)

// Ask makes a request. lost is closed when the owner has learnt that n is lost. The
// error is ErrEnded, ErrLost or that of ctx.
func (n *Conn) Ask(ctx context.Context, lost <-chan struct{}, op wire.Op, request wire.Appender) (Answer, error) {
	xid, frame, answers := n.expect(op, request)
	defer n.forget(xid)
	sends := n.owner.Go(func() { // which may block
		if !n.opts.Gate.Pass(n.closed) {
			return
		}
		if err := n.send(frame); err != nil {
			n.Fail(fmt.Errorf("write: %w", err))
		}
	})
	if !sends {
		return Answer{}, ErrEnded
	}
	select {
	case a := <-answers:
		return a, nil
	case <-lost:
		select {
		case a := <-answers: // it arrived just before
			return a, nil
		default:
			return Answer{}, ErrLost
		}
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// expect prepares for the reply to a request, and returns its xid and its frame.
func (n *Conn) expect(op wire.Op, r wire.Appender) (xid int32, frame []byte, answers <-chan Answer) {
	c := make(chan Answer, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	xid = n.nextXid
	if n.nextXid++; !isOurs(n.nextXid) {
		n.nextXid = lowestXid
	}
	n.asked[xid] = c
	frame = wire.AppendFrame(nil, &wire.RequestHeader{Xid: xid, Op: op}, r)
	n.sent[xid] = request{op: op, at: time.Now(), watches: watches(op, frame)}
	n.owner.Sent()
	return xid, frame, c
}

// forget is called when nobody waits for a reply any more.
func (n *Conn) forget(xid int32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.asked, xid)
}

// takeAnswer reads the reply that n.head begins, which the library does not get.
func (n *Conn) takeAnswer() error {
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
	n.mu.Unlock()
	if c != nil {
		c <- Answer{Code: replyCode(n.head), Body: frame[prefixSize+replyHeaderSize:], Seen: n.events}
	}
	return nil
}
