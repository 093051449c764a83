package wording

import (
	"slices"
	"strings"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/units"
	"electop/ui/rows"
	"electop/ui/term"
)

// Expiry is a contender whose session is about to expire while its znode
// still stands: a member of ours that was killed or frozen, or anybody of whom
// the servers say so.
type Expiry struct {
	Row   rows.Row
	Found *doctor.Risk // what the servers' tables make of it, nil for nothing
	// The session's expiry is known as bounds only. start is when the server
	// last heard of it for certain; from sure on it can be expired, and at
	// latest it has been.
	Start, Sure, Latest time.Time
}

// ExpiryOf returns the expiry that r faces.
//
// The server counts from the last frame it got, which is no earlier than the
// one it answered last (ExpiresFrom is that plus the timeout) and no later than
// the fault. It looks for expired sessions once a tick and rounds up to it;
// the tick is at most half the shortest timeout it grants, so at most half of
// this one.
func ExpiryOf(s *doctor.State, r rows.Row) (Expiry, bool) {
	if r.Candidate == nil {
		return Expiry{}, false
	}
	t := Expiry{Row: r}
	if len(s.Risks) > 0 {
		t.Found = s.Risk(r.Candidate)
	}
	m := r.Member
	if m == nil || m.Fault == model.NoFault {
		if t.Found == nil {
			return Expiry{}, false
		}
		t.Start, t.Sure, t.Latest = t.Found.Since, t.Found.NotBefore, t.Found.By
		return t, true
	}
	if heldBack(s, m.Session) {
		return t, true // its deadline does not come nearer, and nobody knows how far it is
	}
	if m.Timeout > 0 && !m.FaultAt.IsZero() {
		tick := tickOf(s, m)
		t.Latest = m.FaultAt.Add(m.Timeout + tick + tick/2 + expiryCommit)
		t.Start, t.Sure = m.FaultAt, m.FaultAt.Add(m.Timeout)
		if !m.ExpiresFrom.IsZero() {
			t.Start, t.Sure = m.ExpiresFrom.Add(-m.Timeout), m.ExpiresFrom
		}
	}
	if t.Found != nil && !t.Found.By.IsZero() && (t.Latest.IsZero() || t.Found.By.Before(t.Latest)) {
		t.Latest = t.Found.By
	}
	if t.Sure.After(t.Latest) {
		t.Sure = t.Latest
	}
	return t, true
}

// expiryCommit is how long the end of an expired session takes to be agreed on.
const expiryCommit = time.Second

// tickOf is the tick of the servers, to which they round a session's expiry up
// and half of which a touch takes to the ensemble leader. Where they did not
// tell it, it is at most half of what they granted, unless they are set to grant
// less than two ticks.
func tickOf(s *doctor.State, m *model.Member) (tick time.Duration) {
	if s.Told != nil {
		for i := range s.Told.Servers {
			tick = max(tick, s.Told.Servers[i].Tick)
		}
	}
	if tick == 0 {
		tick = m.Timeout / 2
	}
	return tick
}

// heldBack reports whether the server, which speaks slowly, holds something back
// that is for a session.
func heldBack(s *doctor.State, session uint64) bool {
	return s.Pace != nil && slices.ContainsFunc(s.Pace.Held, func(m model.Message) bool { return m.Session == session })
}

// Faulty reports a member of ours to which something was done.
func (t Expiry) Faulty() bool { return t.Row.Member != nil && t.Row.Member.Fault != model.NoFault }

// AtRisk says that the contender is at risk, and how long at most it has.
func (t Expiry) AtRisk(now time.Time, short bool) string {
	switch {
	case !t.Known() || !now.Before(t.Latest):
		return "at risk"
	case short:
		return "risk ≤" + strings.ReplaceAll(units.AtMost(t.Latest.Sub(now)), " ", "")
	}
	return "at risk ≤ " + units.AtMost(t.Latest.Sub(now))
}

// Known reports whether there are bounds.
func (t Expiry) Known() bool { return !t.Latest.IsZero() }

// Expires says when, as far as known at now. The short form fits a row.
func (t Expiry) Expires(now time.Time, short bool) string {
	switch {
	case !t.Known():
		return "expires with its session"
	case !now.Before(t.Latest):
		return "overdue"
	case short:
		return "expires ≤ " + units.AtMost(t.Latest.Sub(now))
	}
	return "expires in at most " + units.AtMost(t.Latest.Sub(now))
}

// Brief is that for w cells of a row. What was not done by us is called a
// risk: the servers have only not heard from it.
func (t Expiry) Brief(now time.Time, w int) string {
	if t.Faulty() {
		return t.Expires(now, w < 24)
	}
	for _, short := range []bool{false, true} {
		if text := "at risk, " + t.Expires(now, short); term.Width(text) <= w {
			return text
		}
	}
	return t.AtRisk(now, false)
}
