package tree

import (
	"slices"

	"electop/zkwatch/wire"
)

// A Multi is a transaction that was checked.
type Multi struct {
	Changes []Change            // if all operations passed
	Answers []wire.Op           // what each is answered as
	Failed  *wire.MultiResponse // if one did not pass
}

// CheckMulti checks a transaction: each operation against the tree as the ones
// before would leave it. A transaction is always answered with one result for
// each operation; if one failed, the ones before it have no error of their own,
// it has its, and the ones after are inconsistent. It fails as a whole, with a
// code, only when an operation has no place in a transaction, or no path.
func (t *Tree) CheckMulti(w Writer, ops []wire.MultiOp) (Multi, wire.Code) {
	if slices.ContainsFunc(ops, func(o wire.MultiOp) bool { return o.NoPath }) {
		return Multi{}, wire.MarshallingError
	}
	v := view{t: t, Writer: w, pending: make(map[string]record)}
	m := Multi{Changes: make([]Change, len(ops)), Answers: make([]wire.Op, len(ops))}
	for i := range ops {
		var code wire.Code
		m.Changes[i], m.Answers[i], code = v.checkOp(&ops[i])
		if code == wire.MarshallingError {
			return Multi{}, code
		}
		if code != wire.OK {
			return Multi{Failed: failedMulti(len(ops), i, code)}, wire.OK
		}
	}
	return m, wire.OK
}

// checkOp checks one operation of a multi. The kind of a create follows from
// its flags, whatever its operation code.
func (v *view) checkOp(o *wire.MultiOp) (ch Change, kind wire.Op, code wire.Code) {
	switch o.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		op, kind := wire.OpCreate, wire.OpCreate
		m, _ := modeOf(o.Create.Flags)
		switch {
		case m.ttl && o.Op != wire.OpCreateTTL:
			return Change{}, 0, wire.MarshallingError // there is no TTL to read
		case m.container:
			op, kind = wire.OpCreateContainer, wire.OpCreate2
		}
		ch, code = v.checkCreate(op, &o.Create)
		return ch, kind, code
	case wire.OpDelete:
		ch, code = v.checkDelete(o.Path, o.Version)
	case wire.OpSetData:
		ch, code = v.checkSetData(o.Path, o.Data, o.Version)
	case wire.OpCheck:
		ch, code = v.checkVersion(o.Path, o.Version)
	default: // reads belong into a multiRead
		return Change{}, 0, wire.MarshallingError
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
