package model

import (
	"slices"

	"electop/model/session"
)

// Sessions are the sessions to ask the servers about, sorted: those of the
// contenders, and those of leaders whose end is not explained yet.
func (s *State) Sessions() []uint64 {
	out := make([]uint64, 0, s.Queue.Len()+len(s.unexplained))
	for _, c := range s.Queue.All() {
		if c.Session != 0 {
			out = append(out, c.Session)
		}
	}
	out = append(out, s.unexplained...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Returned are third-party leaders whose sessions expired while their clients were
// connected, oldest first.
func (s *State) Returned() []*Returned { return s.returned }

// Hosts are the hosts of clients of which the servers should list all connections:
// that of the leader, and those of [State.Returned].
func (s *State) Hosts() []string {
	var out []string
	if c := s.First(); c != nil && c.Session != 0 {
		if conn := s.Tracked.Client(c.Session).Conn; conn != nil {
			out = append(out, session.HostOf(conn.Addr))
		}
	}
	for _, x := range s.returned {
		out = append(out, x.Host)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
