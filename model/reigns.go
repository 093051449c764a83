package model

import (
	"time"

	"electop/model/dialect"
	"electop/model/session"
)

func (j *Journal) startReign(c *dialect.Candidate, at time.Time, known bool) {
	r := Reign{Leader: c, From: at, FromKnown: known}
	if !j.began && !c.Ctime.IsZero() && c.Ctime.Before(at) {
		r.From = c.Ctime // it leads since then at the most
	}
	j.state.Reigns = remember(j.state.Reigns, r)
}

func (j *Journal) endReign(at time.Time, cause Cause) {
	n := len(j.state.Reigns)
	if n == 0 || !j.state.Reigns[n-1].To.IsZero() {
		return
	}
	rs := make([]Reign, n, cap(j.state.Reigns)) // states share the old ones
	copy(rs, j.state.Reigns)
	rs[n-1].To, rs[n-1].Cause = session.Later(rs[n-1].From, at), cause
	j.state.Reigns = rs
}

// account adds the time since the last observation to Led or Vacant. What was
// in a gap nobody knows, even when it is closed.
func (j *Journal) account(at time.Time) {
	if !j.began || !at.After(j.accounted) {
		return
	}
	if j.state.Link.Link == Connected && !j.gap {
		if j.head != nil {
			j.state.Totals.Led += at.Sub(j.accounted)
		} else {
			j.state.Totals.Vacant += at.Sub(j.accounted)
		}
	}
	j.accounted = at
}
