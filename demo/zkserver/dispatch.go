package zkserver

import "electop/zkwatch/wire"

// handle carries out one request and queues the reply. last is set when the
// connection is to be closed once the reply is written.
func (s *Server) handle(c *conn, frame []byte) (last bool, err error) {
	begin := s.clock.Now()
	d := wire.NewDecoder(frame)
	var h wire.RequestHeader
	if h.Decode(d); d.Err() != nil {
		return false, d.Err()
	}
	s.counters.request(h.Op)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.cut != 0 {
		c.await(func() bool { return c.cut == 0 })
		begin = s.clock.Now()
	}
	if s.closed || c.gone {
		return true, nil // expired or moved meanwhile: nobody waits for an answer
	}
	c.stats.received++
	s.touch(c.sess)
	var w *wake
	renewal := renewsLease(h.Op, frame)
	if !renewal {
		w = c.sess.asks(h.Op, len(frame)+4)
	}
	if w != nil {
		defer w.done()
	}
	if c.holder() != nil {
		c.asked = frame
		defer func() { c.asked = nil }()
	}
	if h.Op == wire.OpAuth {
		var req wire.AuthRequest
		if req.Decode(d); d.Err() != nil {
			return false, d.Err()
		}
		if last = s.handleAuth(c, h, &req, w); last {
			s.retire(c)
		}
		return last, nil
	}
	body, code := s.dispatch(c, h, d)
	s.seal()
	if c.sess.loseCreate && code == wire.OK && creates(h.Op, body) {
		c.sess.loseCreate = false
		s.detach(c)
		return true, nil // what was queued before is delivered
	}
	reply := wire.ReplyHeader{Xid: h.Xid, Zxid: s.zxid, Err: code}
	if h.Op == wire.OpPing {
		reply.Xid = wire.XidPing
	}
	if code == wire.Unimplemented {
		reply.Zxid = -1
	}
	c.stats.sent++
	if renewal { // like a ping: slowness ends no lease
		c.sendNow(reply, body)
	} else {
		c.send(reply, body, w)
	}
	took := s.clock.Now().Sub(begin)
	s.latency.add(took)
	c.stats.done(s, opLabel(h.Op), h.Xid, took)
	if last = h.Op == wire.OpCloseSession; last {
		s.retire(c)
	}
	return last, nil
}

// handleAuth answers with a header alone; failure also ends the connection.
func (s *Server) handleAuth(c *conn, h wire.RequestHeader, req *wire.AuthRequest, w *wake) (last bool) {
	reply := wire.ReplyHeader{Xid: h.Xid}
	if !c.authenticate(req) {
		s.counters.authFailed.Add(1)
		reply.Err = wire.AuthFailed
	}
	c.stats.sent++
	c.send(reply, nil, w)
	return reply.Err != wire.OK
}

// dispatch returns the body of the reply, which may alias the tree, or an
// error. Malformed records are answered, not punished: so does Apache, which is
// of different minds about null paths.
func (s *Server) dispatch(c *conn, h wire.RequestHeader, d *wire.Decoder) (wire.Appender, wire.Code) {
	switch h.Op {
	case wire.OpPing:
		return nil, wire.OK
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL,
		wire.OpDelete, wire.OpSetData, wire.OpSetACL, wire.OpCheck, wire.OpMulti:
		return s.write(c, h.Op, d)
	case wire.OpReconfig: // joining, leaving, new members; the configuration's id
		_, _, _, _ = d.String(), d.String(), d.String(), d.Int64()
		if d.Err() != nil {
			return nil, wire.MarshallingError
		}
		s.zxid++
		return nil, wire.ReconfigDisabled
	case wire.OpCloseSession:
		s.endSession(c.sess, false)
		return nil, wire.OK
	}
	return s.read(c, h.Op, d)
}

// write carries out a request that takes a transaction, also when it fails.
func (s *Server) write(c *conn, op wire.Op, d *wire.Decoder) (wire.Appender, wire.Code) {
	s.zxid++
	x := txn{zxid: s.zxid, now: s.clock.Now().UnixMilli()}
	v := view{t: s.tree}
	var ch change
	var code wire.Code
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer:
		var req wire.CreateRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkCreate(c, op, &req, -1)
		}
	case wire.OpCreateTTL:
		var req wire.CreateTTLRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkCreate(c, op, &req.CreateRequest, req.TTL)
		}
	case wire.OpDelete:
		var req wire.PathVersionRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkDelete(c, req.Path, req.Version)
		}
	case wire.OpCheck:
		path, version := d.String(), d.Int32() // null is no path, and no malformed record
		if d.Err() == nil {
			ch, code = v.checkVersion(c, path, version)
		}
	case wire.OpSetData:
		var req wire.SetDataRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkSetData(c, req.Path, req.Data, req.Version)
		}
	case wire.OpSetACL:
		var req wire.SetACLRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkSetACL(c, &req)
		}
	case wire.OpMulti:
		var req wire.MultiRequest
		if req.Decode(d); d.Err() == nil {
			rsp, code := s.multi(c, req.Ops, x)
			if code != wire.OK {
				return nil, code
			}
			return rsp, wire.OK
		}
	}
	if d.Err() != nil {
		return nil, wire.MarshallingError
	}
	if code != wire.OK {
		return nil, code
	}
	st := s.apply(&ch, x)
	switch op {
	case wire.OpCreate:
		return &wire.PathResponse{Path: ch.path}, wire.OK
	case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return &wire.CreateResponse{Path: ch.path, Stat: st}, wire.OK
	case wire.OpSetData, wire.OpSetACL:
		return &st, wire.OK
	}
	return nil, wire.OK
}

// read carries out a request that changes nothing in the tree.
func (s *Server) read(c *conn, op wire.Op, d *wire.Decoder) (body wire.Appender, code wire.Code) {
	switch op {
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		var req wire.PathWatchRequest
		if req.Decode(d); d.Err() != nil {
			break
		}
		switch op {
		case wire.OpExists:
			return s.exists(c, &req)
		case wire.OpGetData:
			return s.getData(c, &req)
		}
		return s.getChildren(c, &req, op == wire.OpGetChildren2)
	case wire.OpGetACL, wire.OpGetAllChildrenNumber:
		var req wire.PathRequest
		if req.Decode(d); d.Err() != nil {
			break
		}
		if op == wire.OpGetACL {
			return s.getACL(c, req.Path)
		}
		return s.getAllChildrenNumber(c, req.Path)
	case wire.OpSync: // there is nothing to catch up with
		path := d.Rest()
		if _ = d.String(); d.Err() == nil {
			return echo(path[:len(path)-len(d.Rest())]), wire.OK // null too
		}
	case wire.OpGetEphemerals:
		var req wire.GetEphemeralsRequest
		if req.Decode(d); d.Err() == nil {
			return s.getEphemerals(c, req.Prefix), wire.OK
		}
	case wire.OpWhoAmI:
		return c.whoAmI(), wire.OK
	case wire.OpMultiRead:
		var req wire.MultiRequest
		if req.Decode(d); d.Err() == nil {
			return s.multiRead(c, req.Ops)
		}
	case wire.OpSetWatches:
		var req wire.SetWatches2Request
		if req.SetWatchesRequest.Decode(d); d.Err() == nil {
			s.setWatches(c, &req)
			return nil, wire.OK
		}
	case wire.OpSetWatches2:
		var req wire.SetWatches2Request
		if req.Decode(d); d.Err() == nil {
			s.setWatches(c, &req)
			return nil, wire.OK
		}
	case wire.OpAddWatch:
		var req wire.AddWatchRequest
		if req.Decode(d); d.Err() != nil {
			break
		}
		switch req.Mode {
		case wire.WatchPersistent:
			s.addWatch(c, req.Path, watchPersistent)
		case wire.WatchPersistentRecursive:
			s.addWatch(c, req.Path, watchRecursive)
		default:
			return nil, wire.MarshallingError
		}
		return &wire.ErrorResponse{}, wire.OK
	case wire.OpCheckWatches:
		var req wire.WatcherTypeRequest
		if req.Decode(d); d.Err() == nil {
			return nil, s.checkWatches(c, &req, false)
		}
	case wire.OpRemoveWatches:
		req := wire.WatcherTypeRequest{Path: d.String(), Type: d.Int32()} // nobody watches null
		if d.Err() == nil {
			return nil, s.checkWatches(c, &req, true)
		}
	default:
		return nil, wire.Unimplemented
	}
	return nil, wire.MarshallingError
}

// echo is a piece of a request that comes back as it is.
type echo []byte

func (e echo) Append(b []byte) []byte { return append(b, e...) }
