package tree

import (
	"iter"
	"slices"

	"electop/zkwatch/wire"
)

// Changes and nodes are written to a file and read from it, see package
// datafile.

// Append encodes a change.
func (ch *Change) Append(b []byte) []byte {
	b = wire.AppendInt32(b, int32(ch.Op))
	b = wire.AppendBuffer(wire.AppendString(b, ch.Path), ch.data)
	b = appendACL(b, ch.acl)
	return wire.AppendInt32(wire.AppendInt64(b, ch.owner), ch.version)
}

// Append encodes a node as it is, except for its children.
func (n *Node) Append(b []byte, path string) []byte {
	b = wire.AppendBuffer(wire.AppendString(b, path), n.data)
	b = appendACL(b, n.acl)
	for _, v := range []int64{n.czxid, n.mzxid, n.pzxid, n.ctime, n.mtime, n.owner} {
		b = wire.AppendInt64(b, v)
	}
	for _, v := range []int32{n.version, n.aversion, n.creates} {
		b = wire.AppendInt32(b, v)
	}
	return b
}

// DecodeChange is the opposite of [Change.Append].
func DecodeChange(d *wire.Decoder) Change {
	return Change{Op: wire.Op(d.Int32()), Path: d.String(), data: slices.Clone(d.Buffer()), acl: decodeACL(d), owner: d.Int64(), version: d.Int32()}
}

// Restore reads what [Node.Append] wrote and makes the node what it was. Its
// parent has to be there.
func (t *Tree) Restore(d *wire.Decoder) {
	path := d.String()
	n := &Node{data: slices.Clone(d.Buffer()), acl: decodeACL(d)}
	for _, v := range []*int64{&n.czxid, &n.mzxid, &n.pzxid, &n.ctime, &n.mtime, &n.owner} {
		*v = d.Int64()
	}
	for _, v := range []*int32{&n.version, &n.aversion, &n.creates} {
		*v = d.Int32()
	}
	if d.Err() == nil {
		t.put(path, n)
	}
}

// put makes a node what it was, one that comes with a server too.
func (t *Tree) put(path string, n *Node) {
	if old := t.nodes[path]; old != nil {
		n.children, n.index = old.children, old.index
		t.remove(path, old)
	} else {
		parent, name := split(path)
		t.Get(parent).addChild(name)
	}
	t.insert(path, n)
}

// All yields the nodes: parents before their children, children in their order.
func (t *Tree) All() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		for todo := []string{"/"}; len(todo) > 0; {
			path := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			n := t.nodes[path]
			if !yield(path, n) {
				return
			}
			prefix := path
			if path != "/" {
				prefix += "/"
			}
			for _, name := range slices.Backward(n.children) {
				todo = append(todo, prefix+name)
			}
		}
	}
}

func appendACL(b []byte, acl []wire.ACL) []byte {
	b = wire.AppendInt32(b, int32(len(acl)))
	for _, a := range acl {
		b = wire.AppendString(wire.AppendString(wire.AppendInt32(b, a.Perms), a.ID.Scheme), a.ID.ID)
	}
	return b
}

func decodeACL(d *wire.Decoder) (acl []wire.ACL) {
	for n := d.Int32(); n > 0 && d.Err() == nil; n-- {
		acl = append(acl, wire.ACL{Perms: d.Int32(), ID: wire.ID{Scheme: d.String(), ID: d.String()}})
	}
	if slices.Equal(acl, openACL) {
		return openACL // shared by nearly all nodes
	}
	return acl
}
