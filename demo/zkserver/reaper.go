package zkserver

import (
	"slices"

	"electop/zkwatch/wire"
)

// armReaper starts the timer that looks for nodes to delete, unless it runs.
func (s *Server) armReaper() {
	if s.reaper == nil {
		s.reaper = s.after(s.opts.ReapInterval, s.reap)
	}
}

// reap deletes the containers that had children once and have none now, and
// the TTL nodes without children that were not written to for their time to
// live. Each goes in a transaction of its own.
func (s *Server) reap() {
	s.reaper = nil
	if s.down {
		return
	}
	now := s.clock.Now().UnixMilli()
	var due []string
	for path := range s.tree.reapable {
		n := s.tree.nodes[path]
		switch {
		case len(n.children) > 0:
		case isTTL(n.owner):
			if now-n.mtime > n.owner&maxTTL {
				due = append(due, path)
			}
		case n.creates > 0:
			due = append(due, path)
		}
	}
	slices.Sort(due)
	for _, path := range due {
		s.zxid++
		s.apply(&change{op: wire.OpDelete, path: path}, txn{zxid: s.zxid, now: now})
		s.seal()
	}
	if len(s.tree.reapable) > 0 {
		s.armReaper()
	}
}
