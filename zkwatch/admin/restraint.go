package admin

import (
	"time"

	"electop/model/session"
)

const (
	// After a slow answer the servers are asked again after this long; after each
	// further one after twice as long. The first answer of an AdminServer is slow
	// because Java loads classes.
	slowPause        = 5 * time.Second
	longestSlowPause = 10 * time.Minute
)

// restraint is what keeps the servers from being asked for connections and sessions
// where that is to be cheap.
type restraint struct {
	counted bool // a poll said how many connections there are
	now     session.Restraint
	slow    int // answers in a row
}

// next returns when the servers may be asked that were due at a time; ok is false if
// that is not known yet.
func (r *restraint) next(due time.Time) (at time.Time, ok bool) {
	if !r.counted || r.now.Connections > 0 {
		return due, false
	}
	return session.Later(due, r.now.Again), true
}

// judge notes what a poll cost.
func (r *restraint) judge(p plan, results []result, ended time.Time) {
	connections, answered := 0, false
	for i := range results {
		if x := &results[i]; x.Basic.State == session.Answered {
			answered = true
			connections += max(0, x.ConnectionCount)
		}
	}
	if answered {
		r.counted, r.now.Connections = true, 0
		if connections > session.CheapConnections {
			r.now.Connections = connections
		}
	}
	if !p.Sessions {
		return
	}
	r.now.Server, r.now.Took, r.now.Again = "", 0, time.Time{}
	for i := range results {
		if x := &results[i]; x.took > max(session.CheapAnswer, r.now.Took) {
			r.now.Server, r.now.Took = x.Addr, x.took
		}
	}
	if r.now.Took == 0 {
		r.slow = 0
		return
	}
	pause := longestSlowPause
	if r.slow < 8 {
		pause = min(pause, slowPause<<r.slow)
	}
	r.slow++
	r.now.Again = ended.Add(pause)
}

// reason returns why the servers are not asked, zero if they are.
func (r *restraint) reason() session.Restraint {
	now := r.now
	now.Again = now.Again.Round(0)
	return now
}
