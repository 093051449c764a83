package zkserver

import (
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// begin numbers a transaction.
func (s *Server) begin() tree.Txn {
	s.zxid++
	return tree.Txn{Zxid: s.zxid, Now: time.Now().UnixMilli()}
}

// apply carries out a change and returns the node's new Stat.
func (s *Server) apply(ch *tree.Change, x tree.Txn) wire.Stat {
	done := s.tree.Apply(ch, x)
	s.applied(ch.Op, ch.Path, x.Zxid, done)
	return done.Stat
}

// write carries out a request that takes a transaction, also when it fails. It returns
// the body of the reply, or an error.
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

// multi carries out a transaction of several operations, all or none.
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

// deleteAll deletes znodes in a transaction.
func (s *Server) deleteAll(paths []string) {
	x := s.begin()
	for _, path := range paths {
		ch := tree.Delete(path)
		s.apply(&ch, x)
	}
}
