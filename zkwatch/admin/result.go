package admin

import (
	"time"

	"electop/model/session"
)

// A result is what one server said in a poll, not yet cut down to an election:
// the lists of server are empty, those here are whole, and paths are full.
type result struct {
	session.Server
	number     int  // that the server gave, now or earlier; 0: none
	unsure     bool // its address is not in the configuration: parts of the result may be of several servers
	conns      []session.Client
	deadlines  []session.Deadline
	ephemerals []session.Ephemeral
	watches    []session.Watch
	anchors    []session.Anchor // for deadlines
	took       time.Duration    // the slowest list of connections or sessions
}

func newResult(addr string) result {
	return result{Server: session.Server{Addr: addr, WatchCount: -1, DataWatches: -1}}
}

// answered reports whether the server answered in this poll, if only to refuse.
func (r *result) answered() bool { return r.Basic.State != session.Failed }

// watchesSmall is up to how many watches a server's table of them is small.
const watchesSmall = MaxWatches / 10

// small reports whether the server's lists and tables are short, as far as it says.
func (r *result) small() bool {
	return r.Basic.State == session.Answered && r.ConnectionCount <= session.CheapConnections && max(r.WatchCount, r.DataWatches) <= watchesSmall
}

// fail gives all that is wanted the same answer.
func (r *result) fail(w Want, a session.Answer) {
	r.Basic = a
	if w.Sessions {
		r.Connections, r.Sessions = a, a
	}
	if w.Watches {
		r.Watches = a
	}
}
