package model

import (
	"electop/model/znode"
	"time"
)

// SessionConn is where a session is connected: the connection, and the member of
// the ensemble that listed it at that time.
type SessionConn struct {
	Conn   *ServerConn
	Server string // safe to show
	At     time.Time
}

// Conns indexes the connections of a table by session, nil if nobody told any.
func (t *ServerTable) Conns() map[uint64]SessionConn {
	var out map[uint64]SessionConn
	for i := range t.Servers {
		s := &t.Servers[i]
		if s.Connections.State != Answered {
			continue
		}
		if out == nil {
			out = make(map[uint64]SessionConn)
		}
		at := wall(s.Connections.At)
		if at.IsZero() {
			at = wall(t.End)
		}
		for k := range s.Clients {
			conn := &s.Clients[k]
			if conn.Session == 0 {
				continue
			}
			// A client that moved while the round went on is listed twice.
			if old, ok := out[conn.Session]; !ok || old.At.Before(at) {
				out[conn.Session] = SessionConn{conn, znode.Safe(s.Addr, 0), at}
			}
		}
	}
	return out
}
