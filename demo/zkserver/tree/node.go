package tree

import (
	"math"

	"electop/zkwatch/wire"
)

// ownerContainer is the owner of a container, which is no session.
const ownerContainer int64 = math.MinInt64

// isSession reports whether owner makes a node ephemeral.
func isSession(owner int64) bool {
	return owner != 0 && owner != ownerContainer
}

// A Node is a znode. Its creates counter is what numbers sequential children;
// clients see it as part of the cversion.
type Node struct {
	data                []byte // nil and empty differ on the wire
	acl                 []wire.ACL
	czxid, mzxid, pzxid int64
	ctime, mtime        int64 // milliseconds since 1970
	version, aversion   int32
	creates             int32 // children ever created, sequential or not
	owner               int64
	children            []string       // in no particular order
	index               map[string]int // of children; nil while there was none
}

// SetNextSequence sets the number of the next sequential child. It is for tests.
func (n *Node) SetNextSequence(next int32) { n.creates = next }

func (n *Node) addChild(name string) {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	n.index[name] = len(n.children)
	n.children = append(n.children, name)
}

// removeChild fills the gap with the last child.
func (n *Node) removeChild(name string) {
	i, ok := n.index[name]
	if !ok {
		return
	}
	last := len(n.children) - 1
	n.children[i] = n.children[last]
	n.index[n.children[i]] = i
	n.children[last] = ""
	n.children = n.children[:last]
	delete(n.index, name)
}

// Stat is what clients see: every create and every delete of a child counts
// in Cversion, which is 2*creates less the children there are, wrapping.
func (n *Node) Stat() wire.Stat {
	st := wire.Stat{
		Czxid: n.czxid, Mzxid: n.mzxid, Pzxid: n.pzxid, Ctime: n.ctime, Mtime: n.mtime,
		Version: n.version, Aversion: n.aversion,
		Cversion:    2*n.creates - int32(len(n.children)),
		DataLength:  int32(len(n.data)),
		NumChildren: int32(len(n.children)),
	}
	if isSession(n.owner) {
		st.EphemeralOwner = n.owner
	}
	return st
}

// Data returns the node's data, which is not to be changed.
func (n *Node) Data() []byte { return n.data }

// Children returns the names of the node's children in no particular order. They
// are not to be changed, and valid until the tree changes.
func (n *Node) Children() []string { return n.children }
