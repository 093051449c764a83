package session

// MergedOver returns the last answer of each member to each question: the answers of
// the last round, and those of earlier ones to what it did not ask. A round on
// the cadence does not ask for watches, and that is no reason to forget them.
func (last *Table) MergedOver(before *Table) *Table {
	if before == nil {
		return last
	}
	t := *last
	t.Servers = append([]Server(nil), last.Servers...)
	for i := range t.Servers {
		s := &t.Servers[i]
		old := before.Server(s.Addr)
		if old == nil {
			continue
		}
		kept := s.Connections.State == NotAsked && old.Connections.State != NotAsked ||
			s.Sessions.State == NotAsked && old.Sessions.State != NotAsked ||
			s.Watches.State == NotAsked && old.Watches.State != NotAsked
		if s.Basic.State == NotAsked {
			s.Basic, s.Mode, s.Zxid, s.Version = old.Basic, old.Mode, old.Zxid, old.Version
		}
		if s.Connections.State == NotAsked {
			s.Connections, s.Clients = old.Connections, old.Clients
		}
		if s.Sessions.State == NotAsked {
			s.Sessions, s.Deadlines, s.Ephemerals = old.Sessions, old.Deadlines, old.Ephemerals
		}
		if s.Watches.State == NotAsked {
			s.Watches, s.Watched = old.Watches, old.Watched
		}
		s.Leftover = s.Leftover || kept && old.Leftover
	}
	return &t
}

// Server returns what the member at addr said, nil for none.
func (t *Table) Server(addr string) *Server {
	for i := range t.Servers {
		if t.Servers[i].Addr == addr {
			return &t.Servers[i]
		}
	}
	return nil
}
