package zkserver

import (
	"strings"

	"electop/zkwatch/wire"
)

// watchMode is a set: a connection may watch a path in several ways at once.
type watchMode uint8

const (
	watchOnce       watchMode = 1 << iota // gone when it fires
	watchPersistent                       // stays
	watchRecursive                        // stays, and covers what is below
)

// watches are the watches of all connections. Those on data and existence
// (left by exists and getData) and those on children (getChildren) are apart.
type watches struct {
	data, child watchTable
	recursive   int // in both tables; 0 spares the walk up the path
}

// watchTable holds one of the two kinds, by path and by connection.
type watchTable struct {
	w      *watches
	paths  map[string]map[*conn]watchMode
	ofConn func(*conn) *map[string]struct{}
	total  int // pairs of path and connection
	conns  int // connections with at least one
}

func (w *watches) init() {
	w.data = watchTable{
		w:      w,
		paths:  make(map[string]map[*conn]watchMode),
		ofConn: func(c *conn) *map[string]struct{} { return &c.data },
	}
	w.child = watchTable{
		w:      w,
		paths:  make(map[string]map[*conn]watchMode),
		ofConn: func(c *conn) *map[string]struct{} { return &c.child },
	}
}

func (t *watchTable) add(c *conn, path string, m watchMode) {
	if c.gone {
		return
	}
	at := t.paths[path]
	if at == nil {
		at = make(map[*conn]watchMode)
		t.paths[path] = at
	}
	old, ok := at[c]
	at[c] = old | m
	if m&^old&watchRecursive != 0 {
		t.w.recursive++
	}
	if ok {
		return
	}
	t.total++
	own := t.ofConn(c)
	if *own == nil {
		*own = make(map[string]struct{})
	}
	if len(*own) == 0 {
		t.conns++
	}
	(*own)[path] = struct{}{}
}

// remove takes modes away and reports whether there were any.
func (t *watchTable) remove(c *conn, path string, m watchMode) bool {
	at := t.paths[path]
	old, ok := at[c]
	if !ok {
		return false
	}
	if old&m&watchRecursive != 0 {
		t.w.recursive--
	}
	if left := old &^ m; left != 0 {
		at[c] = left
		return old&m != 0
	}
	delete(at, c)
	if len(at) == 0 {
		delete(t.paths, path)
	}
	t.total--
	own := t.ofConn(c)
	delete(*own, path)
	if len(*own) == 0 {
		t.conns--
	}
	return true
}

const anyMode = watchOnce | watchPersistent | watchRecursive

// forget removes all watches of a connection.
func (w *watches) forget(c *conn) {
	for _, t := range []*watchTable{&w.data, &w.child} {
		for path := range *t.ofConn(c) {
			t.remove(c, path, anyMode)
		}
	}
}

// trigger queues an event to every connection that watches path in t, except
// to those in spare, and returns the ones it found. Recursive watches hear of
// everything but a change of children, which they see as the creation or
// deletion of the child itself. Who may not read the node, whose ACL is given,
// is told nothing, but its watch is spent: Apache has done so since a watch
// gave names away (CVE-2024-23944). The events of those who watch the path
// itself count for wk.
func (w *watches) trigger(s *Server, t *watchTable, path string, event int32, acl []wire.ACL, spare map[*conn]struct{}, wk *wake) map[*conn]struct{} {
	var told map[*conn]struct{}
	tell := func(c *conn, wk *wake) {
		if _, ok := told[c]; ok {
			return
		}
		if told == nil {
			told = make(map[*conn]struct{})
		}
		told[c] = struct{}{}
		if _, ok := spare[c]; !ok && c.allowed(acl, wire.PermRead) {
			if wk != nil && wk.owner == c.sess.id {
				wk = nil
			}
			s.notify(c, event, path, wk)
		}
	}
	for c, m := range t.paths[path] {
		if m&(watchOnce|watchPersistent) != 0 || event != wire.EventNodeChildrenChanged {
			tell(c, wk)
		}
		if m&watchOnce != 0 {
			t.remove(c, path, watchOnce)
		}
	}
	if w.recursive == 0 || event == wire.EventNodeChildrenChanged {
		return told
	}
	for at := path; at != "/" && at != ""; {
		at = orRoot(at[:strings.LastIndexByte(at, '/')])
		for c, m := range t.paths[at] {
			if m&watchRecursive != 0 {
				tell(c, nil)
			}
		}
	}
	return told
}

// notify queues an event, which counts for w unless that is nil or the client is
// backstage.
func (s *Server) notify(c *conn, event int32, path string, w *wake) {
	if c.backstage {
		w = nil
	}
	s.counters.notifications.Add(1)
	c.stats.sent++
	h, body := wire.ReplyHeader{Xid: wire.XidWatch, Zxid: -1}, &wire.WatcherEvent{Type: event, State: wire.StateConnected, Path: path}
	if s.over(c.sess) { // it closes its own session, and nothing follows from this
		c.sendNow(h, body)
		return
	}
	c.send(h, body, w)
}

// setWatches restores the watches that a client had on an earlier connection.
// What has changed since relativeZxid is told at once.
func (s *Server) setWatches(c *conn, req *wire.SetWatches2Request) {
	for _, path := range req.Data {
		switch n := s.tree.get(path); {
		case n == nil:
			s.notify(c, wire.EventNodeDeleted, path, nil)
		case n.mzxid > req.RelativeZxid:
			s.notify(c, wire.EventNodeDataChanged, path, nil)
		default:
			s.watches.data.add(c, path, watchOnce)
		}
	}
	for _, path := range req.Exist {
		if s.tree.get(path) != nil {
			s.notify(c, wire.EventNodeCreated, path, nil)
		} else {
			s.watches.data.add(c, path, watchOnce)
		}
	}
	for _, path := range req.Child {
		switch n := s.tree.get(path); {
		case n == nil:
			s.notify(c, wire.EventNodeDeleted, path, nil)
		case n.pzxid > req.RelativeZxid:
			s.notify(c, wire.EventNodeChildrenChanged, path, nil)
		default:
			s.watches.child.add(c, path, watchOnce)
		}
	}
	for _, path := range req.Persistent {
		s.addWatch(c, path, watchPersistent)
	}
	for _, path := range req.Recursive {
		s.addWatch(c, path, watchRecursive)
	}
}

// addWatch leaves a lasting watch, in both tables.
func (s *Server) addWatch(c *conn, path string, m watchMode) {
	s.watches.data.add(c, path, m)
	s.watches.child.add(c, path, m)
}

// tables returns the tables that a checkWatches or removeWatches is
// about, none for an unknown type.
func (w *watches) tables(kind int32) []*watchTable {
	switch kind {
	case wire.WatcherChildren:
		return []*watchTable{&w.child}
	case wire.WatcherData:
		return []*watchTable{&w.data}
	case wire.WatcherAny:
		return []*watchTable{&w.child, &w.data}
	}
	return nil
}

// checkWatches tells whether the connection has such a watch, and with remove
// set takes it away.
func (s *Server) checkWatches(c *conn, req *wire.WatcherTypeRequest, remove bool) wire.Code {
	tables := s.watches.tables(req.Type)
	if tables == nil {
		return wire.MarshallingError
	}
	found := false
	for _, t := range tables {
		if _, ok := t.paths[req.Path][c]; ok {
			found = true
			if remove {
				t.remove(c, req.Path, anyMode)
			}
		}
	}
	if !found {
		return wire.NoWatcher
	}
	return wire.OK
}
