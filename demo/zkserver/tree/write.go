package tree

import (
	"cmp"
	"fmt"
	"slices"

	"electop/zkwatch/wire"
)

// A Writer is a client that changes the tree. Session 0 means that there is no session.
type Writer struct {
	Who     Identities
	Session int64
}

type record struct {
	missing  bool
	version  int32
	aversion int32
	creates  int32
	children int
	owner    int64
	acl      []wire.ACL
}

// A view is the tree as if the operations checked so far were applied.
type view struct {
	t *Tree
	Writer
	pending map[string]record // nodes that these operations change; nil except in a multi
}

func (v *view) get(path string) (record, bool) {
	path = cmp.Or(path, "/")
	if r, ok := v.pending[path]; ok {
		return r, !r.missing
	}
	n := v.t.Get(path)
	if n == nil {
		return record{}, false
	}
	return record{
		version: n.version, aversion: n.aversion, creates: n.creates,
		children: len(n.children), owner: n.owner, acl: n.acl,
	}, true
}

func (v *view) permitted(path string, perm int32) (record, wire.Code) {
	n, ok := v.get(path)
	switch {
	case !ok:
		return n, wire.NoNode
	case !v.Who.May(n.acl, perm):
		return n, wire.NoAuth
	}
	return n, wire.OK
}

func (v *view) put(path string, r record) {
	if v.pending != nil {
		v.pending[cmp.Or(path, "/")] = r
	}
}

func nextVersion(current, expected int32) (int32, wire.Code) {
	if expected != -1 && expected != current {
		return 0, wire.BadVersion
	}
	return current + 1, wire.OK
}

// Check decodes and checks the request of a single write.
func (t *Tree) Check(w Writer, op wire.Op, d *wire.Coder) (ch Change, code wire.Code) {
	v := view{t: t, Writer: w}
	if op == wire.OpSetACL {
		var req wire.SetACLRequest
		if req.Fields(d); d.Err() != nil {
			return Change{}, wire.MarshallingError
		}
		return v.checkSetACL(&req)
	}
	o := wire.MultiOp{Op: op}
	if o.Fields(d); d.Err() != nil || op == wire.OpDelete && o.NoPath {
		return Change{}, wire.MarshallingError
	}
	switch op {
	case wire.OpDelete:
		return v.checkDelete(o.Path, o.Version)
	case wire.OpSetData, wire.OpCheck:
		return v.checkVersion(&o)
	}
	return v.checkCreate(op, &o.Create)
}

func (v *view) checkDelete(path string, version int32) (Change, wire.Code) {
	if !splittable(path) || slices.Contains(protected, path) {
		return Change{}, wire.BadArguments
	}
	parentPath, _ := split(path)
	parent, code := v.permitted(parentPath, wire.PermDelete)
	if code != wire.OK {
		return Change{}, code
	}
	n, ok := v.get(path)
	if !ok {
		return Change{}, wire.NoNode
	}
	if _, code := nextVersion(n.version, version); code != wire.OK {
		return Change{}, code
	}
	if n.children > 0 {
		return Change{}, wire.NotEmpty
	}
	parent.children--
	v.put(parentPath, parent)
	v.put(path, record{missing: true})
	return Change{Op: wire.OpDelete, Path: path}, wire.OK
}

func (v *view) checkVersion(o *wire.MultiOp) (Change, wire.Code) {
	perm := wire.PermRead
	if o.Op == wire.OpSetData {
		perm = wire.PermWrite
	}
	if wire.ValidatePath(o.Path) != nil {
		return Change{}, wire.BadArguments
	}
	n, code := v.permitted(o.Path, perm)
	if code != wire.OK {
		return Change{}, code
	}
	next, code := nextVersion(n.version, o.Version)
	if code != wire.OK || o.Op == wire.OpCheck {
		return Change{Op: wire.OpCheck, Path: o.Path}, code
	}
	n.version = next
	v.put(o.Path, n)
	return Change{Op: wire.OpSetData, Path: o.Path, data: slices.Clone(o.Data), version: next}, wire.OK
}

func (v *view) checkSetACL(req *wire.SetACLRequest) (Change, wire.Code) {
	if wire.ValidatePath(req.Path) != nil {
		return Change{}, wire.BadArguments
	}
	acl, ok := v.Who.resolve(req.ACL)
	if !ok {
		return Change{}, wire.InvalidACL
	}
	n, code := v.permitted(req.Path, wire.PermAdmin)
	if code != wire.OK {
		return Change{}, code
	}
	next, code := nextVersion(n.aversion, req.Version)
	return Change{Op: wire.OpSetACL, Path: req.Path, acl: acl, version: next}, code
}

func hasTTL(flags int32) bool { return flags == wire.FlagTTL || flags == wire.FlagTTLSequential }

// checkCreate refuses TTL nodes, as Apache does without extendedTypesEnabled.
func (v *view) checkCreate(op wire.Op, req *wire.CreateRequest) (Change, wire.Code) {
	switch {
	case req.Flags < 0 || req.Flags > wire.FlagTTLSequential:
		return Change{}, wire.BadArguments
	case hasTTL(req.Flags):
		return Change{}, wire.Unimplemented
	case op == wire.OpCreateTTL:
		return Change{}, wire.BadArguments
	}
	if req.NoPath {
		return Change{}, wire.MarshallingError
	}
	if !splittable(req.Path) {
		return Change{}, wire.BadArguments
	}
	acl, ok := v.Who.resolve(req.ACL)
	if !ok {
		return Change{}, wire.InvalidACL
	}
	path := req.Path
	parentPath, _ := split(path)
	parent, code := v.permitted(parentPath, wire.PermCreate)
	if code != wire.OK {
		return Change{}, code
	}
	if req.Flags&wire.FlagSequential != 0 {
		path = fmt.Sprintf("%s%010d", path, parent.creates)
	}
	if wire.ValidatePath(path) != nil {
		return Change{}, wire.BadArguments
	}
	if _, exists := v.get(path); exists {
		return Change{}, wire.NodeExists
	}
	if isSession(parent.owner) {
		return Change{}, wire.NoChildrenForEphemerals
	}
	var owner int64
	switch {
	case op == wire.OpCreateContainer:
		owner = ownerContainer
	case req.Flags&wire.FlagEphemeral != 0:
		owner = v.Session
	}
	parent.children++
	parent.creates++ // wraps after 2^31-1; see Apply
	v.put(parentPath, parent)
	v.put(path, record{owner: owner, acl: acl})
	return Change{
		Op: wire.OpCreate, Path: path, data: slices.Clone(req.Data), acl: acl, owner: owner, version: parent.creates,
	}, wire.OK
}

// A Multi is the result of the checks of a multi.
type Multi struct {
	Changes []Change            // one for each operation; nil if an operation failed
	Answers []wire.Op           // the Op of each result; nil if an operation failed
	Failed  *wire.MultiResponse // the reply if an operation failed, otherwise nil
}

// CheckMulti checks each operation as if the previous operations were applied, until one fails or is malformed.
// A malformed operation gives the code MarshallingError. A failed operation gives OK and Multi.Failed.
func (t *Tree) CheckMulti(w Writer, ops []wire.MultiOp) (Multi, wire.Code) {
	if slices.ContainsFunc(ops, func(o wire.MultiOp) bool { return o.NoPath || o.Create.NoPath }) {
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

func (v *view) checkOp(o *wire.MultiOp) (ch Change, kind wire.Op, code wire.Code) {
	switch o.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		op, kind := wire.OpCreate, wire.OpCreate
		switch {
		case hasTTL(o.Create.Flags) && o.Op != wire.OpCreateTTL:
			return Change{}, 0, wire.MarshallingError // only createTTL has a TTL
		case o.Create.Flags == wire.FlagContainer:
			op, kind = wire.OpCreateContainer, wire.OpCreate2
		}
		ch, code = v.checkCreate(op, &o.Create)
		return ch, kind, code
	case wire.OpDelete:
		ch, code = v.checkDelete(o.Path, o.Version)
		return ch, o.Op, code
	case wire.OpSetData, wire.OpCheck:
		ch, code = v.checkVersion(o)
		return ch, o.Op, code
	}
	return Change{}, 0, wire.MarshallingError // reads belong in a multiRead
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

// A Txn identifies a transaction.
type Txn struct {
	Zxid int64
	Now  int64 // milliseconds since 1970
}

// A Change is one write that has passed its checks.
type Change struct {
	Op      wire.Op // OpCreate, OpDelete, OpSetData, OpSetACL or OpCheck
	Path    string
	data    []byte // a copy that the tree may keep
	acl     []wire.ACL
	owner   int64
	version int32 // the new version or aversion; for a create: the parent's new creates counter
}

// An Effect describes what a change did.
type Effect struct {
	Stat      wire.Stat  // the node's new Stat; zero after OpDelete and OpCheck
	ACL       []wire.ACL // the node's ACL; nil after OpCheck
	Owner     int64      // owner of a created or deleted node; for an ephemeral node: its session
	Parent    string     // parent of a created or deleted node
	ParentACL []wire.ACL
}

// Apply applies a change that passed its checks.
func (t *Tree) Apply(ch *Change, x Txn) Effect {
	switch ch.Op {
	case wire.OpCreate:
		parentPath, name := split(ch.Path)
		parent := t.Get(parentPath)
		// If the new counter has wrapped, creates and pzxid do not change, as in Apache.
		if ch.version > parent.creates {
			parent.creates = ch.version
			parent.pzxid = x.Zxid
		}
		n := &Node{
			data: ch.data, acl: ch.acl, owner: ch.owner,
			czxid: x.Zxid, mzxid: x.Zxid, pzxid: x.Zxid, ctime: x.Now, mtime: x.Now,
		}
		parent.addChild(name)
		t.insert(ch.Path, n)
		return Effect{Stat: n.Stat(), ACL: n.acl, Owner: n.owner, Parent: cmp.Or(parentPath, "/"), ParentACL: parent.acl}
	case wire.OpDelete:
		n := t.Get(ch.Path)
		parentPath, name := split(ch.Path)
		parent := t.Get(parentPath)
		parent.removeChild(name)
		parent.pzxid = x.Zxid
		t.remove(ch.Path, n)
		return Effect{ACL: n.acl, Owner: n.owner, Parent: cmp.Or(parentPath, "/"), ParentACL: parent.acl}
	case wire.OpSetData:
		n := t.Get(ch.Path)
		t.bytes += int64(len(ch.data) - len(n.data))
		n.data, n.version, n.mzxid, n.mtime = ch.data, ch.version, x.Zxid, x.Now
		return Effect{Stat: n.Stat(), ACL: n.acl}
	case wire.OpSetACL:
		n := t.Get(ch.Path)
		n.acl, n.aversion = ch.acl, ch.version
		return Effect{Stat: n.Stat(), ACL: n.acl}
	}
	return Effect{}
}
