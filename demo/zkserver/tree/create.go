package tree

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
	case wire.FlagTTL, wire.FlagTTLSequential:
		return mode{ttl: true}, true
	}
	return mode{}, false
}

// checkCreate checks any of the four creates. The kind of node follows from
// the operation, not from the flags: a create with the container flag makes a
// plain node. There are no TTL nodes, as in an Apache without extendedTypesEnabled.
func (v *view) checkCreate(op wire.Op, req *wire.CreateRequest) (Change, wire.Code) {
	m, ok := modeOf(req.Flags)
	if !ok {
		return Change{}, wire.BadArguments
	}
	if m.ttl {
		return Change{}, wire.Unimplemented
	}
	if op == wire.OpCreateTTL {
		return Change{}, wire.BadArguments
	}
	if req.NoPath {
		return Change{}, wire.MarshallingError
	}
	if !hasParent(req.Path) {
		return Change{}, wire.BadArguments
	}
	acl, ok := v.Who.resolve(req.ACL)
	if !ok {
		return Change{}, wire.InvalidACL
	}
	path := req.Path
	parentPath, _ := split(path)
	parent, ok := v.get(parentPath)
	if !ok {
		return Change{}, wire.NoNode
	}
	if !v.Who.May(parent.acl, wire.PermCreate) {
		return Change{}, wire.NoAuth
	}
	if m.sequential {
		path = fmt.Sprintf("%s%010d", path, parent.creates)
	}
	if !validPath(path) {
		return Change{}, wire.BadArguments
	}
	if _, exists := v.get(path); exists {
		return Change{}, wire.NodeExists
	}
	if isSession(parent.owner) {
		return Change{}, wire.NoChildrenForEphemerals
	}
	var owner int64
	switch {
	case op == wire.OpCreateContainer:
		owner = ownerContainer
	case m.ephemeral:
		owner = v.Session
	}
	parent.children++
	parent.creates++ // wraps after 2^31-1
	v.put(parentPath, parent)
	v.put(path, record{owner: owner, acl: acl})
	return Change{
		Op: wire.OpCreate, Path: path, data: slices.Clone(req.Data), acl: acl, owner: owner, version: parent.creates,
	}, wire.OK
}
