package tree

import (
	"electop/zkwatch/wire"
)

// A Txn identifies a transaction.
type Txn struct {
	Zxid int64
	Now  int64 // milliseconds since 1970
}

// A Change is one write that has passed its checks.
type Change struct {
	Op      wire.Op // OpCreate, OpDelete, OpSetData, OpSetACL or OpCheck
	Path    string
	data    []byte // owned by the change
	acl     []wire.ACL
	owner   int64
	version int32 // new version, or for a create the parent's creates counter
}

// Delete returns the deletion of a node that is there and has no children.
func Delete(path string) Change { return Change{Op: wire.OpDelete, Path: path} }

// An Effect is what a change did, for those who have to know.
type Effect struct {
	Stat      wire.Stat  // of the node afterwards; zero if it was deleted
	ACL       []wire.ACL // of the node
	Owner     int64      // of the node, a session if it was ephemeral
	Parent    string     // of a node that was created or deleted
	ParentACL []wire.ACL
}

// Apply carries out a change.
func (t *Tree) Apply(ch *Change, x Txn) Effect {
	switch ch.Op {
	case wire.OpCreate:
		parentPath, name := split(ch.Path)
		parent := t.Get(parentPath)
		// At 2^31-1 the counter jams: the addition has wrapped.
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
		return Effect{Stat: n.Stat(), ACL: n.acl, Owner: n.owner, Parent: orRoot(parentPath), ParentACL: parent.acl}
	case wire.OpDelete:
		n := t.Get(ch.Path)
		parentPath, name := split(ch.Path)
		parent := t.Get(parentPath)
		parent.removeChild(name)
		parent.pzxid = x.Zxid
		t.remove(ch.Path, n)
		return Effect{ACL: n.acl, Owner: n.owner, Parent: orRoot(parentPath), ParentACL: parent.acl}
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
