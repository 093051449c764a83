// Package tree is the znodes of a ZooKeeper server as a data structure: with
// their Stats, their ACLs and who owns them, but without sessions, watches or
// connections. The caller has the lock and the clock, and numbers transactions.
//
// A write goes in two steps. [Tree.Check], or [Tree.CheckMulti] for a
// transaction of several operations, looks whether it may be done, and gives a
// [Change]; [Tree.Apply] does it, cannot fail, and returns an [Effect], for
// the watchers. Reads answer a client's request at once.
package tree

import (
	"cmp"
	"slices"
	"strings"

	"electop/zkwatch/wire"
)

// A Tree is the znodes by path, with indexes of the ones that have an owner.
type Tree struct {
	nodes      map[string]*Node
	ephemerals map[int64]map[string]struct{} // by session
	owned      int                           // ephemeral nodes
	reapable   map[string]struct{}           // containers
	bytes      int64                         // paths and data
}

var (
	openACL = []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
	readACL = []wire.ACL{{Perms: wire.PermRead, ID: wire.ID{Scheme: "world", ID: "anyone"}}}
)

// New returns the tree of a fresh Apache server, down to the creates
// counters that do not count the nodes it came with.
func New() *Tree {
	t := &Tree{
		nodes:      make(map[string]*Node),
		ephemerals: make(map[int64]map[string]struct{}),
		reapable:   make(map[string]struct{}),
	}
	for _, path := range []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"} {
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

// Get returns the node at path or nil. The empty path is the root as well.
func (t *Tree) Get(path string) *Node {
	if path == "" {
		return t.nodes["/"]
	}
	return t.nodes[path]
}

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
		t.reapable[path] = struct{}{}
	}
}

func (t *Tree) remove(path string, n *Node) {
	delete(t.nodes, path)
	t.bytes -= int64(len(path) + len(n.data))
	delete(t.reapable, path)
	if set := t.ephemerals[n.owner]; set != nil {
		delete(set, path)
		t.owned--
		if len(set) == 0 {
			delete(t.ephemerals, n.owner)
		}
	}
}

// EphemeralsOf returns a session's nodes in the order of their creation.
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

// descendants counts the nodes below path. All are below the empty one, which
// is before the root's slash.
func (t *Tree) descendants(path string) int {
	switch {
	case t.Get(path) == nil:
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

// Len returns the number of nodes, the root included.
func (t *Tree) Len() int { return len(t.nodes) }

// Bytes returns the size of all paths and data.
func (t *Tree) Bytes() int64 { return t.bytes }

// Ephemerals returns the number of ephemeral nodes.
func (t *Tree) Ephemerals() int { return t.owned }

// Reapable returns the number of containers.
func (t *Tree) Reapable() int { return len(t.reapable) }

// Due returns the containers that had children once and have none now.
func (t *Tree) Due() []string {
	var due []string
	for path := range t.reapable {
		if n := t.nodes[path]; len(n.children) == 0 && n.creates > 0 {
			due = append(due, path)
		}
	}
	slices.Sort(due)
	return due
}
