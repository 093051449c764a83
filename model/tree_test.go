package model_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
)

// tree is the part of a ZooKeeper that an election needs: one parent, its
// children, and the counters as the server keeps them.
type tree struct {
	zxid     int64
	now      time.Time
	exists   bool
	czxid    int64
	pzxid    int64
	creates  uint32
	deletes  uint32 // no server keeps this one
	children map[string]znode.Znode
}

const jammed = 1<<31 - 1

func newTree() *tree {
	return &tree{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), zxid: 0x100000000}
}

func (t *tree) createParent(creates uint32) {
	if t.exists {
		return
	}
	t.zxid++
	t.exists, t.czxid, t.pzxid = true, t.zxid, t.zxid
	t.creates, t.deletes, t.children = creates, creates, map[string]znode.Znode{}
}

func (t *tree) deleteParent() {
	for _, name := range t.names() {
		t.delete(name)
	}
	if t.exists {
		t.zxid++
		t.exists = false
	}
}

// create makes a child; sequential ones get the counter appended. It returns
// the name, "" if there was one or there is no parent.
func (t *tree) create(name string, sequential bool, session uint64, data string) string {
	if !t.exists {
		return ""
	}
	if sequential {
		name += fmt.Sprintf("%010d", int32(t.creates))
	}
	if _, ok := t.children[name]; ok {
		return ""
	}
	t.zxid++
	t.children[name] = znode.Znode{
		Name: name, Session: session, Czxid: t.zxid, Ctime: t.now.Truncate(time.Millisecond), Data: znode.NewData([]byte(data)),
	}
	if t.creates < jammed {
		t.creates++
		t.pzxid = t.zxid
	}
	return name
}

func (t *tree) delete(name string) {
	if _, ok := t.children[name]; !ok || !t.exists {
		return
	}
	t.zxid++
	delete(t.children, name)
	t.deletes++
	t.pzxid = t.zxid
}

func (t *tree) names() []string { return slices.Sorted(maps.Keys(t.children)) }

func (t *tree) stat() znode.Parent {
	n := int32(len(t.children))
	return znode.Parent{Czxid: t.czxid, Ctime: time.UnixMilli(1).UTC(), Cversion: int32(2*t.creates) - n, Children: n, Pzxid: t.pzxid}
}

// watcher reads a tree as an observer does: the list and the stat at once,
// then one child after another.
type watcher struct {
	tree  *tree
	czxid int64                  // of the parent read last; 0: none
	known map[string]znode.Znode // as read last
}

// read makes a Read. between runs before each read of a child. full reads
// everything anew.
func (w *watcher) read(full, gap bool, between func()) *model.Read {
	t := w.tree
	if !t.exists {
		w.czxid, w.known = 0, nil
		return &model.Read{At: t.now, Presence: model.Absent, Gap: gap}
	}
	r := &model.Read{At: t.now, Presence: model.Present, Parent: t.stat(), Full: full || w.czxid != t.czxid, Gap: gap}
	listed := t.names()
	before := w.known
	if r.Full {
		before = nil
	}
	known := make(map[string]znode.Znode, len(listed))
	for name := range before {
		if _, ok := t.children[name]; !ok {
			r.Gone = append(r.Gone, name)
		}
	}
	slices.Sort(r.Gone)
	w.czxid = t.czxid
	for _, name := range listed {
		if z, ok := before[name]; ok {
			known[name] = z
			continue
		}
		if between != nil {
			between()
		}
		z, ok := t.children[name]
		if !ok || !t.exists {
			r.New = append(r.New, znode.Znode{Name: name, Unread: true})
			continue
		}
		known[name] = z
		r.New = append(r.New, z)
	}
	w.known = known
	return r
}

// refresh reads one known child again; nil if it is gone.
func (w *watcher) refresh(name string) *model.Refresh {
	z, ok := w.tree.children[name]
	if _, known := w.known[name]; !ok || !known || !w.tree.exists || w.czxid != w.tree.czxid {
		return nil
	}
	w.known[name] = z
	return &model.Refresh{At: w.tree.now, Znode: z}
}

// queue is what the watcher should think of the election.
func (w *watcher) queue() (contenders []dialect.ID, others []string) {
	var zs []znode.Znode
	for _, z := range w.known {
		if _, ok := znode.Sequence(z.Name); ok && z.Session != 0 {
			zs = append(zs, z)
		} else {
			others = append(others, z.Name)
		}
	}
	slices.Sort(others)
	slices.SortFunc(zs, func(a, b znode.Znode) int {
		x, _ := znode.Sequence(a.Name)
		y, _ := znode.Sequence(b.Name)
		switch {
		case x != y:
			return int(x - y)
		case a.Czxid != b.Czxid:
			return int(a.Czxid - b.Czxid)
		}
		panic("one czxid twice")
	})
	for _, z := range zs {
		contenders = append(contenders, dialect.ID{Name: z.Name, Czxid: z.Czxid})
	}
	return contenders, others
}
