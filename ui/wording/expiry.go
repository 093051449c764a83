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

// Expiry is a contender whose session is about to expire while its znode still
// exists: a member of ours that was killed or frozen, or any contender that the
// servers do not hear from.
type Expiry struct {
	Row    rows.Row
	Found  *doctor.Risk // the risk in the servers' tables, nil for none
	Latest time.Time    // the session expires by then; zero: not known
}

// ExpiryOf returns the expiry that r faces.
//
// The server counts from the last frame that it received, which was not after the fault.
// It looks for expired sessions once a tick and rounds up to it. The tick is at most
// half of the shortest timeout that it grants, so at most half of this one.
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
		t.Latest = t.Found.By
		return t, true
	}
	if heldBack(s, m.Session) {
		return t, true // its deadline does not come nearer, and is unknown
	}
	if m.Timeout > 0 && !m.FaultAt.IsZero() {
		tick := tickOf(s, m)
		t.Latest = m.FaultAt.Add(m.Timeout + tick + tick/2 + expiryCommit)
	}
	if t.Found != nil && !t.Found.By.IsZero() && (t.Latest.IsZero() || t.Found.By.Before(t.Latest)) {
		t.Latest = t.Found.By
	}
	return t, true
}

// expiryCommit is how long the ensemble takes to agree on the end of a session.
const expiryCommit = time.Second

// tickOf is the tick of the servers. They round a session's expiry up to it, and
// the ensemble leader hears of a session up to half a tick late. If they did not
// report it, it is at most half of the timeout that they granted, unless they are
// set to grant less than two ticks.
func tickOf(s *doctor.State, m *model.Member) (tick time.Duration) {
	if s.Answers != nil {
		for i := range s.Answers.Servers {
			tick = max(tick, s.Answers.Servers[i].Tick)
		}
	}
	if tick == 0 {
		tick = m.Timeout / 2
	}
	return tick
}

// heldBack reports whether the slowed server holds a message for a session.
func heldBack(s *doctor.State, session uint64) bool {
	return s.Pace != nil && slices.ContainsFunc(s.Pace.Held, func(m model.Message) bool { return m.Session == session })
}

// Faulty reports whether it is a member of ours with a fault.
func (t Expiry) Faulty() bool { return t.Row.Member != nil && t.Row.Member.Fault != model.NoFault }

// AtRisk says that the contender is at risk, and the upper bound.
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

// Expires says when it expires, as far as known at now.
func (t Expiry) Expires(now time.Time) string {
	switch {
	case !t.Known():
		return "expires with its session"
	case !now.Before(t.Latest):
		return "overdue"
	}
	return "expires ≤ " + units.AtMost(t.Latest.Sub(now))
}

// Brief is Expires for w cells of a row. Without a fault of ours it is called a
// risk: all that is known is that the servers do not hear from it.
func (t Expiry) Brief(now time.Time, w int) string {
	if t.Faulty() {
		return t.Expires(now)
	}
	if text := "at risk, " + t.Expires(now); term.Width(text) <= w {
		return text
	}
	return t.AtRisk(now, false)
}
