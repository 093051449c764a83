package zkserver

import (
	"slices"

	"electop/zkwatch/wire"
)

// A write goes in two steps. It is checked, without changing anything, in the
// order of checks that Apache has, and yields a change; then the change is
// applied, which cannot fail. A multi checks all its operations before it
// applies the first.

// txn identifies a transaction.
type txn struct {
	zxid int64
	now  int64 // milliseconds since 1970
}

// change is one write that has passed its checks.
type change struct {
	op      wire.Op // OpCreate, OpDelete, OpSetData, OpSetACL or OpCheck
	path    string
	data    []byte // owned by the change
	acl     []wire.ACL
	owner   int64
	version int32 // new version, or for a create the parent's creates counter
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
	t       *tree
	pending map[string]record
}

func (v *view) get(path string) (record, bool) {
	if path == "" {
		path = "/"
	}
	if r, ok := v.pending[path]; ok {
		return r, !r.missing
	}
	n := v.t.get(path)
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

func (v *view) checkDelete(c *conn, path string, version int32) (change, wire.Code) {
	if !hasParent(path) || protected(path) {
		return change{}, wire.BadArguments
	}
	parentPath, _ := split(path)
	parent, ok := v.get(parentPath)
	if !ok {
		return change{}, wire.NoNode
	}
	if !c.allowed(parent.acl, wire.PermDelete) {
		return change{}, wire.NoAuth
	}
	n, ok := v.get(path)
	if !ok {
		return change{}, wire.NoNode
	}
	if _, code := nextVersion(n.version, version); code != wire.OK {
		return change{}, code
	}
	if n.children > 0 {
		return change{}, wire.NotEmpty
	}
	parent.children--
	v.put(parentPath, parent)
	v.put(path, record{missing: true})
	return change{op: wire.OpDelete, path: path}, wire.OK
}

func (v *view) checkSetData(c *conn, path string, data []byte, version int32) (change, wire.Code) {
	if !validPath(path) {
		return change{}, wire.BadArguments
	}
	n, ok := v.get(path)
	if !ok {
		return change{}, wire.NoNode
	}
	if !c.allowed(n.acl, wire.PermWrite) {
		return change{}, wire.NoAuth
	}
	next, code := nextVersion(n.version, version)
	if code != wire.OK {
		return change{}, code
	}
	n.version = next
	v.put(path, n)
	return change{op: wire.OpSetData, path: path, data: slices.Clone(data), version: next}, wire.OK
}

func (v *view) checkSetACL(c *conn, req *wire.SetACLRequest) (change, wire.Code) {
	if !validPath(req.Path) {
		return change{}, wire.BadArguments
	}
	acl, ok := c.resolveACL(req.ACL)
	if !ok {
		return change{}, wire.InvalidACL
	}
	n, ok := v.get(req.Path)
	if !ok {
		return change{}, wire.NoNode
	}
	if !c.allowed(n.acl, wire.PermAdmin) {
		return change{}, wire.NoAuth
	}
	next, code := nextVersion(n.aversion, req.Version)
	return change{op: wire.OpSetACL, path: req.Path, acl: acl, version: next}, code
}

func (v *view) checkVersion(c *conn, path string, version int32) (change, wire.Code) {
	if !validPath(path) {
		return change{}, wire.BadArguments
	}
	n, ok := v.get(path)
	if !ok {
		return change{}, wire.NoNode
	}
	if !c.allowed(n.acl, wire.PermRead) {
		return change{}, wire.NoAuth
	}
	_, code := nextVersion(n.version, version)
	return change{op: wire.OpCheck, path: path}, code
}

// apply carries out a change, triggers the watches on it and returns the
// node's new Stat. The caller holds s.mu.
func (s *Server) apply(ch *change, x txn) wire.Stat {
	t := s.tree
	if s.appliedAt = x.now; ch.op != wire.OpCheck {
		s.note(ch.entry)
	}
	switch ch.op {
	case wire.OpCreate:
		parentPath, name := split(ch.path)
		parent := t.get(parentPath)
		// At 2^31-1 the counter jams: the addition has wrapped.
		if ch.version > parent.creates {
			parent.creates = ch.version
			parent.pzxid = x.zxid
		}
		n := &node{
			data: ch.data, acl: ch.acl, owner: ch.owner,
			czxid: x.zxid, mzxid: x.zxid, pzxid: x.zxid, ctime: x.now, mtime: x.now,
		}
		parent.addChild(name)
		t.insert(ch.path, n)
		if len(t.reapable) > 0 {
			s.armReaper()
		}
		st := n.stat()
		s.watches.trigger(s, &s.watches.data, ch.path, wire.EventNodeCreated, n.acl, nil, nil)
		s.watches.trigger(s, &s.watches.child, orRoot(parentPath), wire.EventNodeChildrenChanged, parent.acl, nil, nil)
		return st
	case wire.OpDelete:
		n := t.get(ch.path)
		parentPath, name := split(ch.path)
		parent := t.get(parentPath)
		parent.removeChild(name)
		parent.pzxid = x.zxid
		t.remove(ch.path, n)
		w := s.woken(ch.path, orRoot(parentPath), n, x.zxid)
		told := s.watches.trigger(s, &s.watches.data, ch.path, wire.EventNodeDeleted, n.acl, nil, w)
		w.done()
		s.watches.trigger(s, &s.watches.child, ch.path, wire.EventNodeDeleted, n.acl, told, nil)
		s.watches.trigger(s, &s.watches.child, orRoot(parentPath), wire.EventNodeChildrenChanged, parent.acl, nil, nil)
	case wire.OpSetData:
		n := t.get(ch.path)
		t.bytes += int64(len(ch.data) - len(n.data))
		n.data, n.version, n.mzxid, n.mtime = ch.data, ch.version, x.zxid, x.now
		st := n.stat()
		s.watches.trigger(s, &s.watches.data, ch.path, wire.EventNodeDataChanged, n.acl, nil, nil)
		return st
	case wire.OpSetACL:
		n := t.get(ch.path)
		n.acl, n.aversion = ch.acl, ch.version
		return n.stat()
	}
	return wire.Stat{}
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}
