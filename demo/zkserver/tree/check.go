package tree

import (
	"slices"

	"electop/zkwatch/wire"
)

// A write goes in two steps. It is checked, without changing anything, in the
// order of checks that Apache has, and yields a change; then the change is
// applied, which cannot fail. A multi checks all its operations before it
// applies the first.

// A Writer is a client that changes the tree. Session 0 is nobody's.
type Writer struct {
	Who     Identities
	Session int64
}

// record is the part of a node that checks look at.
type record struct {
	missing  bool
	version  int32
	aversion int32
	creates  int32
	children int
	owner    int64
	acl      []wire.ACL
}

// view is the tree as the next operation of a transaction finds it. pending
// holds what the ones before will have changed; nil if there is only one.
type view struct {
	t *Tree
	Writer
	pending map[string]record
}

func (v *view) get(path string) (record, bool) {
	if path == "" {
		path = "/"
	}
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

func (v *view) put(path string, r record) {
	if v.pending == nil {
		return
	}
	if path == "" {
		path = "/"
	}
	v.pending[path] = r
}

// nextVersion checks the version a client expects, -1 for any, and returns
// the one after.
func nextVersion(current, expected int32) (int32, wire.Code) {
	if expected != -1 && expected != current {
		return 0, wire.BadVersion
	}
	return current + 1, wire.OK
}

// Check reads the request of a single write and checks it.
func (t *Tree) Check(w Writer, op wire.Op, d *wire.Decoder) (ch Change, code wire.Code) {
	v := view{t: t, Writer: w}
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer:
		var req wire.CreateRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkCreate(op, &req)
		}
	case wire.OpCreateTTL:
		var req wire.CreateTTLRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkCreate(op, &req.CreateRequest)
		}
	case wire.OpDelete:
		var req wire.PathVersionRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkDelete(req.Path, req.Version)
		}
	case wire.OpCheck:
		path, version := d.String(), d.Int32() // null is no path, and no malformed record
		if d.Err() == nil {
			ch, code = v.checkVersion(path, version)
		}
	case wire.OpSetData:
		var req wire.SetDataRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkSetData(req.Path, req.Data, req.Version)
		}
	case wire.OpSetACL:
		var req wire.SetACLRequest
		if req.Decode(d); d.Err() == nil {
			ch, code = v.checkSetACL(&req)
		}
	}
	if d.Err() != nil {
		return Change{}, wire.MarshallingError
	}
	return ch, code
}

func (v *view) checkDelete(path string, version int32) (Change, wire.Code) {
	if !hasParent(path) || protected(path) {
		return Change{}, wire.BadArguments
	}
	parentPath, _ := split(path)
	parent, ok := v.get(parentPath)
	if !ok {
		return Change{}, wire.NoNode
	}
	if !v.Who.May(parent.acl, wire.PermDelete) {
		return Change{}, wire.NoAuth
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

func (v *view) checkSetData(path string, data []byte, version int32) (Change, wire.Code) {
	if !validPath(path) {
		return Change{}, wire.BadArguments
	}
	n, ok := v.get(path)
	if !ok {
		return Change{}, wire.NoNode
	}
	if !v.Who.May(n.acl, wire.PermWrite) {
		return Change{}, wire.NoAuth
	}
	next, code := nextVersion(n.version, version)
	if code != wire.OK {
		return Change{}, code
	}
	n.version = next
	v.put(path, n)
	return Change{Op: wire.OpSetData, Path: path, data: slices.Clone(data), version: next}, wire.OK
}

func (v *view) checkSetACL(req *wire.SetACLRequest) (Change, wire.Code) {
	if !validPath(req.Path) {
		return Change{}, wire.BadArguments
	}
	acl, ok := v.Who.resolve(req.ACL)
	if !ok {
		return Change{}, wire.InvalidACL
	}
	n, ok := v.get(req.Path)
	if !ok {
		return Change{}, wire.NoNode
	}
	if !v.Who.May(n.acl, wire.PermAdmin) {
		return Change{}, wire.NoAuth
	}
	next, code := nextVersion(n.aversion, req.Version)
	return Change{Op: wire.OpSetACL, Path: req.Path, acl: acl, version: next}, code
}

func (v *view) checkVersion(path string, version int32) (Change, wire.Code) {
	if !validPath(path) {
		return Change{}, wire.BadArguments
	}
	n, ok := v.get(path)
	if !ok {
		return Change{}, wire.NoNode
	}
	if !v.Who.May(n.acl, wire.PermRead) {
		return Change{}, wire.NoAuth
	}
	_, code := nextVersion(n.version, version)
	return Change{Op: wire.OpCheck, Path: path}, code
}
