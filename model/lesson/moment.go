package lesson

import (
	"slices"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// moment is one observation, as conditions see it.
type moment struct {
	before, after *doctor.State
	events        []model.Event
	cast          *cast
	since         time.Time // when the waiting began
	asked         time.Time // tables of servers that were asked later count
}

// each calls f with the events that count.
func (m *moment) each(f func(model.EventBody)) {
	for i := range m.events {
		f(m.events[i].Body)
	}
}

// is reports whether x has the role, which "" leaves open.
func (m *moment) is(role Role, x *dialect.Candidate) bool {
	return role == "" || m.cast.is(role, x)
}

// owns reports whether x belongs to who had the role, under whatever name.
func (m *moment) owns(role Role, x *dialect.Candidate) bool {
	if role == "" {
		return true
	}
	mine := m.after.Member(x)
	if role == You {
		return mine != nil && mine.You
	}
	a := m.cast.found[role]
	return mine != nil && mine.ID == a.member || a.session != 0 && x.Session == a.session
}

// fresh reports whether x is neither one of ours that was there when the waiting began,
// nor that one under another name.
func (m *moment) fresh(x *dialect.Candidate) bool {
	mine := m.after.Member(x)
	return mine == nil || !m.cast.here[mine.ID]
}

// cause is why one of ours left: a session cannot have expired before the end
// of its lease.
func (m *moment) cause(x *dialect.Candidate) model.Cause {
	mine := m.before.Member(x)
	switch {
	case mine == nil:
	case mine.Ending == model.Resigning:
		return model.CauseResigned
	case mine.Ending == model.Closing:
		return model.CauseClosed
	case mine.Fault != model.NoFault && !mine.ExpiresFrom.IsZero() && !m.after.At.Before(mine.ExpiresFrom):
		return model.CauseExpired
	}
	return model.CauseUnknown
}

// twins reports whether x's session owns another contender.
func twins(s *doctor.State, x *dialect.Candidate) bool {
	return x.Session != 0 && s.Queue.Index(func(o *dialect.Candidate) bool {
		return o.Session == x.Session && o.ID() != x.ID()
	}) >= 0
}

// members calls f for those of ours that have changed.
func (m *moment) members(f func(old, now *model.Member)) {
	for _, now := range m.after.Members {
		if old := memberNamed(m.before, now.ID); old != nil && old != now {
			f(old, now)
		}
	}
}

// newTable reports whether the servers have answered again, and were asked late
// enough.
func (m *moment) newTable() bool {
	t := m.after.Table
	return t != nil && m.before.Table != t && t.At.After(m.asked)
}

// stale reports a deletion shortly before the waiting began, of which the last word comes
// later. A clock that was put back does not make everything stale.
func (m *moment) stale(deleted time.Time) bool {
	d := m.since.Sub(deleted)
	return d > 0 && d <= 2*model.AckWait
}

// recent is how many of the last wakes are looked at after each observation.
const recent = 16

// wakes calls f with those of which the last word has come.
func (m *moment) wakes(f func(*model.Woken)) {
	after := m.after.Wakes
	after = after[max(0, len(after)-recent):]
	for _, w := range after {
		if !w.Settled || m.stale(w.Deleted) {
			continue
		}
		old := m.before.Wakes
		old = old[max(0, len(old)-2*recent):]
		if slices.ContainsFunc(old, func(o *model.Woken) bool { return o.Zxid == w.Zxid && o.Settled }) {
			continue
		}
		f(w)
	}
}

// writes calls f with the attempts that are new.
func (m *moment) writes(f func(*model.Tried)) {
	tries := func(s *doctor.State) int {
		w := &s.Work
		return w.Counter.Accepted + w.Counter.Refused + w.Tokens.Accepted + w.Tokens.Refused
	}
	last := m.after.Work.Last
	n := min(tries(m.after)-tries(m.before), len(last))
	for i := len(last) - max(0, n); i < len(last); i++ {
		if last[i].Write != nil {
			f(&last[i])
		}
	}
}
