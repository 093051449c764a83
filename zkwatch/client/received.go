package client

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"electop/zkwatch/wire"
)

// Read implements net.Conn.
func (n *serverConn) Read(p []byte) (int, error) {
	if !n.c.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	k, err := n.ahead.Read(p)
	if !n.c.gate.Pass(n.closed) {
		return 0, net.ErrClosed
	}
	for rest, broken := p[:k], error(nil); len(rest) > 0; {
		var complete bool
		rest, complete, broken = n.in.feed(rest, n.isSettled(), n.sized, n.headed)
		if broken == nil && complete {
			broken = n.received()
		}
		if broken != nil {
			n.fail(broken)
			return 0, broken
		}
	}
	if err != nil {
		n.fail(n.explain(err))
	}
	return k, err
}

func (n *serverConn) isSettled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.settled
}

// sized checks the length of a frame that begins.
func (n *serverConn) sized(prefix [prefixSize]byte, size int) error {
	if !n.isSettled() {
		return connectResponseSize(prefix, size)
	}
	return replySize(size, n.c.cfg.MaxReply)
}

// headed checks the head of a frame before the library can have all of it.
func (n *serverConn) headed(head []byte, size int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.settled {
		if length := int32(binary.BigEndian.Uint32(head[16:])); length < -1 || int(length) > size-headSize {
			return fmt.Errorf("%w: a password of %d bytes", ErrNotZooKeeper, length)
		}
		return nil
	}
	r, ok := n.sent[int32(binary.BigEndian.Uint32(head))]
	if !ok {
		return nil
	}
	return replyCount(r.opcode, head, size)
}

// received acts on a complete frame.
func (n *serverConn) received() error {
	head := n.in.head[:min(headSize, n.in.size)]
	if !n.isSettled() {
		return n.connectResponse(head)
	}
	xid := int32(binary.BigEndian.Uint32(head))
	switch xid {
	case wire.XidWatch:
		return nil
	case wire.XidAuth:
		return n.authReply(int32(binary.BigEndian.Uint32(head[12:])))
	}
	n.mu.Lock()
	var at time.Time
	var zxid int64 // that a ping's answer names counts as little as in the Java client
	var small bool
	if xid == wire.XidPing {
		small = true
		if len(n.pings) > 0 {
			at, n.pings = n.pings[0], n.pings[1:]
		}
	} else if r, ok := n.sent[xid]; ok {
		at, zxid = r.at, int64(binary.BigEndian.Uint64(head[4:]))
		small = isRead(r.opcode) && n.in.size <= smallReply
		delete(n.sent, xid)
		if r.opcode == opCloseSession {
			close(n.goodbye)
		}
	}
	n.mu.Unlock()
	if !at.IsZero() {
		n.c.answered(n, at, zxid, small)
	}
	return nil
}
