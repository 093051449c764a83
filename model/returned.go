package model

import (
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

// Returned is a third-party leader whose session expired while its client was
// connected and silent, as in a long pause. When the client continues, it learns that
// its session is over, and connects with another session. Until its program acts on
// that, it may go on as the leader, beside its successor.
type Returned struct {
	Leader  *dialect.Candidate
	Expired time.Time // when its znode was seen to be gone
	Host    string    // of its client, as the server had it
	// Sessions came from Host since, and own no contender: one of them is its
	// client's, if no other program on that host connected meanwhile.
	Sessions []uint64

	before []uint64 // sessions that were connected from Host before
}

// returnedMax and returnedFor bound how many leaders are remembered, and for how
// long.
const (
	returnedMax = 8
	returnedFor = 10 * time.Minute
)

// returned are such leaders, oldest first. States share them: what is in the slice
// is replaced, never written.
type returned []*Returned

// expired notes that a leader's session expired.
func (r *returned) expired(c *dialect.Candidate, at time.Time, v session.View) {
	conn := v.Client(c.Session).Conn
	if conn == nil {
		return
	}
	host := session.HostOf(conn.Addr)
	before, ok := v.From(host)
	if !ok {
		return
	}
	*r = append(slices.Clone((*r)[max(0, len(*r)-returnedMax+1):]), &Returned{Leader: c, Expired: at, Host: host, before: before})
}

// hear takes in a table. owned reports whether a session owns a contender.
func (r *returned) hear(t *session.Table, v session.View, at time.Time, owned func(uint64) bool) {
	if len(*r) == 0 {
		return
	}
	var now returned
	for _, x := range *r {
		if at.Sub(x.Expired) > returnedFor {
			continue
		}
		now = append(now, x)
		all, ok := v.From(x.Host)
		if !ok || !t.At.After(x.Expired) {
			continue
		}
		var came []uint64
		for _, session := range all {
			if !slices.Contains(x.before, session) && !owned(session) && !t.Anchored(session) {
				came = append(came, session)
			}
		}
		if slices.Equal(came, x.Sessions) {
			continue
		}
		y := *x
		y.Sessions = came
		now[len(now)-1] = &y
	}
	*r = now
}
