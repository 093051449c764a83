package zkserver

import (
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// handle executes a request. last reports that the connection must be closed after all queued and held output.
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
		return true, nil
	}
	c.stats.received++
	s.touch(c.sess)
	var w *count
	renewal := renewsLease(h.Op, *d)
	if !renewal && h.Op != wire.OpPing {
		w = c.sess.countRequest(len(frame) + 4)
	}
	defer w.done()
	if c.paced() {
		c.request = frame
		defer func() { c.request = nil }()
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
	if code == wire.Unimplemented && reply.Zxid == before { // unknown operation; even a refused write changes the zxid
		reply.Zxid = -1
	}
	c.stats.sent++
	if renewal { // a Pace does not hold the reply to a lease renewal
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

// dispatch returns a body that may alias the tree. After a malformed request the connection stays open, as in Apache.
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

// renewsLease matches a multi with only a check, with which a leader renews its lease.
func renewsLease(op wire.Op, d wire.Coder) bool {
	if op != wire.OpMulti {
		return false
	}
	var req wire.MultiRequest
	req.Fields(&d)
	return d.Err() == nil && len(req.Ops) == 1 && req.Ops[0].Op == wire.OpCheck
}

func (c *conn) answer(op wire.Op, d *wire.Coder) (body wire.Record, code wire.Code) {
	s := c.s
	switch op {
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		var req wire.PathWatchRequest
		if req.Fields(d); d.Err() != nil {
			break
		}
		return c.readNode(op, &req)
	case wire.OpGetACL, wire.OpGetAllChildrenNumber:
		var req wire.PathRequest
		if req.Fields(d); d.Err() != nil {
			break
		}
		if op == wire.OpGetACL {
			return s.tree.GetACL(c.who, req.Path)
		}
		return s.tree.CountBelow(c.who, req.Path)
	case wire.OpSync: // a single server is always up to date
		path, text := d.Rest(), ""
		if d.String(&text); d.Err() == nil {
			return echo(path[:len(path)-len(d.Rest())]), wire.OK
		}
	case wire.OpGetEphemerals:
		var req wire.GetEphemeralsRequest
		if req.Fields(d); d.Err() == nil {
			return s.tree.OwnedBelow(c.sess.id, req.Prefix), wire.OK
		}
	case wire.OpWhoAmI:
		return c.who.WhoAmI(), wire.OK
	case wire.OpMultiRead:
		var req wire.MultiRequest
		if req.Fields(d); d.Err() == nil {
			return s.tree.ReadAll(c.who, req.Ops)
		}
	case wire.OpSetWatches, wire.OpSetWatches2:
		var req wire.SetWatches2Request
		if op == wire.OpSetWatches {
			req.SetWatchesRequest.Fields(d)
		} else {
			req.Fields(d)
		}
		if d.Err() == nil {
			c.setWatches(&req)
			return nil, wire.OK
		}
	case wire.OpAddWatch:
		var req wire.AddWatchRequest
		if req.Fields(d); d.Err() != nil {
			break
		}
		switch req.Mode {
		case wire.WatchPersistent:
			s.watches.addLasting(c, req.Path, watchPersistent)
		case wire.WatchPersistentRecursive:
			s.watches.addLasting(c, req.Path, watchRecursive)
		default:
			return nil, wire.MarshallingError
		}
		return &wire.ErrorResponse{}, wire.OK
	case wire.OpCheckWatches:
		var req wire.WatcherTypeRequest
		if req.Fields(d); d.Err() == nil {
			return nil, s.watches.find(c, req.Type, req.Path, false)
		}
	case wire.OpRemoveWatches:
		var req wire.WatcherTypeRequest
		d.String(&req.Path) // null is read as ""
		if d.Int32(&req.Type); d.Err() == nil {
			return nil, s.watches.find(c, req.Type, req.Path, true)
		}
	default:
		return nil, wire.Unimplemented
	}
	return nil, wire.MarshallingError
}

func (c *conn) readNode(op wire.Op, req *wire.PathWatchRequest) (body wire.Record, code wire.Code) {
	s := c.s
	watches := &s.watches.data
	switch op {
	case wire.OpExists:
		body, code = s.tree.Exists(req.Path)
	case wire.OpGetData:
		body, code = s.tree.GetData(c.who, req.Path)
	default:
		body, code = s.tree.GetChildren(c.who, req.Path, op == wire.OpGetChildren2)
		watches = &s.watches.child
	}
	if req.Watch && (code == wire.OK || op == wire.OpExists && code == wire.NoNode) {
		watches.add(c, req.Path, watchOnce)
	}
	return body, code
}

type echo []byte

func (e echo) Fields(c *wire.Coder) { c.Raw((*[]byte)(&e)) }

func (s *Server) begin() tree.Txn {
	s.zxid++
	return tree.Txn{Zxid: s.zxid, Now: time.Now().UnixMilli()}
}

func (s *Server) apply(ch *tree.Change, x tree.Txn) wire.Stat {
	done := s.tree.Apply(ch, x)
	s.applied(ch.Op, ch.Path, x.Zxid, done)
	return done.Stat
}

// write executes a write, which takes a zxid even if it fails.
func (s *Server) write(w tree.Writer, op wire.Op, d *wire.Coder) (body wire.Record, code wire.Code) {
	x := s.begin()
	if op == wire.OpMulti {
		return s.multi(w, d, x)
	}
	ch, code := s.tree.Check(w, op, d)
	if code != wire.OK {
		return nil, code
	}
	st := s.apply(&ch, x)
	switch op {
	case wire.OpCreate:
		return &wire.PathResponse{Path: ch.Path}, wire.OK
	case wire.OpCreate2, wire.OpCreateContainer:
		return &wire.CreateResponse{Path: ch.Path, Stat: st}, wire.OK
	case wire.OpSetData, wire.OpSetACL:
		return &st, wire.OK
	}
	return nil, wire.OK
}

func (s *Server) multi(w tree.Writer, d *wire.Coder, x tree.Txn) (wire.Record, wire.Code) {
	var req wire.MultiRequest
	if req.Fields(d); d.Err() != nil {
		return nil, wire.MarshallingError
	}
	m, code := s.tree.CheckMulti(w, req.Ops)
	if code != wire.OK {
		return nil, code
	}
	if m.Failed != nil {
		return m.Failed, wire.OK
	}
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, len(m.Changes))}
	for i := range m.Changes {
		st := s.apply(&m.Changes[i], x)
		rsp.Results[i] = wire.MultiResult{Op: m.Answers[i], Path: m.Changes[i].Path, Stat: st}
	}
	return rsp, wire.OK
}

// deleteAll requires that each node exists and has no children.
func (s *Server) deleteAll(paths []string) {
	x := s.begin()
	for _, path := range paths {
		ch := tree.Change{Op: wire.OpDelete, Path: path}
		s.apply(&ch, x)
	}
}
