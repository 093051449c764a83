// Package watch remembers who watches what in a ZooKeeper server. It knows neither
// the tree nor connections: a watcher is any value, and what has happened to a path
// is said with [Tables.Trigger], which finds the watchers to notify. The caller has
// the lock.
package watch

import (
	"iter"
	"maps"
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

// Tables are all watches. Those on data and existence (left by exists and getData)
// and those on children (getChildren) are apart.
type Tables[T comparable] struct{ Data, Child Table[T] }

// A Table holds one of the two kinds, by path and by watcher.
type Table[T comparable] struct {
	paths     map[string]map[T]Mode
	owned     map[T]map[string]struct{} // paths
	total     int                       // pairs of a watcher and a path
	recursive int                       // 0 spares the walk up the path
}

// New returns empty tables.
func New[T comparable]() *Tables[T] { return &Tables[T]{newTable[T](), newTable[T]()} }

func newTable[T comparable]() Table[T] {
	return Table[T]{paths: make(map[string]map[T]Mode), owned: make(map[T]map[string]struct{})}
}

// Add leaves a watch.
func (t *Table[T]) Add(w T, path string, m Mode) {
	at := t.paths[path]
	if at == nil {
		at = make(map[T]Mode)
		t.paths[path] = at
	}
	old := at[w]
	at[w] = old | m
	if m&^old&Recursive != 0 {
		t.recursive++
	}
	if old != 0 {
		return
	}
	t.total++
	own := t.owned[w]
	if own == nil {
		own = make(map[string]struct{})
		t.owned[w] = own
	}
	own[path] = struct{}{}
}

// remove takes modes away, of a watch that is there.
func (t *Table[T]) remove(w T, path string, m Mode) {
	at := t.paths[path]
	old := at[w]
	if old&m&Recursive != 0 {
		t.recursive--
	}
	if left := old &^ m; left != 0 {
		at[w] = left
		return
	}
	t.total--
	if delete(at, w); len(at) == 0 {
		delete(t.paths, path)
	}
	own := t.owned[w]
	if delete(own, path); len(own) == 0 {
		delete(t.owned, w)
	}
}

// AddLasting leaves a watch in both tables.
func (ts *Tables[T]) AddLasting(w T, path string, m Mode) {
	ts.Data.Add(w, path, m)
	ts.Child.Add(w, path, m)
}

// Forget removes all watches of a watcher.
func (ts *Tables[T]) Forget(w T) {
	for _, t := range []*Table[T]{&ts.Data, &ts.Child} {
		for path := range t.owned[w] {
			t.remove(w, path, anyMode)
		}
	}
}

// Find reports whether a watcher has a watch that a checkWatches or removeWatches
// is about, and with remove set takes it away. kind is one of wire.WatcherData
// and so on.
func (ts *Tables[T]) Find(w T, kind int32, path string, remove bool) wire.Code {
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

// Trigger finds the watchers to notify of an event at path and calls notify once for
// each. direct says that it watches the data or existence of path itself. Recursive
// watches see everything but a change of children, which they see as the creation or
// deletion of the child itself. One-time watches are spent. notify must not change
// the tables.
//
// Nothing is allocated, however many watchers there are.
func (ts *Tables[T]) Trigger(path string, event int32, notify func(w T, direct bool)) {
	switch event {
	case wire.EventNodeChildrenChanged:
		for w, m := range ts.Child.paths[path] {
			if m&(Once|Persistent) != 0 {
				notify(w, false)
			}
		}
		ts.Child.spend(path)
	case wire.EventNodeDeleted:
		ts.Data.found(path, notify)
		ts.Child.found(path, func(w T, _ bool) {
			if !ts.Data.finds(w, path, "") {
				notify(w, false)
			}
		})
		ts.Data.spend(path)
		ts.Child.spend(path)
	default:
		ts.Data.found(path, notify)
		ts.Data.spend(path)
	}
}

// found yields the watchers of path, and those with a recursive watch above it, each
// once.
func (t *Table[T]) found(path string, yield func(w T, direct bool)) {
	for w := range t.paths[path] {
		yield(w, true)
	}
	if t.recursive == 0 {
		return
	}
	for at := range above(path) {
		for w, m := range t.paths[at] {
			if m&Recursive != 0 && !t.finds(w, path, at) {
				yield(w, false)
			}
		}
	}
}

// finds reports whether found yields a watcher for a watch of path or of what is
// above it and below end.
func (t *Table[T]) finds(w T, path, end string) bool {
	if t.paths[path][w] != 0 {
		return true
	}
	if t.recursive == 0 {
		return false
	}
	for at := range above(path) {
		if at == end {
			return false
		}
		if t.paths[at][w]&Recursive != 0 {
			return true
		}
	}
	return false
}

// above yields the parent of a path, its parent and so on up to the root.
func above(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for path != "/" && path != "" {
			if path = path[:strings.LastIndexByte(path, '/')]; path == "" {
				path = "/"
			}
			if !yield(path) {
				return
			}
		}
	}
}

// spend takes the one-time watches of a path away.
func (t *Table[T]) spend(path string) {
	for w, m := range t.paths[path] {
		if m&Once != 0 {
			t.remove(w, path, Once)
		}
	}
}

// Watching yields the watchers of a path.
func (t *Table[T]) Watching(path string) iter.Seq[T] { return maps.Keys(t.paths[path]) }

// All yields each watcher with each of its paths, in no particular order.
func (t *Table[T]) All() iter.Seq2[T, string] {
	return func(yield func(T, string) bool) {
		for w, paths := range t.owned {
			for path := range paths {
				if !yield(w, path) {
					return
				}
			}
		}
	}
}

// Count returns the number of watchers, of watched paths, and of pairs of the two.
func (t *Table[T]) Count() (watchers, paths, total int) {
	return len(t.owned), len(t.paths), t.total
}
