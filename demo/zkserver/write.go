package zkserver

import (
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// write carries out a request that takes a transaction, also when it fails.
func (s *Server) write(c *conn, op wire.Op, d *wire.Decoder) (wire.Appender, wire.Code) {
	s.zxid++
	x := tree.Txn{Zxid: s.zxid, Now: time.Now().UnixMilli()}
	w := tree.Writer{Who: c.who, Session: c.sess.ID}
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
	case wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return &wire.CreateResponse{Path: ch.Path, Stat: st}, wire.OK
	case wire.OpSetData, wire.OpSetACL:
		return &st, wire.OK
	}
	return nil, wire.OK
}

// multi carries out a transaction of several operations, all or none.
func (s *Server) multi(w tree.Writer, d *wire.Decoder, x tree.Txn) (wire.Appender, wire.Code) {
	var req wire.MultiRequest
	if req.Decode(d); d.Err() != nil {
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

// apply carries out a change, triggers the watches on it and returns the
// node's new Stat. The caller holds s.mu.
func (s *Server) apply(ch *tree.Change, x tree.Txn) wire.Stat {
	if s.appliedAt = x.Now; ch.Op != wire.OpCheck {
		s.note(entryChange, ch.Append)
	}
	done := s.tree.Apply(ch, x)
	switch ch.Op {
	case wire.OpCreate:
		if s.tree.Reapable() > 0 {
			s.armReaper()
		}
		s.trigger(ch.Path, wire.EventNodeCreated, done.ACL, nil)
		s.trigger(done.Parent, wire.EventNodeChildrenChanged, done.ParentACL, nil)
	case wire.OpDelete:
		w := s.tally(ch.Path, &done, x.Zxid)
		s.trigger(ch.Path, wire.EventNodeDeleted, done.ACL, w)
		w.Done()
		s.trigger(done.Parent, wire.EventNodeChildrenChanged, done.ParentACL, nil)
	case wire.OpSetData:
		s.trigger(ch.Path, wire.EventNodeDataChanged, done.ACL, nil)
	}
	return done.Stat
}

// armReaper starts the timer that looks for nodes to delete, unless it runs.
func (s *Server) armReaper() {
	if s.reaper == nil {
		s.reaper = s.clock.after(s.opts.ReapInterval, s.reap)
	}
}

// reap deletes the containers and TTL nodes that are due, each in a transaction
// of its own.
func (s *Server) reap() {
	s.reaper = nil
	if s.down {
		return
	}
	now := time.Now().UnixMilli()
	for _, path := range s.tree.Due(now) {
		s.zxid++
		ch := tree.Delete(path)
		s.apply(&ch, tree.Txn{Zxid: s.zxid, Now: now})
		s.seal()
	}
	if s.tree.Reapable() > 0 {
		s.armReaper()
	}
}
