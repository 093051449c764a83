package zkserver

import (
	"fmt"

	"electop/demo/zkserver/tree"
	"electop/zkwatch/wire"
)

// CreateNumbered creates a persistent znode, open to everybody, whose next sequential
// child gets the number next. It is for tests: a client would have to create as many
// children first.
func (s *Server) CreateNumbered(path string, next int32) error {
	req := wire.CreateRequest{Path: path, ACL: []wire.ACL{{Perms: wire.PermAll, ID: wire.ID{Scheme: "world", ID: "anyone"}}}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if _, code := s.write(tree.Writer{}, wire.OpCreate, wire.NewDecoder(req.Append(nil))); code != wire.OK {
		return fmt.Errorf("zkserver: create %s: %v", path, code)
	}
	s.tree.Get(path).SetNextSequence(next)
	return nil
}
