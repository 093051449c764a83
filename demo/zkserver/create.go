package zkserver

import (
	"fmt"
	"slices"

	"electop/zkwatch/wire"
)

// mode is what the flags of a create mean (CreateMode.fromFlag).
type mode struct {
	ephemeral, sequential, container, ttl bool
}

func modeOf(flags int32) (mode, bool) {
	switch flags {
	case 0:
		return mode{}, true
	case wire.FlagEphemeral:
		return mode{ephemeral: true}, true
	case wire.FlagSequential:
		return mode{sequential: true}, true
	case wire.FlagEphemeral | wire.FlagSequential:
		return mode{ephemeral: true, sequential: true}, true
	case wire.FlagContainer:
		return mode{container: true}, true
	case wire.FlagTTL:
		return mode{ttl: true}, true
	case wire.FlagTTLSequential:
		return mode{ttl: true, sequential: true}, true
	}
	return mode{}, false
}

// checkCreate checks any of the four creates. The kind of node follows from
// the operation, not from the flags: a create with the container flag makes a
// plain node. ttl is in milliseconds, -1 for operations without one.
func (v *view) checkCreate(c *conn, op wire.Op, req *wire.CreateRequest, ttl int64) (change, wire.Code) {
	m, ok := modeOf(req.Flags)
	if !ok {
		return change{}, wire.BadArguments
	}
	if m.ttl && (ttl <= 0 || ttl > maxTTL) || !m.ttl && ttl >= 0 {
		return change{}, wire.BadArguments
	}
	if op == wire.OpCreateTTL && !m.ttl {
		return change{}, wire.BadArguments
	}
	if req.NoPath {
		return change{}, wire.MarshallingError
	}
	if !hasParent(req.Path) {
		return change{}, wire.BadArguments
	}
	acl, ok := c.resolveACL(req.ACL)
	if !ok {
		return change{}, wire.InvalidACL
	}
	path := req.Path
	parentPath, _ := split(path)
	parent, ok := v.get(parentPath)
	if !ok {
		return change{}, wire.NoNode
	}
	if !c.allowed(parent.acl, wire.PermCreate) {
		return change{}, wire.NoAuth
	}
	if m.sequential {
		path = fmt.Sprintf("%s%010d", path, parent.creates)
	}
	if !validPath(path) {
		return change{}, wire.BadArguments
	}
	if _, exists := v.get(path); exists {
		return change{}, wire.NodeExists
	}
	if isSession(parent.owner) {
		return change{}, wire.NoChildrenForEphemerals
	}
	var owner int64
	switch {
	case op == wire.OpCreateContainer:
		owner = ownerContainer
	case op == wire.OpCreateTTL:
		owner = ownerTTL | ttl
	case m.ephemeral:
		owner = c.sess.id
	}
	parent.children++
	parent.creates++ // wraps after 2^31-1
	v.put(parentPath, parent)
	v.put(path, record{owner: owner, acl: acl})
	return change{
		op: wire.OpCreate, path: path, data: slices.Clone(req.Data), acl: acl, owner: owner, version: parent.creates,
	}, wire.OK
}
