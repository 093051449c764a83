// Package watch remembers who watches what in a ZooKeeper server. It knows
// neither the tree nor connections: a [Watcher] is a client that has watches, and what
// has happened to a path is said with [Table.Trigger], which finds those who are
// to be told. The caller has the lock.
package watch

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"electop/zkwatch/wire"
)

// A Mode is a set: a watcher may watch a path in several ways at once.
type Mode uint8

const (
	Once       Mode = 1 << iota // gone when it fires
	Persistent                  // stays
	Recursive                   // stays, and covers what is below

	anyMode = Once | Persistent | Recursive
)

// A Watcher has watches, in both tables, until it is forgotten.
type Watcher[T any] struct {
	Owner       T
	data, child map[string]struct{} // paths
	forgotten   bool
}

// Tables are the watches of all. Those on data and existence (left by exists and
// getData) and those on children (getChildren) are apart.
type Tables[T any] struct {
	Data, Child Table[T]
	recursive   int // in both tables; 0 spares the walk up the path
}

// A Table holds one of the two kinds, by path and by watcher.
type Table[T any] struct {
	all      *Tables[T]
	paths    map[string]map[*Watcher[T]]Mode
	own      func(*Watcher[T]) *map[string]struct{}
	total    int // pairs of path and watcher
	watchers int // with at least one
}

// New returns empty tables.
func New[T any]() *Tables[T] {
	ts := new(Tables[T])
	ts.Data = Table[T]{
		all:   ts,
		paths: make(map[string]map[*Watcher[T]]Mode),
		own:   func(w *Watcher[T]) *map[string]struct{} { return &w.data },
	}
	ts.Child = Table[T]{
		all:   ts,
		paths: make(map[string]map[*Watcher[T]]Mode),
		own:   func(w *Watcher[T]) *map[string]struct{} { return &w.child },
	}
	return ts
}

// Add leaves a watch.
func (t *Table[T]) Add(w *Watcher[T], path string, m Mode) {
	if w.forgotten {
		return
	}
	at := t.paths[path]
	if at == nil {
		at = make(map[*Watcher[T]]Mode)
		t.paths[path] = at
	}
	old, ok := at[w]
	at[w] = old | m
	if m&^old&Recursive != 0 {
		t.all.recursive++
	}
	if ok {
		return
	}
	t.total++
	own := t.own(w)
	if *own == nil {
		*own = make(map[string]struct{})
	}
	if len(*own) == 0 {
		t.watchers++
	}
	(*own)[path] = struct{}{}
}

// remove takes modes away, of a watch that is there.
func (t *Table[T]) remove(w *Watcher[T], path string, m Mode) {
	at := t.paths[path]
	old := at[w]
	if old&m&Recursive != 0 {
		t.all.recursive--
	}
	if left := old &^ m; left != 0 {
		at[w] = left
		return
	}
	delete(at, w)
	if len(at) == 0 {
		delete(t.paths, path)
	}
	t.total--
	own := t.own(w)
	delete(*own, path)
	if len(*own) == 0 {
		t.watchers--
	}
}

// AddLasting leaves a watch in both tables.
func (ts *Tables[T]) AddLasting(w *Watcher[T], path string, m Mode) {
	ts.Data.Add(w, path, m)
	ts.Child.Add(w, path, m)
}

// Forget removes all watches of a watcher and accepts no new ones.
func (ts *Tables[T]) Forget(w *Watcher[T]) {
	w.forgotten = true
	for _, t := range []*Table[T]{&ts.Data, &ts.Child} {
		for path := range *t.own(w) {
			t.remove(w, path, anyMode)
		}
	}
}

// Find reports whether a watcher has a watch that a checkWatches or removeWatches
// is about, and with remove set takes it away. kind is one of wire.WatcherData
// and so on.
func (ts *Tables[T]) Find(w *Watcher[T], kind int32, path string, remove bool) wire.Code {
	var tables []*Table[T]
	switch kind {
	case wire.WatcherChildren:
		tables = []*Table[T]{&ts.Child}
	case wire.WatcherData:
		tables = []*Table[T]{&ts.Data}
	case wire.WatcherAny:
		tables = []*Table[T]{&ts.Child, &ts.Data}
	default:
		return wire.MarshallingError
	}
	code := wire.NoWatcher
	for _, t := range tables {
		if _, ok := t.paths[path][w]; ok {
			code = wire.OK
			if remove {
				t.remove(w, path, anyMode)
			}
		}
	}
	return code
}

// A Told is a set of watchers.
type Told[T any] map[*Watcher[T]]struct{}

// Trigger finds those who watch path in the table for an event, once each, and
// calls tell for all but those in spare; direct says that they watch path itself.
// Recursive watches see everything but a change of children, which they see as
// the creation or deletion of the child itself. One-time watches are spent.
// Trigger returns those it found.
func (t *Table[T]) Trigger(path string, event int32, spare Told[T], tell func(owner T, direct bool)) Told[T] {
	var told Told[T]
	found := func(w *Watcher[T], direct bool) {
		if _, ok := told[w]; ok {
			return
		}
		if told == nil {
			told = make(Told[T])
		}
		told[w] = struct{}{}
		if _, ok := spare[w]; !ok {
			tell(w.Owner, direct)
		}
	}
	for w, m := range t.paths[path] {
		if m&(Once|Persistent) != 0 || event != wire.EventNodeChildrenChanged {
			found(w, true)
		}
		if m&Once != 0 {
			t.remove(w, path, Once)
		}
	}
	if t.all.recursive == 0 || event == wire.EventNodeChildrenChanged {
		return told
	}
	for at := path; at != "/" && at != ""; {
		if at = at[:strings.LastIndexByte(at, '/')]; at == "" {
			at = "/"
		}
		for w, m := range t.paths[at] {
			if m&Recursive != 0 {
				found(w, false)
			}
		}
	}
	return told
}

// Watching yields those who watch a path.
func (t *Table[T]) Watching(path string) iter.Seq[T] {
	return func(yield func(T) bool) {
		for w := range t.paths[path] {
			if !yield(w.Owner) {
				return
			}
		}
	}
}

// Paths returns the paths that are watched.
func (t *Table[T]) Paths() []string { return slices.Sorted(maps.Keys(t.paths)) }

// PathsOf returns the paths that one watches.
func (t *Table[T]) PathsOf(w *Watcher[T]) []string { return slices.Sorted(maps.Keys(*t.own(w))) }

// Count returns how many watch, how many paths are watched, and how many pairs
// of the two there are.
func (t *Table[T]) Count() (watchers, paths, total int) { return t.watchers, len(t.paths), t.total }
