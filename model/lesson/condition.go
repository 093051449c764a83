package lesson

import (
	"slices"
	"strconv"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// Number is a number of contenders: digits, or "waiting": all contenders when the
// wait began, except the leader.
type Number string

// Condition is something that happens. Fields that are not set do not matter.
type Condition struct {
	Event  Event        `toml:"event"`
	Who    Role         `toml:"who"`
	To     Role         `toml:"to"`
	Cause  model.Cause  `toml:"cause"`
	Belief model.Belief `toml:"belief"`
	Recipe string       `toml:"recipe"`
	// Count is how many were notified, believe, or are watches on the list of
	// children.
	Count Number `toml:"count"`
	Told  Role   `toml:"told"` // who was notified, among others
	Seq   string `toml:"seq"`  // of who joined: "new" or "used" before
	// Times is how often it has to happen, 0 is once.
	Times int `toml:"times"`
	// Then: it counts only after those before it in the list.
	Then bool `toml:"then"`
	// Already: it counts if it was so when the waiting began.
	Already bool `toml:"already"`
}

// moment is one observation, as conditions see it.
type moment struct {
	before, after *doctor.State
	events        []model.Event
	cast          *cast
	since         time.Time // when the waiting began
	asked         time.Time // tables of servers that were asked later count
}

// stale reports something that happened shortly before the waiting began, and
// was only told later: events wait behind a handoff. A clock that was put back
// does not make everything stale.
func (m *moment) stale(at time.Time) bool {
	d := m.since.Sub(at)
	return d > 0 && d <= 2*model.AckWait
}

// each calls f with the events that count.
func (m *moment) each(f func(model.EventBody)) {
	for i := range m.events {
		if e := &m.events[i]; !m.stale(e.At) {
			f(e.Body)
		}
	}
}

// met returns how often the condition came true.
func (c *Condition) met(m *moment) (n int) {
	yes := func(b bool) {
		if b {
			n++
		}
	}
	switch c.Event {
	case Joined:
		m.each(func(e model.EventBody) {
			j, ok := e.(model.Joined)
			yes(ok && !j.Ignored && m.owns(c.Who, j.Candidate) && c.numbered(m, j.Candidate))
		})
	case Left:
		m.each(func(e model.EventBody) {
			l, ok := e.(model.Left)
			yes(ok && !l.Ignored && m.is(c.Who, l.Candidate) && (c.Cause == "" || c.Cause == m.cause(l.Candidate)))
		})
	case Handoff:
		m.each(func(e model.EventBody) {
			h, ok := e.(model.Handoff)
			yes(ok && m.is(c.Who, h.From) && m.is(c.To, h.To) && (c.Cause == "" || c.Cause == h.Cause))
		})
	case Elected:
		m.each(func(e model.EventBody) {
			h, ok := e.(model.Handoff)
			l := m.after.Leader()
			yes(ok && h.To != nil && h.Takeover == nil && m.is(c.Who, h.To) && l != nil && l.ID() == h.To.ID() && !m.after.Acknowledged())
		})
	case Ghosted:
		m.each(func(e model.EventBody) {
			j, ok := e.(model.Joined)
			yes(ok && !j.Ignored && m.owns(c.Who, j.Candidate) && twins(m.after, j.Candidate))
		})
	case Woke:
		m.wakes(func(w *model.Woken) { yes(c.woke(m, w)) })
	case StaleWrite, FenceHeld, TokenHeld:
		m.writes(func(w *model.Tried) { yes(c.wrote(m, w)) })
	case Counted, Asked, Verified, NotVerified, Unwatched:
		yes(c.tabled(m))
	case Found:
		m.members(c.Who, func(old, now *model.Member) {
			yes(!old.StepOn.Found && now.StepOn.Found)
		})
	case Thawed:
		m.members(c.Who, func(old, now *model.Member) {
			yes(old.Fault == model.Frozen && now.Fault == model.NoFault)
		})
	default:
		yes(c.holds(m.after, m.cast) && !c.holds(m.before, m.cast))
	}
	return n
}

// number returns what a number stands for.
func (c *cast) number(n Number) (int, bool) {
	switch n {
	case "":
		return 0, false
	case "waiting":
		return c.count - 1, true
	}
	i, err := strconv.Atoi(string(n))
	return i, err == nil
}

// counted reports whether n is the number that the condition wants.
func (c *Condition) counted(m *moment, n int) bool {
	want, ok := m.cast.number(c.Count)
	return !ok || n == want
}

func (c *Condition) numbered(m *moment, x *dialect.Candidate) bool {
	switch {
	case c.Seq == "":
		return true
	case !x.HasSequence || m.cast.next < 0:
		return false
	}
	return (x.Sequence >= m.cast.next) == (c.Seq == seqNew)
}

// What [Condition.Seq] says.
const (
	seqNew  = "new"
	seqUsed = "used"
)

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
	return x.Session != 0 && slices.ContainsFunc(s.Queue, func(o *dialect.Candidate) bool {
		return o.Session == x.Session && o.ID() != x.ID()
	})
}

// members calls f with those of ours that have changed.
func (m *moment) members(role Role, f func(old, now *model.Member)) {
	if role != "" {
		id := m.cast.found[role].member
		old, now := memberNamed(m.before, id), memberNamed(m.after, id)
		if old != nil && now != nil && old != now {
			f(old, now)
		}
		return
	}
	i := 0 // both are sorted by ID
	for _, now := range m.after.Members {
		for i < len(m.before.Members) && m.before.Members[i].ID < now.ID {
			i++
		}
		if i < len(m.before.Members) && m.before.Members[i].ID == now.ID && m.before.Members[i] != now {
			f(m.before.Members[i], now)
		}
	}
}
