// Package watch remembers who watches what in a ZooKeeper server. It knows neither
// the tree nor connections: a watcher is any value, and what has happened to a path
// is said with [Tables.Trigger], which finds the watchers to notify. The caller has
// the lock.
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

// Tables are all watches. Those on data and existence (left by exists and getData)
// and those on children (getChildren) are apart.
type Tables[T comparable] struct{ Data, Child Table[T] }

// A Table holds one of the two kinds, by path and by watcher.
type Table[T comparable] struct {
	paths     map[string]map[T]place
	owned     map[T][]string // paths, which are quickly copied
	total     int            // pairs of a watcher and a path
	recursive int            // 0 spares the walk up the path
}

// A place is how a watcher watches a path, and where its paths have that one.
type place struct {
	mode Mode
	at   int32
}

// New returns empty tables.
func New[T comparable]() *Tables[T] { return &Tables[T]{newTable[T](), newTable[T]()} }

func newTable[T comparable]() Table[T] {
	return Table[T]{paths: make(map[string]map[T]place), owned: make(map[T][]string)}
}

// Add leaves a watch.
func (t *Table[T]) Add(w T, path string, m Mode) {
	watchers := t.paths[path]
	if watchers == nil {
		watchers = make(map[T]place)
		t.paths[path] = watchers
	}
	p := watchers[w]
	if m&^p.mode&Recursive != 0 {
		t.recursive++
	}
	if p.mode == 0 {
		t.total++
		own := t.owned[w]
		p.at = int32(len(own))
		t.owned[w] = append(own, path)
	}
	p.mode |= m
	watchers[w] = p
}

// remove takes modes away, of a watch that is there.
func (t *Table[T]) remove(w T, path string, m Mode) {
	watchers := t.paths[path]
	p := watchers[w]
	if p.mode&m&Recursive != 0 {
		t.recursive--
	}
	if p.mode &^= m; p.mode != 0 {
		watchers[w] = p
		return
	}
	t.total--
	if delete(watchers, w); len(watchers) == 0 {
		delete(t.paths, path)
	}
	t.disown(w, p.at)
}

// disown removes one of a watcher's paths; the last one takes its place.
func (t *Table[T]) disown(w T, at int32) {
	own := t.owned[w]
	end := len(own) - 1
	if last := own[end]; int(at) != end {
		own[at] = last
		t.paths[last][w] = place{t.paths[last][w].mode, at}
	}
	own[end] = ""
	if t.owned[w] = own[:end]; end == 0 {
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
		for _, path := range slices.Backward(t.owned[w]) { // so that none is moved
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
		for w, p := range ts.Child.paths[path] {
			if p.mode&(Once|Persistent) != 0 {
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
		for w, p := range t.paths[at] {
			if p.mode&Recursive != 0 && !t.finds(w, path, at) {
				yield(w, false)
			}
		}
	}
}

// finds reports whether found yields a watcher for a watch of path or of what is
// above it and below end.
func (t *Table[T]) finds(w T, path, end string) bool {
	if t.paths[path][w].mode != 0 {
		return true
	}
	if t.recursive == 0 {
		return false
	}
	for at := range above(path) {
		if at == end {
			return false
		}
		if t.paths[at][w].mode&Recursive != 0 {
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
	for w, p := range t.paths[path] {
		if p.mode&Once != 0 {
			t.remove(w, path, Once)
		}
	}
}

// Watching yields the watchers of a path.
func (t *Table[T]) Watching(path string) iter.Seq[T] { return maps.Keys(t.paths[path]) }

// Watchers yields each watcher with its paths, which are the table's own, in no particular
// order.
func (t *Table[T]) Watchers() iter.Seq2[T, []string] { return maps.All(t.owned) }

// Count returns the number of watchers, of watched paths, and of pairs of the two.
func (t *Table[T]) Count() (watchers, paths, total int) {
	return len(t.owned), len(t.paths), t.total
}
