package zkserver

import "bytes"

// Snapshot is the whole state of a server, as text to compare.
func (s *Server) Snapshot() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(bytes.Join(s.snapshot(), nil))
}

// BreakData makes the next write to the data file fail.
func (s *Server) BreakData() { s.data.Close() }

// RewriteFrom has the data file rewritten from this size on.
func (s *Server) RewriteFrom(size int64) { s.data.Large = size }

// Rewritten is the size that the data file had when it was rewritten last.
func (s *Server) Rewritten() int64 { return s.data.Base() }
