package session

import (
	"slices"
	"time"
)

// From returns the sessions that were connected from a host, sorted, when the
// servers were last asked. ok is false if there may have been others.
func (v View) From(host string) (sessions []uint64, ok bool) {
	if !v.whole || !slices.Contains(v.hosts, host) {
		return nil, false
	}
	for session, c := range v.clients {
		if HostOf(c.Conn.Addr) == host {
			sessions = append(sessions, session)
		}
	}
	slices.Sort(sessions)
	return sessions, true
}

// A View is what a tracker knows at one moment. It is immutable.
type View struct {
	clients  map[uint64]Conn
	hosts    []string // those with all their connections in clients
	whole    bool
	timeouts map[uint64]time.Duration
	unheard  int
	left     time.Duration
}

// Client returns where the session is connected, by the servers' last answers; Conn
// is nil if that is unknown.
func (v View) Client(session uint64) Conn { return v.clients[session] }

// Whole reports whether all members of the ensemble said who is connected.
func (v View) Whole() bool { return v.whole }

// Absent reports whether the session had no connection to any member when they
// were last asked. If that cannot be known, it is false.
func (v View) Absent(session uint64) bool {
	return v.whole && v.clients[session].Conn == nil
}

// Timeout returns the session's timeout or an upper bound; 0: unknown.
func (v View) Timeout(session uint64) time.Duration { return v.timeouts[session] }

// Unheard returns for how many holders it is unknown whether their clients are
// alive, because a healthy client may be silent for the time observed so far, and
// how much longer it takes to know.
func (v View) Unheard() (holders int, left time.Duration) { return v.unheard, v.left }
