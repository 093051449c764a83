package modeltest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"electop/model"
	"electop/model/znode"
)

// Tree is the part of a ZooKeeper server that an election needs: one parent and its children.
type Tree struct {
	Zxid     int64
	Now      time.Time
	Exists   bool
	czxid    int64  // of the parent
	Pzxid    int64  // of the parent
	Creates  uint32 // of children
	Deletes  uint32 // of children; a real server does not count deletes
	Children map[string]znode.Znode
}

// CreatesMax is the number of creates after which a server stops counting.
const CreatesMax = 1<<31 - 1

func NewTree() *Tree {
	return &Tree{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Zxid: 0x100000000}
}

func (t *Tree) CreateParent(creates uint32) {
	if t.Exists {
		return
	}
	t.Zxid++
	t.Exists, t.czxid, t.Pzxid = true, t.Zxid, t.Zxid
	t.Creates, t.Deletes, t.Children = creates, creates, map[string]znode.Znode{}
}

func (t *Tree) DeleteParent() {
	for _, name := range t.Names() {
		t.Delete(name)
	}
	if t.Exists {
		t.Zxid++
		t.Exists = false
	}
}

func (t *Tree) Create(name string, sequential bool, session uint64, data string) string {
	if !t.Exists {
		return ""
	}
	if sequential {
		name += fmt.Sprintf("%010d", int32(t.Creates))
	}
	if _, ok := t.Children[name]; ok {
		return ""
	}
	t.Zxid++
	t.Children[name] = znode.Znode{
		Name: name, Session: session, Czxid: t.Zxid, Ctime: t.Now.Truncate(time.Millisecond), Data: znode.NewData([]byte(data)),
	}
	if t.Creates < CreatesMax {
		t.Creates++
		t.Pzxid = t.Zxid
	}
	return name
}

func (t *Tree) Delete(name string) {
	if _, ok := t.Children[name]; !ok || !t.Exists {
		return
	}
	t.Zxid++
	delete(t.Children, name)
	t.Deletes++
	t.Pzxid = t.Zxid
}

func (t *Tree) Names() []string { return slices.Sorted(maps.Keys(t.Children)) }

func (t *Tree) Stat() znode.Parent {
	n := int32(len(t.Children))
	return znode.Parent{Czxid: t.czxid, Ctime: time.UnixMilli(1).UTC(), Cversion: int32(2*t.Creates) - n, Children: n, Pzxid: t.Pzxid}
}

// Watcher reads a tree as package observer does: first the list with the stat, then the children.
type Watcher struct {
	Tree  *Tree
	Czxid int64                  // of the last parent; 0: none
	Known map[string]znode.Znode // the last children; a child that was deleted during the read is Unread
}

// Read reads only changes, unless full is true or the parent is new. Before it reads a child, Read runs between().
func (w *Watcher) Read(full, gap bool, between func()) *model.Read {
	t := w.Tree
	if !t.Exists {
		w.Czxid, w.Known = 0, nil
		return &model.Read{At: t.Now, Presence: model.Absent, Gap: gap}
	}
	r := &model.Read{At: t.Now, Presence: model.Present, Parent: t.Stat(), Full: full || w.Czxid != t.czxid, Gap: gap}
	listed := t.Names()
	if w.Czxid != t.czxid {
		w.Known = nil // the children in Known belong to another parent
	}
	before := w.Known
	if r.Full {
		before = nil
	}
	known := make(map[string]znode.Znode, len(listed))
	for name, z := range before {
		if _, ok := t.Children[name]; !ok || z.Unread {
			r.Gone = append(r.Gone, name)
		}
	}
	slices.Sort(r.Gone)
	w.Czxid = t.czxid
	for _, name := range listed {
		if z, ok := before[name]; ok && !z.Unread {
			known[name] = z
			continue
		}
		if between != nil {
			between()
		}
		z, ok := t.Children[name]
		if !ok || !t.Exists {
			r.New = append(r.New, znode.Znode{Name: name, Unread: true})
			z = w.Known[name] // the value of an earlier read, if any
			z.Name, z.Unread = name, true
			known[name] = z
			continue
		}
		known[name] = z
		r.New = append(r.New, z)
	}
	w.Known = known
	return r
}

func (w *Watcher) Refresh(name string) *model.Refresh {
	z, ok := w.Tree.Children[name]
	if k, known := w.Known[name]; !ok || !known || k.Unread || !w.Tree.Exists || w.Czxid != w.Tree.czxid {
		return nil
	}
	w.Known[name] = z
	return &model.Refresh{At: w.Tree.Now, Znode: z}
}

// Stat computes the cversion as DataNode.copyStat of ZooKeeper does. creates counts all creates of children.
func Stat(czxid int64, creates uint32, children int32) znode.Parent {
	return znode.Parent{Czxid: czxid, Cversion: int32(2*creates) - children, Children: children, Pzxid: czxid + int64(creates)}
}
