package zkserver

import (
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// handle carries out one request and queues the reply. last is set when the
// connection is to be closed once the reply is written.
func (c *conn) handle(frame []byte) (last bool, err error) {
	s := c.s
	begin := time.Now()
	d := wire.NewDecoder(frame)
	var h wire.RequestHeader
	if h.Fields(d); d.Err() != nil {
		return false, d.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.request(h.Op)
	if s.closed || c.gone {
		return true, nil // expired or moved meanwhile: nobody waits for an answer
	}
	c.stats.received++
	s.touch(c.sess)
	var w *count
	renewal := renewsLease(h.Op, *d)
	if !renewal && h.Op != wire.OpPing {
		w = c.sess.asks(len(frame) + 4)
	}
	defer w.done()
	if c.paced() {
		c.asked = frame
		defer func() { c.asked = nil }()
	}
	if h.Op == wire.OpAuth {
		var req wire.AuthRequest
		if req.Fields(d); d.Err() != nil {
			return false, d.Err()
		}
		if last = c.handleAuth(h, &req, w); last {
			c.retire()
		}
		return last, nil
	}
	before := s.zxid
	body, code := c.dispatch(h, d)
	reply := wire.ReplyHeader{Xid: h.Xid, Zxid: s.zxid, Err: code}
	if h.Op == wire.OpPing {
		reply.Xid = wire.XidPing
	}
	if code == wire.Unimplemented && reply.Zxid == before { // no such operation: not even a transaction
		reply.Zxid = -1
	}
	c.stats.sent++
	if renewal { // like a ping: slowness ends no lease
		c.write(&reply, body)
	} else {
		c.send(reply, body, w)
	}
	took := time.Since(begin)
	s.latency.add(took)
	c.stats.done(opLabel(h.Op), h.Xid, s.zxid, s.elapsed(), took)
	if last = h.Op == wire.OpCloseSession; last {
		c.retire()
	}
	return last, nil
}

// handleAuth answers with a header alone; failure also ends the connection.
func (c *conn) handleAuth(h wire.RequestHeader, req *wire.AuthRequest, w *count) (last bool) {
	reply := wire.ReplyHeader{Xid: h.Xid}
	who, ok := c.who.Authenticate(req, c.host)
	if c.who = who; !ok {
		c.s.counters.authFailed++
		reply.Err = wire.AuthFailed
	}
	c.stats.sent++
	c.send(reply, nil, w)
	return reply.Err != wire.OK
}

// dispatch returns the body of the reply, which may alias the tree, or an
// error. Malformed records are answered, not punished: so does Apache, which is
// of different minds about null paths.
func (c *conn) dispatch(h wire.RequestHeader, d *wire.Coder) (wire.Record, wire.Code) {
	switch h.Op {
	case wire.OpPing:
		return nil, wire.OK
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL,
		wire.OpDelete, wire.OpSetData, wire.OpSetACL, wire.OpCheck, wire.OpMulti:
		return c.s.write(tree.Writer{Who: c.who, Session: c.sess.id}, h.Op, d)
	case wire.OpCloseSession:
		c.s.endSession(c.sess)
		return nil, wire.OK
	}
	return c.answer(h.Op, d)
}

// renewsLease reports whether a request is a transaction of one check and
// nothing else. It changes nothing: clients send it as they send pings, to learn
// that their session lives.
func renewsLease(op wire.Op, d wire.Coder) bool {
	if op != wire.OpMulti {
		return false
	}
	var req wire.MultiRequest
	req.Fields(&d)
	return d.Err() == nil && len(req.Ops) == 1 && req.Ops[0].Op == wire.OpCheck
}
