package zkserver

import (
	"slices"

	"electop/zkwatch/wire"
)

// renewsLease reports whether a request is a transaction of one check and
// nothing else. It changes nothing: clients send it as they send pings, to learn
// that their session lives.
func renewsLease(op wire.Op, frame []byte) bool {
	if op != wire.OpMulti {
		return false
	}
	d := wire.NewDecoder(frame)
	var h wire.RequestHeader
	h.Decode(d)
	var req wire.MultiRequest
	req.Decode(d)
	return d.Err() == nil && len(req.Ops) == 1 && req.Ops[0].Op == wire.OpCheck
}

// multi carries out a transaction. It always answers with one result for each
// operation; if one failed, the ones before it have no error of their own, it
// has its, and the ones after are inconsistent. It fails as a whole only when
// an operation has no place in a transaction, or no path.
func (s *Server) multi(c *conn, ops []wire.MultiOp, x txn) (*wire.MultiResponse, wire.Code) {
	if slices.ContainsFunc(ops, func(o wire.MultiOp) bool { return o.NoPath }) {
		return nil, wire.MarshallingError
	}
	v := view{t: s.tree, pending: make(map[string]record)}
	changes := make([]change, len(ops))
	kinds := make([]wire.Op, len(ops)) // what each answers as
	for i := range ops {
		ch, kind, code := v.checkOp(c, &ops[i])
		if code == wire.MarshallingError {
			return nil, code
		}
		if code != wire.OK {
			return failedMulti(len(ops), i, code), wire.OK
		}
		changes[i], kinds[i] = ch, kind
	}
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, len(ops))}
	for i := range changes {
		st := s.apply(&changes[i], x)
		rsp.Results[i] = wire.MultiResult{Op: kinds[i], Path: changes[i].path, Stat: st}
	}
	return rsp, wire.OK
}

// checkOp checks one operation of a multi. The kind of a create follows from
// its flags, whatever its operation code.
func (v *view) checkOp(c *conn, o *wire.MultiOp) (ch change, kind wire.Op, code wire.Code) {
	switch o.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		op, kind, ttl := wire.OpCreate, wire.OpCreate, int64(-1)
		m, _ := modeOf(o.Create.Flags)
		switch {
		case m.ttl && o.Op != wire.OpCreateTTL:
			return change{}, 0, wire.MarshallingError // there is no TTL to read
		case m.ttl:
			op, kind, ttl = wire.OpCreateTTL, wire.OpCreate2, o.TTL
		case m.container:
			op, kind = wire.OpCreateContainer, wire.OpCreate2
		}
		ch, code = v.checkCreate(c, op, &o.Create, ttl)
		return ch, kind, code
	case wire.OpDelete:
		ch, code = v.checkDelete(c, o.Path, o.Version)
	case wire.OpSetData:
		ch, code = v.checkSetData(c, o.Path, o.Data, o.Version)
	case wire.OpCheck:
		ch, code = v.checkVersion(c, o.Path, o.Version)
	default: // reads belong into a multiRead
		return change{}, 0, wire.MarshallingError
	}
	return ch, o.Op, code
}

func failedMulti(n, failed int, code wire.Code) *wire.MultiResponse {
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, n)}
	for i := range rsp.Results {
		rsp.Results[i].Op = wire.OpError
		switch {
		case i == failed:
			rsp.Results[i].Err = code
		case i > failed:
			rsp.Results[i].Err = wire.RuntimeInconsistency
		}
	}
	return rsp
}

// multiRead answers each read for itself. One of no path is an error, and so is
// a write, with the answers before it as its body.
func (s *Server) multiRead(c *conn, ops []wire.MultiOp) (wire.Appender, wire.Code) {
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, len(ops))}
	for i, o := range ops {
		r := &rsp.Results[i]
		if !o.Reads() || o.NoPath {
			rsp.Results = rsp.Results[:i]
			return rsp, wire.MarshallingError
		}
		n, code := s.readable(c, o.Path)
		if code != wire.OK {
			r.Op, r.Err = wire.OpError, code
			continue
		}
		r.Op = o.Op
		if o.Op == wire.OpGetData {
			r.Data, r.Stat = n.data, n.stat()
		} else {
			r.Children = n.children
		}
	}
	return rsp, wire.OK
}
