package session

import (
	"strings"
	"time"

	"electop/model/znode"
)

// Conn has the connection of a session, and the member of the ensemble that listed it at
// that time.
type Conn struct {
	Conn   *Client
	Server string // safe to show
	At     time.Time
}

// HostOf returns the host of a client's address.
func HostOf(addr string) string {
	if i := strings.LastIndexByte(addr, ':'); i > 0 {
		return addr[:i]
	}
	return addr
}

// Conns indexes the connections of a table by session, nil if no server reported any.
func (t *Table) Conns() map[uint64]Conn {
	var out map[uint64]Conn
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Connections.State != Answered {
			continue
		}
		if out == nil {
			out = make(map[uint64]Conn)
		}
		at := s.Connections.At.Round(0)
		if at.IsZero() {
			at = t.End.Round(0)
		}
		for k := range s.Clients {
			conn := &s.Clients[k]
			if conn.Session == 0 {
				continue
			}
			// A client that moved during the round is listed twice.
			if old, ok := out[conn.Session]; !ok || old.At.Before(at) {
				out[conn.Session] = Conn{conn, znode.Safe(s.Addr, 0), at}
			}
		}
	}
	return out
}

// Expirer returns the server whose deadlines count, nil if none reported any.
func (t *Table) Expirer() *Server {
	var found *Server
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Sessions.State != Answered || len(s.Deadlines) == 0 {
			continue
		}
		if found == nil || s.Mode == ModeLeader || s.Mode == ModeStandalone {
			found = s
		}
	}
	return found
}

// Later returns the later one of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
