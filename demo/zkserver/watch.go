package zkserver

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

func (s *Server) applied(op wire.Op, path string, zxid int64, done tree.Effect) {
	switch op {
	case wire.OpCreate:
		s.armReaper()
		s.trigger(path, wire.EventNodeCreated, done.ACL, nil)
		s.trigger(done.Parent, wire.EventNodeChildrenChanged, done.ParentACL, nil)
	case wire.OpDelete:
		w := s.tally(path, &done, zxid)
		s.trigger(path, wire.EventNodeDeleted, done.ACL, w)
		w.done()
		s.trigger(done.Parent, wire.EventNodeChildrenChanged, done.ParentACL, nil)
	case wire.OpSetData:
		s.trigger(path, wire.EventNodeDataChanged, done.ACL, nil)
	}
}

// trigger removes a client's one-time watch even if the client may not read, as in Apache after CVE-2024-23944.
func (s *Server) trigger(path string, event int32, acl []wire.ACL, w *count) {
	s.watches.trigger(path, event, func(c *conn, direct bool) {
		switch {
		case !c.who.May(acl, wire.PermRead):
		case direct && w.counts(c.sess):
			c.notify(event, path, w)
		default:
			c.notify(event, path, nil)
		}
	})
}

func (c *conn) notify(event int32, path string, w *count) {
	if c.observer {
		w = nil
	}
	c.s.counters.Notifications++
	c.stats.sent++
	h, body := wire.ReplyHeader{Xid: wire.XidWatch, Zxid: -1}, &wire.WatcherEvent{Type: event, State: wire.StateConnected, Path: path}
	if !c.s.lives(c.sess) {
		c.write(&h, body)
		return
	}
	c.send(h, body, w)
}

func (c *conn) setWatches(req *wire.SetWatches2Request) {
	s := c.s
	restore := func(t *watchTable, paths []string, event int32, changed func(wire.Stat) int64) {
		for _, path := range paths {
			switch n := s.tree.Get(path); {
			case n == nil:
				c.notify(wire.EventNodeDeleted, path, nil)
			case changed(n.Stat()) > req.RelativeZxid:
				c.notify(event, path, nil)
			default:
				t.add(c, path, watchOnce)
			}
		}
	}
	restore(&s.watches.data, req.Data, wire.EventNodeDataChanged, func(st wire.Stat) int64 { return st.Mzxid })
	for _, path := range req.Exist {
		if s.tree.Get(path) != nil {
			c.notify(wire.EventNodeCreated, path, nil)
		} else {
			s.watches.data.add(c, path, watchOnce)
		}
	}
	restore(&s.watches.child, req.Child, wire.EventNodeChildrenChanged, func(st wire.Stat) int64 { return st.Pzxid })
	for _, path := range req.Persistent {
		s.watches.addLasting(c, path, watchPersistent)
	}
	for _, path := range req.Recursive {
		s.watches.addLasting(c, path, watchRecursive)
	}
}

// watchMode is a set of modes, because a connection may watch a path in several modes.
type watchMode uint8

const (
	watchOnce watchMode = 1 << iota
	watchPersistent
	watchRecursive

	anyWatch = watchOnce | watchPersistent | watchRecursive
)

// watchTables has the watches of exists and getData in data, of getChildren in child, and of addWatch in both.
type watchTables struct {
	data, child watchTable
	events      int64
}

type watchTable struct {
	paths     map[string]map[*conn]watchMode
	owned     map[*conn]map[string]struct{}
	total     int // pairs of a connection and a path
	recursive int // number of these pairs with a recursive watch
}

func newWatchTable() watchTable {
	return watchTable{paths: make(map[string]map[*conn]watchMode), owned: make(map[*conn]map[string]struct{})}
}

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

// remove requires that c watches path.
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

func (ts *watchTables) addLasting(c *conn, path string, m watchMode) {
	ts.data.add(c, path, m)
	ts.child.add(c, path, m)
}

func (ts *watchTables) forget(c *conn) {
	for _, t := range []*watchTable{&ts.data, &ts.child} {
		for path := range t.owned[c] {
			t.remove(c, path, anyWatch)
		}
	}
}

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

// trigger fires no recursive watches for EventNodeChildrenChanged, because the event of the child fires them.
func (ts *watchTables) trigger(path string, event int32, notify func(c *conn, direct bool)) {
	ts.events++
	once := func(c *conn, direct bool) {
		if c.event != ts.events {
			c.event = ts.events
			notify(c, direct)
		}
	}
	if event != wire.EventNodeChildrenChanged {
		ts.data.trigger(path, event, once) // path comes before its ancestors, so direct is true if c watches path
	}
	if event == wire.EventNodeChildrenChanged || event == wire.EventNodeDeleted {
		ts.child.trigger(path, event, func(c *conn, _ bool) { once(c, false) })
	}
}

func (t *watchTable) trigger(path string, event int32, notify func(c *conn, itself bool)) {
	for at := range upward(path) {
		for c, m := range t.paths[at] {
			if at == path && m != watchRecursive || m&watchRecursive != 0 && event != wire.EventNodeChildrenChanged {
				notify(c, at == path)
			}
			if at == path && m&watchOnce != 0 {
				t.remove(c, path, watchOnce)
			}
		}
		if t.recursive == 0 {
			return
		}
	}
}

// A Child is a child of a znode, and the sessions with a watch on the child's own path.
type Child struct {
	Name     string
	Owner    int64   // session of an ephemeral child, otherwise 0
	Czxid    int64   // zxid of its creation
	Watchers []int64 // sessions that watch its data or existence
}

// Children returns the children of the znode at path, sorted by czxid, and the sessions
// that watch the list of children. Both are nil if the znode does not exist.
func (s *Server) Children(path string) (children []Child, watchers []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sessions := func(conns map[*conn]watchMode) (ids []int64) {
		for c := range conns {
			ids = append(ids, c.sess.id)
		}
		return ids
	}
	n := s.tree.Get(path)
	if n == nil {
		return nil, nil
	}
	for _, name := range n.Children() {
		child := strings.TrimSuffix(path, "/") + "/" + name
		st := s.tree.Get(child).Stat()
		children = append(children, Child{name, st.EphemeralOwner, st.Czxid, sessions(s.watches.data.paths[child])})
	}
	slices.SortFunc(children, func(a, b Child) int { return cmp.Compare(a.Czxid, b.Czxid) })
	return children, sessions(s.watches.child.paths[path])
}

func upward(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(path) && path != "/" && path != "" {
			if path = path[:strings.LastIndexByte(path, '/')]; path == "" {
				path = "/"
			}
		}
	}
}
