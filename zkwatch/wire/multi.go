package wire

import "encoding/binary"

// A MultiOp is one operation of a [MultiRequest]. Which fields count depends
// on Op: Create and TTL for the creates, Path for all others, Version for
// delete, setData and check, Data for setData, Watch for the reads.
type MultiOp struct {
	Op      Op
	Create  CreateRequest
	TTL     int64 // milliseconds; createTTL only
	Path    string
	Data    []byte
	Version int32
	Watch   bool
	// NoPath says that there was null in place of the path, which reads as "".
	NoPath bool
}

// Reads reports whether it belongs into a multiRead.
func (o *MultiOp) Reads() bool { return o.Op == OpGetData || o.Op == OpGetChildren }

// A MultiRequest is the request of multi (writes and checks, all or nothing)
// and of multiRead (getData and getChildren, each for itself).
type MultiRequest struct{ Ops []MultiOp }

// multiHeader precedes every element and, with done set, ends the list.
func appendMultiHeader(b []byte, op Op, done bool, err Code) []byte {
	b = AppendInt32(b, int32(op))
	b = appendBool(b, done)
	return AppendInt32(b, int32(err))
}

func decodeMultiHeader(d *Decoder) (op Op, done bool) {
	op, done = Op(d.Int32()), d.Bool()
	d.Int32()
	return op, done || d.err != nil
}

// Append writes an operation that cannot be part of a multi without a body.
func (r *MultiRequest) Append(b []byte) []byte {
	for i := range r.Ops {
		o := &r.Ops[i]
		b = appendMultiHeader(b, o.Op, false, -1)
		path := len(b) // is what comes first
		switch o.Op {
		case OpCreate, OpCreate2, OpCreateContainer:
			b = o.Create.Append(b)
		case OpCreateTTL:
			b = AppendInt64(o.Create.Append(b), o.TTL)
		case OpDelete, OpCheck:
			b = AppendInt32(AppendString(b, o.Path), o.Version)
		case OpSetData:
			b = AppendInt32(AppendBuffer(AppendString(b, o.Path), o.Data), o.Version)
		case OpGetData, OpGetChildren:
			b = appendBool(AppendString(b, o.Path), o.Watch)
		}
		if o.NoPath && len(b) > path {
			binary.BigEndian.PutUint32(b[path:], 1<<32-1)
		}
	}
	return appendMultiHeader(b, -1, true, -1)
}

// Decode fails on an operation that cannot be part of a multi, and on reads
// among writes.
func (r *MultiRequest) Decode(d *Decoder) {
	r.Ops = nil
	for {
		op, done := decodeMultiHeader(d)
		if done {
			break
		}
		o := MultiOp{Op: op, NoPath: d.null()}
		switch op {
		case OpCreate, OpCreate2, OpCreateContainer:
			o.Create.Decode(d)
		case OpCreateTTL:
			o.Create.Decode(d)
			o.TTL = d.Int64()
		case OpDelete, OpCheck:
			o.Path, o.Version = d.String(), d.Int32()
		case OpSetData:
			o.Path, o.Data, o.Version = d.String(), d.Buffer(), d.Int32()
		case OpGetData, OpGetChildren:
			o.Path, o.Watch = d.String(), d.Bool()
		default:
			d.fail("operation in a multi: " + op.String())
		}
		if len(r.Ops) > 0 && o.Reads() != r.Ops[0].Reads() {
			d.fail("reads and writes in a multi")
		}
		r.Ops = append(r.Ops, o)
	}
	if d.err != nil {
		r.Ops = nil
	}
}

// A MultiResult is the outcome of one operation. Op is OpError when it failed
// (or, in a multi, when another one did); then only Err counts. Creates of
// containers and TTL nodes answer as create2.
type MultiResult struct {
	Op       Op
	Err      Code
	Path     string // create, create2
	Stat     Stat   // create2, setData, getData
	Data     []byte // getData
	Children []string
}

// A MultiResponse answers multi and multiRead, one result for each operation.
type MultiResponse struct{ Results []MultiResult }

func (r *MultiResponse) Append(b []byte) []byte {
	for i := range r.Results {
		m := &r.Results[i]
		b = appendMultiHeader(b, m.Op, false, m.Err)
		switch m.Op {
		case OpCreate:
			b = AppendString(b, m.Path)
		case OpCreate2:
			b = m.Stat.Append(AppendString(b, m.Path))
		case OpSetData:
			b = m.Stat.Append(b)
		case OpGetData:
			b = m.Stat.Append(AppendBuffer(b, m.Data))
		case OpGetChildren:
			b = appendStrings(b, m.Children)
		case OpError:
			b = AppendInt32(b, int32(m.Err))
		}
	}
	return appendMultiHeader(b, -1, true, -1)
}

func (r *MultiResponse) Decode(d *Decoder) {
	r.Results = nil
	for {
		op, done := decodeMultiHeader(d)
		if done {
			break
		}
		m := MultiResult{Op: op}
		switch op {
		case OpCreate:
			m.Path = d.Path()
		case OpCreate2:
			m.Path = d.Path()
			m.Stat.Decode(d)
		case OpDelete, OpCheck:
		case OpSetData:
			m.Stat.Decode(d)
		case OpGetData:
			m.Data = d.Buffer()
			m.Stat.Decode(d)
		case OpGetChildren:
			m.Children = d.Strings()
		case OpError:
			m.Err = Code(d.Int32())
		default:
			d.fail("operation in a multi response: " + op.String())
		}
		r.Results = append(r.Results, m)
	}
	if d.err != nil {
		r.Results = nil
	}
}
