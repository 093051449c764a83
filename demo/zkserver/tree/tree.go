// Package tree implements the znode tree of a ZooKeeper server, without sessions, watches
// and connections. The caller locks the tree, and gives each transaction its zxid and time.
//
// A write takes two steps. [Tree.Check], or [Tree.CheckMulti] for a multi, makes the checks
// in Apache's order and does not change the tree. [Tree.Apply] applies a checked [Change],
// cannot fail, and returns an [Effect] for the watches. All operations of a multi are checked
// before the first is applied.
package tree

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"electop/zkwatch/wire"
)

// A Tree holds the znodes by path, with indexes of ephemeral nodes and containers.
type Tree struct {
	NewestFirst bool // GetChildren lists the newest child first

	nodes      map[string]*Node
	ephemerals map[int64]map[string]struct{} // paths of each session's ephemeral nodes
	owned      int                           // number of all ephemeral nodes
	containers map[string]struct{}
	bytes      int64 // size of all paths and data
}

var (
	openACL = []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
	readACL = []wire.ACL{{Perms: wire.PermRead, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
)

// protected holds the nodes of a new tree, parents first. No client can delete them.
var protected = []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"}

// New returns the tree of a new Apache server, in which the cversion of the root is -1.
func New() *Tree {
	t := &Tree{
		nodes:      make(map[string]*Node),
		ephemerals: make(map[int64]map[string]struct{}),
		containers: make(map[string]struct{}),
	}
	for _, path := range protected {
		n := &Node{data: []byte{}, acl: openACL}
		if path == "/zookeeper/config" {
			n.acl, n.aversion = readACL, -1
		}
		t.nodes[path] = n
		t.bytes += int64(len(path))
		if path != "/" {
			parent, name := split(path)
			t.Get(parent).addChild(name)
		}
	}
	return t
}

// Get returns the node at path or nil. The empty path also means the root.
func (t *Tree) Get(path string) *Node { return t.nodes[cmp.Or(path, "/")] }

func (t *Tree) insert(path string, n *Node) {
	t.nodes[path] = n
	t.bytes += int64(len(path) + len(n.data))
	switch {
	case n.owner == 0:
	case isSession(n.owner):
		set := t.ephemerals[n.owner]
		if set == nil {
			set = make(map[string]struct{})
			t.ephemerals[n.owner] = set
		}
		set[path] = struct{}{}
		t.owned++
	default:
		t.containers[path] = struct{}{}
	}
}

func (t *Tree) remove(path string, n *Node) {
	delete(t.nodes, path)
	t.bytes -= int64(len(path) + len(n.data))
	delete(t.containers, path)
	if set := t.ephemerals[n.owner]; set != nil {
		delete(set, path)
		t.owned--
		if len(set) == 0 {
			delete(t.ephemerals, n.owner)
		}
	}
}

// EphemeralsOf returns the paths of a session's ephemeral nodes, sorted by czxid and path.
func (t *Tree) EphemeralsOf(id int64) []string {
	var paths []string
	for path := range t.ephemerals[id] {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.nodes[a].czxid, t.nodes[b].czxid), strings.Compare(a, b))
	})
	return paths
}

// Len returns the number of nodes, the root included.
func (t *Tree) Len() int { return len(t.nodes) }

// Bytes returns the size of all paths and data.
func (t *Tree) Bytes() int64 { return t.bytes }

// Ephemerals returns the number of ephemeral nodes.
func (t *Tree) Ephemerals() int { return t.owned }

// Containers returns the number of containers.
func (t *Tree) Containers() int { return len(t.containers) }

// Due returns the paths of the containers to delete: those that had children and have none now.
func (t *Tree) Due() []string {
	var due []string
	for path := range t.containers {
		if n := t.nodes[path]; len(n.children) == 0 && n.creates > 0 {
			due = append(due, path)
		}
	}
	slices.Sort(due)
	return due
}

// ownerContainer marks a container, like Apache's CONTAINER_EPHEMERAL_OWNER.
const ownerContainer int64 = math.MinInt64

func isSession(owner int64) bool {
	return owner != 0 && owner != ownerContainer
}

// A Node is a znode.
type Node struct {
	data                []byte // nil and empty differ on the wire
	acl                 []wire.ACL
	czxid, mzxid, pzxid int64
	ctime, mtime        int64 // milliseconds since 1970
	version, aversion   int32
	creates             int32 // the next sequence number; a create of a child adds 1, up to 2^31-1
	owner               int64
	children            []string       // in no particular order
	index               map[string]int // index of each name in children; nil until the first child
}

// SetNextSequence sets the number of the next sequential child.
func (n *Node) SetNextSequence(next int32) { n.creates = next }

// Children returns the names of the children in no particular order. The slice is valid until the next change.
func (n *Node) Children() []string { return n.children }

func (n *Node) addChild(name string) {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	n.index[name] = len(n.children)
	n.children = append(n.children, name)
}

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

// Stat returns the node's Stat. It derives Cversion as Apache does.
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

func splittable(path string) bool {
	return strings.IndexByte(path, '/') >= 0 && strings.IndexByte(path, 0) < 0
}

// split splits a path before its last name. The parent of /a is "".
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

func (t *Tree) readable(who Identities, path string, perms int32) (*Node, wire.Code) {
	n := t.Get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	if !who.May(n.acl, perms) {
		return nil, wire.NoAuth
	}
	return n, wire.OK
}

// Exists returns a node's Stat. It needs no permission.
func (t *Tree) Exists(path string) (wire.Record, wire.Code) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, wire.BadArguments
	}
	n := t.Get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	st := n.Stat()
	return &st, wire.OK
}

// GetData returns a node's data and Stat. The reply is valid until the next change.
func (t *Tree) GetData(who Identities, path string) (wire.Record, wire.Code) {
	n, code := t.readable(who, path, wire.PermRead)
	if code != wire.OK {
		return nil, code
	}
	return &wire.DataResponse{Data: n.data, Stat: n.Stat()}, wire.OK
}

// GetChildren returns the names of a node's children. The reply is valid until the next change.
func (t *Tree) GetChildren(who Identities, path string, withStat bool) (wire.Record, wire.Code) {
	n, code := t.readable(who, path, wire.PermRead)
	if code != wire.OK {
		return nil, code
	}
	names := n.children
	if t.NewestFirst {
		names, path = slices.Clone(names), strings.TrimSuffix(path, "/")
		slices.SortFunc(names, func(a, b string) int {
			return cmp.Compare(t.Get(path+"/"+b).czxid, t.Get(path+"/"+a).czxid)
		})
	}
	if withStat {
		return &wire.Children2Response{Children: names, Stat: n.Stat()}, wire.OK
	}
	return &wire.StringsResponse{Strings: names}, wire.OK
}

// CountBelow returns the number of descendants of path; the empty path also counts the root.
func (t *Tree) CountBelow(who Identities, path string) (wire.Record, wire.Code) {
	if _, code := t.readable(who, path, wire.PermRead); code != wire.OK {
		return nil, code
	}
	rsp, above := &wire.CountResponse{}, strings.TrimSuffix(path, "/")+"/"
	for p := range t.nodes {
		if strings.HasPrefix(p, above) && (p != "/" || path == "") {
			rsp.Count++
		}
	}
	return rsp, wire.OK
}

// OwnedBelow lists a session's ephemeral nodes whose path begins with the string prefix.
func (t *Tree) OwnedBelow(session int64, prefix string) wire.Record {
	if trimmed := strings.TrimSpace(prefix); trimmed == "" || trimmed == "/" {
		prefix = ""
	}
	rsp := &wire.StringsResponse{}
	for _, path := range t.EphemeralsOf(session) {
		if strings.HasPrefix(path, prefix) {
			rsp.Strings = append(rsp.Strings, path)
		}
	}
	return rsp
}

// GetACL returns a node's ACL. It hides password hashes from clients that may not change the ACL.
func (t *Tree) GetACL(who Identities, path string) (wire.Record, wire.Code) {
	n, code := t.readable(who, path, wire.PermRead|wire.PermAdmin)
	if code != wire.OK {
		return nil, code
	}
	acl := n.acl
	if !who.May(acl, wire.PermAdmin) {
		acl = slices.Clone(acl)
		for i, a := range acl {
			if a.ID.Scheme == "digest" {
				user, _, _ := strings.Cut(a.ID.ID, ":")
				acl[i].ID.ID = user + ":x"
			}
		}
	}
	return &wire.ACLResponse{ACL: acl, Stat: n.Stat()}, wire.OK
}

// ReadAll executes reads and returns their results, which are valid until the next change. At a write, or a read
// without a path, it returns the earlier results and MarshallingError.
func (t *Tree) ReadAll(who Identities, ops []wire.MultiOp) (wire.Record, wire.Code) {
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, len(ops))}
	for i, o := range ops {
		r := &rsp.Results[i]
		if !o.Reads() || o.NoPath {
			rsp.Results = rsp.Results[:i]
			return rsp, wire.MarshallingError
		}
		n, code := t.readable(who, o.Path, wire.PermRead)
		if code != wire.OK {
			r.Op, r.Err = wire.OpError, code
			continue
		}
		r.Op = o.Op
		if o.Op == wire.OpGetData {
			r.Data, r.Stat = n.data, n.Stat()
		} else {
			r.Children = n.children
		}
	}
	return rsp, wire.OK
}
