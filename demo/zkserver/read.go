package zkserver

import (
	"electop/zkwatch/wire"
)

// answer carries out a request that changes nothing in the tree.
func (c *conn) answer(op wire.Op, d *wire.Coder) (body wire.Record, code wire.Code) {
	s := c.s
	switch op {
	case wire.OpExists, wire.OpGetData, wire.OpGetChildren, wire.OpGetChildren2:
		var req wire.PathWatchRequest
		if req.Fields(d); d.Err() != nil {
			break
		}
		return c.readNode(op, &req)
	case wire.OpGetACL, wire.OpGetAllChildrenNumber:
		var req wire.PathRequest
		if req.Fields(d); d.Err() != nil {
			break
		}
		if op == wire.OpGetACL {
			return s.tree.GetACL(c.who, req.Path)
		}
		return s.tree.CountBelow(c.who, req.Path)
	case wire.OpSync: // there is nothing to catch up with
		path, text := d.Rest(), ""
		if d.String(&text); d.Err() == nil {
			return echo(path[:len(path)-len(d.Rest())]), wire.OK // null too
		}
	case wire.OpGetEphemerals:
		var req wire.GetEphemeralsRequest
		if req.Fields(d); d.Err() == nil {
			return s.tree.OwnedBelow(c.sess.id, req.Prefix), wire.OK
		}
	case wire.OpWhoAmI:
		return c.who.WhoAmI(), wire.OK
	case wire.OpMultiRead:
		var req wire.MultiRequest
		if req.Fields(d); d.Err() == nil {
			return s.tree.ReadAll(c.who, req.Ops)
		}
	case wire.OpSetWatches:
		var req wire.SetWatches2Request
		if req.SetWatchesRequest.Fields(d); d.Err() == nil {
			c.setWatches(&req)
			return nil, wire.OK
		}
	case wire.OpSetWatches2:
		var req wire.SetWatches2Request
		if req.Fields(d); d.Err() == nil {
			c.setWatches(&req)
			return nil, wire.OK
		}
	case wire.OpAddWatch:
		var req wire.AddWatchRequest
		if req.Fields(d); d.Err() != nil {
			break
		}
		switch req.Mode {
		case wire.WatchPersistent:
			s.watches.addLasting(c, req.Path, watchPersistent)
		case wire.WatchPersistentRecursive:
			s.watches.addLasting(c, req.Path, watchRecursive)
		default:
			return nil, wire.MarshallingError
		}
		return &wire.ErrorResponse{}, wire.OK
	case wire.OpCheckWatches:
		var req wire.WatcherTypeRequest
		if req.Fields(d); d.Err() == nil {
			return nil, s.watches.find(c, req.Type, req.Path, false)
		}
	case wire.OpRemoveWatches:
		var req wire.WatcherTypeRequest
		d.String(&req.Path) // nobody watches null
		if d.Int32(&req.Type); d.Err() == nil {
			return nil, s.watches.find(c, req.Type, req.Path, true)
		}
	default:
		return nil, wire.Unimplemented
	}
	return nil, wire.MarshallingError
}

// readNode reads a node and leaves a watch if the client asks for one. exists
// leaves its watch on an absent node too.
func (c *conn) readNode(op wire.Op, req *wire.PathWatchRequest) (body wire.Record, code wire.Code) {
	s := c.s
	watches := &s.watches.data
	switch op {
	case wire.OpExists:
		body, code = s.tree.Exists(req.Path)
	case wire.OpGetData:
		body, code = s.tree.GetData(c.who, req.Path)
	default:
		body, code = s.tree.GetChildren(c.who, req.Path, op == wire.OpGetChildren2)
		watches = &s.watches.child
	}
	if req.Watch && (code == wire.OK || op == wire.OpExists && code == wire.NoNode) {
		watches.add(c, req.Path, watchOnce)
	}
	return body, code
}

// echo is a piece of a request that comes back as it is.
type echo []byte

func (e echo) Fields(c *wire.Coder) { c.Raw((*[]byte)(&e)) }
