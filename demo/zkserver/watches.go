package zkserver

import (
	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// applied is called for each change of the tree, with what it did.
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

// trigger queues an event to every connection with a watch that it concerns. A client
// that may not read the node, whose ACL is given, is not notified, but its watch is
// spent, as in Apache since a watch revealed names (CVE-2024-23944). Events to clients
// that watch the node itself count for wk.
func (s *Server) trigger(path string, event int32, acl []wire.ACL, wk *count) {
	s.watches.trigger(path, event, func(c *conn, direct bool) {
		if !c.who.May(acl, wire.PermRead) {
			return
		}
		if !direct || !wk.counts(c.sess) {
			c.notify(event, path, nil)
			return
		}
		c.notify(event, path, wk)
	})
}

// notify queues an event, which counts for w unless that is nil or the client is
// backstage.
func (c *conn) notify(event int32, path string, w *count) {
	if c.backstage {
		w = nil
	}
	c.s.counters.Notifications++
	c.stats.sent++
	h, body := wire.ReplyHeader{Xid: wire.XidWatch, Zxid: -1}, &wire.WatcherEvent{Type: event, State: wire.StateConnected, Path: path}
	if !c.s.lives(c.sess) { // it closes its own session, so no reaction can follow
		c.write(&h, body)
		return
	}
	c.send(h, body, w)
}

// setWatches restores the watches that a client had on an earlier connection.
// Changes since relativeZxid are sent at once.
func (c *conn) setWatches(req *wire.SetWatches2Request) {
	s := c.s
	for _, path := range req.Data {
		switch n := s.tree.Get(path); {
		case n == nil:
			c.notify(wire.EventNodeDeleted, path, nil)
		case n.Stat().Mzxid > req.RelativeZxid:
			c.notify(wire.EventNodeDataChanged, path, nil)
		default:
			s.watches.data.add(c, path, watchOnce)
		}
	}
	for _, path := range req.Exist {
		if s.tree.Get(path) != nil {
			c.notify(wire.EventNodeCreated, path, nil)
		} else {
			s.watches.data.add(c, path, watchOnce)
		}
	}
	for _, path := range req.Child {
		switch n := s.tree.Get(path); {
		case n == nil:
			c.notify(wire.EventNodeDeleted, path, nil)
		case n.Stat().Pzxid > req.RelativeZxid:
			c.notify(wire.EventNodeChildrenChanged, path, nil)
		default:
			s.watches.child.add(c, path, watchOnce)
		}
	}
	for _, path := range req.Persistent {
		s.watches.addLasting(c, path, watchPersistent)
	}
	for _, path := range req.Recursive {
		s.watches.addLasting(c, path, watchRecursive)
	}
}
