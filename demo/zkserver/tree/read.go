package tree

import (
	"slices"
	"strings"

	"electop/zkwatch/wire"
)

// Reads take paths as they come: one that no node can have is just not there.
// The answers alias the tree: they are valid until it changes.

// readable finds a node that a client may read.
func (t *Tree) readable(who Identities, path string) (*Node, wire.Code) {
	n := t.Get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	if !who.May(n.acl, wire.PermRead) {
		return nil, wire.NoAuth
	}
	return n, wire.OK
}

// Exists returns a node's Stat, which needs no permission.
func (t *Tree) Exists(path string) (wire.Record, wire.Code) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, wire.BadArguments
	}
	n := t.Get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	st := n.Stat()
	return &st, wire.OK
}

// GetData returns a node's data and Stat.
func (t *Tree) GetData(who Identities, path string) (wire.Record, wire.Code) {
	n, code := t.readable(who, path)
	if code != wire.OK {
		return nil, code
	}
	return &wire.DataResponse{Data: n.data, Stat: n.Stat()}, wire.OK
}

// GetChildren returns the names of a node's children.
func (t *Tree) GetChildren(who Identities, path string, withStat bool) (wire.Record, wire.Code) {
	n, code := t.readable(who, path)
	if code != wire.OK {
		return nil, code
	}
	if withStat {
		return &wire.Children2Response{Children: n.children, Stat: n.Stat()}, wire.OK
	}
	return &wire.StringsResponse{Strings: n.children}, wire.OK
}

// CountBelow returns the number of nodes below one.
func (t *Tree) CountBelow(who Identities, path string) (wire.Record, wire.Code) {
	if _, code := t.readable(who, path); code != wire.OK {
		return nil, code
	}
	return &wire.CountResponse{Count: int32(t.descendants(path))}, wire.OK
}

// OwnedBelow lists the nodes of a session whose path begins with prefix,
// as a string: /a matches /ab.
func (t *Tree) OwnedBelow(session int64, prefix string) wire.Record {
	if trimmed := strings.TrimSpace(prefix); trimmed == "" || trimmed == "/" {
		prefix = ""
	}
	rsp := &wire.StringsResponse{}
	for _, path := range t.EphemeralsOf(session) {
		if strings.HasPrefix(path, prefix) {
			rsp.Strings = append(rsp.Strings, path)
		}
	}
	return rsp
}

// GetACL returns a node's ACL. It hides the hashes of digest identities from those who may not change
// the ACL.
func (t *Tree) GetACL(who Identities, path string) (wire.Record, wire.Code) {
	n := t.Get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	if !who.May(n.acl, wire.PermRead|wire.PermAdmin) {
		return nil, wire.NoAuth
	}
	acl := n.acl
	if !who.May(acl, wire.PermAdmin) {
		acl = slices.Clone(acl)
		for i, a := range acl {
			if a.ID.Scheme == "digest" {
				user, _, _ := strings.Cut(a.ID.ID, ":")
				acl[i].ID.ID = user + ":x"
			}
		}
	}
	return &wire.ACLResponse{ACL: acl, Stat: n.Stat()}, wire.OK
}

// ReadAll answers each read for itself. One of no path is an error, and so is
// a write, with the answers before it as its body.
func (t *Tree) ReadAll(who Identities, ops []wire.MultiOp) (wire.Record, wire.Code) {
	rsp := &wire.MultiResponse{Results: make([]wire.MultiResult, len(ops))}
	for i, o := range ops {
		r := &rsp.Results[i]
		if !o.Reads() || o.NoPath {
			rsp.Results = rsp.Results[:i]
			return rsp, wire.MarshallingError
		}
		n, code := t.readable(who, o.Path)
		if code != wire.OK {
			r.Op, r.Err = wire.OpError, code
			continue
		}
		r.Op = o.Op
		if o.Op == wire.OpGetData {
			r.Data, r.Stat = n.data, n.Stat()
		} else {
			r.Children = n.children
		}
	}
	return rsp, wire.OK
}
