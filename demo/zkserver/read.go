package zkserver

import (
	"strings"

	"electop/zkwatch/wire"
)

// Reads take paths as they come: one that no node can have is just not there.
// The answers alias the tree and are to be sent before s.mu is released.

// readable finds a node that the connection may read.
func (s *Server) readable(c *conn, path string) (*node, wire.Code) {
	n := s.tree.get(path)
	if n == nil {
		return nil, wire.NoNode
	}
	if !c.allowed(n.acl, wire.PermRead) {
		return nil, wire.NoAuth
	}
	return n, wire.OK
}

// exists needs no permission, and leaves its watch on an absent node too.
func (s *Server) exists(c *conn, req *wire.PathWatchRequest) (wire.Appender, wire.Code) {
	if strings.IndexByte(req.Path, 0) >= 0 {
		return nil, wire.BadArguments
	}
	if req.Watch {
		s.watches.data.add(c, req.Path, watchOnce)
	}
	n := s.tree.get(req.Path)
	if n == nil {
		return nil, wire.NoNode
	}
	st := n.stat()
	return &st, wire.OK
}

func (s *Server) getData(c *conn, req *wire.PathWatchRequest) (wire.Appender, wire.Code) {
	n, code := s.readable(c, req.Path)
	if code != wire.OK {
		return nil, code
	}
	if req.Watch {
		s.watches.data.add(c, req.Path, watchOnce)
	}
	return &wire.DataResponse{Data: n.data, Stat: n.stat()}, wire.OK
}

func (s *Server) getChildren(c *conn, req *wire.PathWatchRequest, withStat bool) (wire.Appender, wire.Code) {
	n, code := s.readable(c, req.Path)
	if code != wire.OK {
		return nil, code
	}
	if req.Watch {
		s.watches.child.add(c, req.Path, watchOnce)
	}
	if withStat {
		return &wire.Children2Response{Children: n.children, Stat: n.stat()}, wire.OK
	}
	return &wire.StringsResponse{Strings: n.children}, wire.OK
}

func (s *Server) getAllChildrenNumber(c *conn, path string) (wire.Appender, wire.Code) {
	if _, code := s.readable(c, path); code != wire.OK {
		return nil, code
	}
	return &wire.CountResponse{Count: int32(s.tree.descendants(path))}, wire.OK
}

// getEphemerals lists the session's own nodes whose path begins with prefix,
// as a string: /a matches /ab.
func (s *Server) getEphemerals(c *conn, prefix string) wire.Appender {
	if trimmed := strings.TrimSpace(prefix); trimmed == "" || trimmed == "/" {
		prefix = ""
	}
	rsp := &wire.StringsResponse{}
	for _, path := range s.tree.ephemeralsOf(c.sess.id) {
		if strings.HasPrefix(path, prefix) {
			rsp.Strings = append(rsp.Strings, path)
		}
	}
	return rsp
}
