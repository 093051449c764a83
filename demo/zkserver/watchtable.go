package zkserver

import (
	"iter"
	"strings"

	"electop/zkwatch/wire"
)

// A watchMode is a set: a connection may watch a path in several ways at once.
type watchMode uint8

const (
	watchOnce       watchMode = 1 << iota // gone when it fires
	watchPersistent                       // stays
	watchRecursive                        // stays, and covers what is below

	anyWatch = watchOnce | watchPersistent | watchRecursive
)

// watchTables hold all watches. Those on data and existence (left by exists and getData)
// and those on children (getChildren) are apart. s.mu guards them.
type watchTables struct{ data, child watchTable }

// A watchTable holds one of the two kinds, by path and by connection.
type watchTable struct {
	paths     map[string]map[*conn]watchMode
	owned     map[*conn]map[string]struct{}
	total     int // pairs of a connection and a path
	recursive int // 0 spares the walk up the path
}

func newWatchTable() watchTable {
	return watchTable{paths: make(map[string]map[*conn]watchMode), owned: make(map[*conn]map[string]struct{})}
}

// add leaves a watch.
func (t *watchTable) add(c *conn, path string, m watchMode) {
	watchers := t.paths[path]
	if watchers == nil {
		watchers = make(map[*conn]watchMode)
		t.paths[path] = watchers
	}
	was := watchers[c]
	if m&^was&watchRecursive != 0 {
		t.recursive++
	}
	if was == 0 {
		t.total++
		if t.owned[c] == nil {
			t.owned[c] = make(map[string]struct{})
		}
		t.owned[c][path] = struct{}{}
	}
	watchers[c] = was | m
}

// remove takes modes away, of a watch that is there.
func (t *watchTable) remove(c *conn, path string, m watchMode) {
	watchers := t.paths[path]
	was := watchers[c]
	if was&m&watchRecursive != 0 {
		t.recursive--
	}
	if left := was &^ m; left != 0 {
		watchers[c] = left
		return
	}
	t.total--
	if delete(watchers, c); len(watchers) == 0 {
		delete(t.paths, path)
	}
	own := t.owned[c]
	if delete(own, path); len(own) == 0 {
		delete(t.owned, c)
	}
}

// addLasting leaves a watch in both tables.
func (ts *watchTables) addLasting(c *conn, path string, m watchMode) {
	ts.data.add(c, path, m)
	ts.child.add(c, path, m)
}

// forget removes all watches of a connection.
func (ts *watchTables) forget(c *conn) {
	for _, t := range []*watchTable{&ts.data, &ts.child} {
		for path := range t.owned[c] {
			t.remove(c, path, anyWatch)
		}
	}
}

// find reports whether a connection has a watch that a checkWatches or removeWatches
// is about, and with remove set takes it away. kind is one of wire.WatcherData
// and so on.
func (ts *watchTables) find(c *conn, kind int32, path string, remove bool) wire.Code {
	var tables []*watchTable
	switch kind {
	case wire.WatcherChildren:
		tables = []*watchTable{&ts.child}
	case wire.WatcherData:
		tables = []*watchTable{&ts.data}
	case wire.WatcherAny:
		tables = []*watchTable{&ts.child, &ts.data}
	default:
		return wire.MarshallingError
	}
	code := wire.NoWatcher
	for _, t := range tables {
		if _, ok := t.paths[path][c]; ok {
			code = wire.OK
			if remove {
				t.remove(c, path, anyWatch)
			}
		}
	}
	return code
}

// trigger finds the connections to notify of an event at path and calls notify once for
// each. direct says that it watches the data or existence of path itself. Recursive
// watches see everything but a change of children, which they see as the creation or
// deletion of the child itself. One-time watches are spent. notify must not change
// the tables.
//
// Nothing is allocated, however many watchers there are.
func (ts *watchTables) trigger(path string, event int32, notify func(c *conn, direct bool)) {
	switch event {
	case wire.EventNodeChildrenChanged:
		for c, m := range ts.child.paths[path] {
			if m&(watchOnce|watchPersistent) != 0 {
				notify(c, false)
			}
		}
		ts.child.spend(path)
	case wire.EventNodeDeleted:
		ts.data.found(path, notify)
		ts.child.found(path, func(c *conn, _ bool) {
			if !ts.data.finds(c, path, "") {
				notify(c, false)
			}
		})
		ts.data.spend(path)
		ts.child.spend(path)
	default:
		ts.data.found(path, notify)
		ts.data.spend(path)
	}
}

// found yields the watchers of path, and those with a recursive watch above it, each
// once.
func (t *watchTable) found(path string, yield func(c *conn, direct bool)) {
	for c := range t.paths[path] {
		yield(c, true)
	}
	if t.recursive == 0 {
		return
	}
	for at := range above(path) {
		for c, m := range t.paths[at] {
			if m&watchRecursive != 0 && !t.finds(c, path, at) {
				yield(c, false)
			}
		}
	}
}

// finds reports whether found yields a watcher for a watch of path or of what is
// above it and below end.
func (t *watchTable) finds(c *conn, path, end string) bool {
	if t.paths[path][c] != 0 {
		return true
	}
	if t.recursive == 0 {
		return false
	}
	for at := range above(path) {
		if at == end {
			return false
		}
		if t.paths[at][c]&watchRecursive != 0 {
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
func (t *watchTable) spend(path string) {
	for c, m := range t.paths[path] {
		if m&watchOnce != 0 {
			t.remove(c, path, watchOnce)
		}
	}
}
