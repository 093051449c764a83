package zkserver

import (
	"fmt"
	"io"
	"time"

	"electop/demo/zkserver/tree"
)

// LoadTree creates the znodes that r describes, in the layout that
// [Server.SaveTree] writes: all of them, or none and an error that names the
// line. The tree must be empty except for ZooKeeper's own nodes. The nodes are new:
// their versions begin at 0 and their times are now.
//
//	{"format": 1, "nodes": [
//	  {"path": "/app", "data": "text"},
//	  {"path": "/app/bin", "data_base64": "AAE="},
//	  {"path": "/app/mine", "acl": ["digest:user:hash=:cdrwa", "world:anyone:r"]},
//	  {"path": "/app/jobs", "next_sequence": 12},
//	  {"path": "/app/box", "container": true},
//	  {"path": "/app/soon", "ttl_ms": 60000}
//	]}
//
// The order of the nodes does not matter, but each needs its parent. An ACL is
// written as in ZooKeeper's shell. At most 64 MiB are read, and a node's data
// may be as long as a request.
func (s *Server) LoadTree(r io.Reader) error {
	f, err := tree.ReadFile(r)
	if err != nil {
		return fmt.Errorf("zkserver: load the tree: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err = s.db.Load(f, time.Now()); err != nil {
		return fmt.Errorf("zkserver: load the tree: %w", err)
	}
	return nil
}

// SaveTree writes the tree as JSON, one node a line: all znodes except the ephemeral
// ones, with their data and, unless they are open to everybody, their ACLs, which
// contain the hashes of passwords. It writes ZooKeeper's own nodes only if they were
// changed. It also works on a closed server, when nothing can change the tree.
func (s *Server) SaveTree(w io.Writer) error {
	s.mu.Lock()
	f, err := s.db.Tree.Save()
	s.mu.Unlock()
	if err == nil {
		err = f.Write(w)
	}
	if err != nil {
		return fmt.Errorf("zkserver: save the tree: %w", err)
	}
	return nil
}
