package zkserver

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"electop/zkwatch/wire"
)

// Owners that are not sessions. A TTL node keeps its time to live, in
// milliseconds, in the low 40 bits.
const (
	ownerContainer int64 = math.MinInt64
	ownerTTL       int64 = -1 << 56
	maxTTL         int64 = 1<<40 - 1
)

// isSession reports whether owner makes a node ephemeral.
func isSession(owner int64) bool {
	return owner != 0 && owner != ownerContainer && owner&ownerTTL != ownerTTL
}

func isTTL(owner int64) bool { return owner&ownerTTL == ownerTTL }

// node is a znode. Its creates counter is what numbers sequential children;
// clients see it as part of the cversion.
type node struct {
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

func (n *node) addChild(name string) {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	n.index[name] = len(n.children)
	n.children = append(n.children, name)
}

// removeChild fills the gap with the last child.
func (n *node) removeChild(name string) {
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

// stat is what clients see: every create and every delete of a child counts
// in Cversion, which is 2*creates less the children there are, wrapping.
func (n *node) stat() wire.Stat {
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

// tree is the znodes by path, with indexes of the ones that have an owner.
type tree struct {
	nodes      map[string]*node
	root       *node
	ephemerals map[int64]map[string]struct{} // by session
	reapable   map[string]struct{}           // containers and TTL nodes
	bytes      int64                         // paths and data
}

var (
	openACL = []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
	readACL = []wire.ACL{{Perms: wire.PermRead, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
)

// newTree returns the tree of a fresh Apache server, down to the creates
// counters that do not count the nodes it came with.
func newTree() *tree {
	t := &tree{
		nodes:      make(map[string]*node),
		ephemerals: make(map[int64]map[string]struct{}),
		reapable:   make(map[string]struct{}),
	}
	for _, path := range []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"} {
		n := &node{data: []byte{}, acl: openACL}
		if path == "/zookeeper/config" {
			n.acl, n.aversion = readACL, -1
		}
		t.nodes[path] = n
		t.bytes += int64(len(path))
		if path != "/" {
			parent, name := split(path)
			t.get(parent).addChild(name)
		}
	}
	t.root = t.nodes["/"]
	return t
}

// get returns the node at path or nil. The empty path is the root as well.
func (t *tree) get(path string) *node {
	if path == "" {
		return t.nodes["/"]
	}
	return t.nodes[path]
}

// split cuts a path that contains a slash at the last one. The parent of
// /a is "".
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:i], path[i+1:]
}

// protected reports whether path must not be deleted.
func protected(path string) bool {
	switch path {
	case "/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota":
		return true
	}
	return false
}

func (t *tree) insert(path string, n *node) {
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
	default:
		t.reapable[path] = struct{}{}
	}
}

func (t *tree) remove(path string, n *node) {
	delete(t.nodes, path)
	t.bytes -= int64(len(path) + len(n.data))
	delete(t.reapable, path)
	if set := t.ephemerals[n.owner]; set != nil {
		delete(set, path)
		if len(set) == 0 {
			delete(t.ephemerals, n.owner)
		}
	}
}

// ephemeralsOf returns a session's nodes in the order of their creation.
func (t *tree) ephemeralsOf(id int64) []string {
	var paths []string
	for path := range t.ephemerals[id] {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.nodes[a].czxid, t.nodes[b].czxid), strings.Compare(a, b))
	})
	return paths
}

// descendants counts the nodes below path. All are below the empty one, which
// is before the root's slash.
func (t *tree) descendants(path string) int {
	switch {
	case t.get(path) == nil:
		return 0
	case path == "":
		return len(t.nodes)
	case path == "/":
		return len(t.nodes) - 1
	}
	sum := 0
	todo := []string{path}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, name := range t.nodes[p].children {
			sum++
			if child := p + "/" + name; len(t.nodes[child].children) > 0 {
				todo = append(todo, child)
			}
		}
	}
	return sum
}
