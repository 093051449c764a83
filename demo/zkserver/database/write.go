package database

import (
	"time"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// Write carries out a request that takes a transaction, also when it fails. It returns
// the body of the reply, or an error.
func (db *Database[T]) Write(w tree.Writer, op wire.Op, d *wire.Decoder, now time.Time) (body wire.Appender, code wire.Code) {
	if op == wire.OpMulti {
		return db.multi(w, d, db.begin(now))
	}
	return db.single(w, op, d, db.begin(now))
}

// single carries out a write of one operation.
func (db *Database[T]) single(w tree.Writer, op wire.Op, d *wire.Decoder, x tree.Txn) (wire.Appender, wire.Code) {
	ch, code := db.Tree.Check(w, op, d)
	if code != wire.OK {
		return nil, code
	}
	st := db.apply(&ch, x)
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
func (db *Database[T]) multi(w tree.Writer, d *wire.Decoder, x tree.Txn) (wire.Appender, wire.Code) {
	var req wire.MultiRequest
	if req.Decode(d); d.Err() != nil {
		return nil, wire.MarshallingError
	}
	m, code := db.Tree.CheckMulti(w, req.Ops)
	if code != wire.OK {
		return nil, code
	}
	if m.Failed != nil {
		return m.Failed, wire.OK
	}
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, len(m.Changes))}
	for i := range m.Changes {
		st := db.apply(&m.Changes[i], x)
		rsp.Results[i] = wire.MultiResult{Op: m.Answers[i], Path: m.Changes[i].Path, Stat: st}
	}
	return rsp, wire.OK
}

// Reap deletes the containers that are due, each in a transaction of its own.
func (db *Database[T]) Reap(now time.Time) {
	for _, path := range db.Tree.Due() {
		ch := tree.Delete(path)
		db.apply(&ch, db.begin(now))
	}
}
