package zkserver

import (
	"cmp"
	"slices"

	"electop/zkwatch/wire"
)

// Snapshot is the whole state of a server, as text to compare.
func (s *Server) Snapshot() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := wire.AppendInt64(nil, s.db.Zxid())
	byID := slices.SortedFunc(s.db.Sessions.All(), func(a, b *clientSession) int { return cmp.Compare(a.ID, b.ID) })
	for _, sess := range byID {
		b = sess.Append(b)
	}
	for path, n := range s.db.Tree.All() {
		b = n.Append(b, path)
	}
	return string(b)
}

// BreakData makes the next write to the data file fail.
func (s *Server) BreakData() { s.kept.Load().Close() }

// RewriteFrom has the data file rewritten from this size on.
func (s *Server) RewriteFrom(size int64) { s.kept.Load().Large = size }

// Rewritten is the size that the data file had when it was rewritten last.
func (s *Server) Rewritten() int64 { return s.kept.Load().Base() }
