package client

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"electop/zkwatch/fault"
	"electop/zkwatch/wire"
)

// Read implements net.Conn. It returns bytes of one frame.
func (n *serverConn) Read(p []byte) (k int, err error) {
	if !n.conn.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	if n.left == 0 {
		err = n.begin()
	}
	if err == nil {
		if k, err = n.ahead.Read(p[:min(len(p), n.left)]); err != nil {
			err = n.explain(err)
		} else if n.left -= k; n.left == 0 {
			err = n.received()
		}
	}
	if err != nil {
		n.fail(err)
		return 0, err
	}
	return k, nil
}

// readConn reads for ahead. What arrives while the gate is shut has not arrived yet.
func (n *serverConn) readConn(p []byte) (int, error) {
	k, err := n.Conn.Read(p)
	if !n.conn.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	return k, err
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func (n *serverConn) isSettled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.settled
}

// begin checks the head of the next frame that is for the library before that can have
// any of it, and takes the zxid out of a reply.
func (n *serverConn) begin() error {
	for {
		if err := n.beginFrame(); err != nil {
			return err
		}
		if !n.isSettled() || !isOurs(xidOf(n.head)) {
			return nil
		}
		if err := n.takeAnswer(); err != nil {
			return err
		}
	}
}

// beginFrame checks the head of the next frame.
func (n *serverConn) beginFrame() error {
	prefix, err := n.ahead.Peek(prefixSize)
	if err != nil {
		return n.explain(err)
	}
	settled, size := n.isSettled(), int(int32(binary.BigEndian.Uint32(prefix)))
	if settled {
		err = replySize(size, n.conn.cfg.MaxReply)
	} else {
		err = connectResponseSize(prefix, size)
	}
	if err != nil {
		return err
	}
	frame, err := n.ahead.Peek(prefixSize + min(headSize, size))
	if err != nil {
		return n.explain(err)
	}
	n.size, n.left = size, prefixSize+size
	n.head = append(n.head[:0], frame[prefixSize:]...)
	if settled {
		clear(frame[8:16])
		if xidOf(n.head) == wire.XidWatch {
			return n.noteEvent()
		}
		return n.checkReply()
	}
	if length := int32(binary.BigEndian.Uint32(n.head[16:])); length < -1 || int(length) > size-headSize {
		return fmt.Errorf("%w: a password of %d bytes", ErrNotZooKeeper, length)
	}
	return nil
}

// checkReply checks the head of a reply.
func (n *serverConn) checkReply() error {
	if replyCode(n.head) == wire.AuthRequired {
		return n.authRequired()
	}
	n.mu.Lock()
	r, ok := n.sent[xidOf(n.head)]
	n.mu.Unlock()
	switch {
	case !ok:
		return nil
	case r.joins && replyCode(n.head) == wire.OK && n.conn.cfg.Replies.Lose():
		return fault.ErrReplyLost
	}
	return replyCount(r.op, n.head, n.size)
}

// received handles a complete frame.
func (n *serverConn) received() error {
	if !n.isSettled() {
		return n.connectResponse(n.head)
	}
	xid := xidOf(n.head)
	switch xid {
	case wire.XidWatch:
		return nil
	case wire.XidAuth:
		return n.authReply(replyCode(n.head))
	}
	n.mu.Lock()
	var at time.Time
	var zxid int64 // of a ping's answer it does not count, as in the Java client
	var small bool
	if xid == wire.XidPing {
		small = true
		if len(n.pings) > 0 {
			at, n.pings = n.pings[0], n.pings[1:]
		}
	} else if r, ok := n.sent[xid]; ok {
		at, zxid = r.at, int64(binary.BigEndian.Uint64(n.head[4:]))
		small = isRead(r.op) && n.size <= smallReply
		delete(n.sent, xid)
		n.replaced(r.watches)
		if r.op == wire.OpCloseSession {
			close(n.goodbye)
		}
	}
	n.mu.Unlock()
	if !at.IsZero() {
		n.conn.answered(n, at, zxid, small)
	}
	return nil
}
