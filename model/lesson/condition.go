package lesson

import (
	"slices"
	"strconv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// Event says what a condition waits for.
type Event string

const (
	// Of the queue.
	Joined  Event = "joined"  // a new contender; Who: one of ours that rejoined, or "you"
	Left    Event = "left"    // Who
	Handoff Event = "handoff" // from Who to To, for a Cause
	// Elected: Who leads, but did not acknowledge within the time that a handoff
	// allows. Acknowledged: it did.
	Elected      Event = "elected"
	Acknowledged Event = "acknowledged"
	Ghosted      Event = "ghost"       // the session of Who owns two contenders
	AllSettled   Event = "all settled" // all of ours are in the queue and know their place, and one leads

	// Of our own candidates.
	Done      Event = "done"     // what the act does to its target
	Found     Event = "found"    // Who found its znode by the name
	Believes  Event = "believes" // Who: Belief
	Believers Event = "believers of two leaders"
	Watches   Event = "watches" // Who: To

	// Of the demo as a whole.
	Recipe     Event = "recipe"
	GuardOn    Event = "guard on"
	GuardOff   Event = "guard off"
	Slowed     Event = "slowed"
	FullSpeed  Event = "full speed"
	Woke       Event = "wake"          // what the deletion of Who caused is counted to the end
	StaleWrite Event = "stale write"   // of Who's worker
	GuardHeld  Event = "guard refused" // a worker's write, because its leader's znode is gone
	TokenHeld  Event = "token refused" // by the outside resource, which saw a higher token
)

// waiting is the [Condition.Count] of all contenders, when the wait began, except the leader.
const waitingCount = "waiting"

// Condition is something that happens. Fields that are not set do not matter.
type Condition struct {
	Event    Event        `toml:"event"`
	Who      Role         `toml:"who"`
	To       Role         `toml:"to"`
	Cause    model.Cause  `toml:"cause"`
	Belief   model.Belief `toml:"belief"`
	Recipe   string       `toml:"recipe"`
	Count    string       `toml:"count"`    // how many were notified: digits, or "waiting"
	Notified Role         `toml:"notified"` // among others
	Used     bool         `toml:"used"`     // who joined has a number that was used before
	// Then: it counts only after those before it in the list.
	Then bool `toml:"then"`
}

// moment is one observation, as conditions see it.
type moment struct {
	before, after *doctor.State
	events        []model.Event
	cast          *cast
	done          bool // what the act does to its target was done
}

// met reports whether the condition is true: something happened in the moment, or a
// state that lasts is so after it.
func (c *Condition) met(m *moment) bool { return vocabulary[c.Event](c, m) }

var vocabulary = map[Event]func(*Condition, *moment) bool{
	Joined: on(func(c *Condition, m *moment, j model.Joined) bool {
		used := j.Candidate.HasSequence && j.Candidate.Sequence < m.cast.next
		return !j.Ignored && (c.Who == "" || m.owns(c.Who, j.Candidate)) && (!c.Used || used)
	}),
	Left: on(func(c *Condition, m *moment, l model.Left) bool { return m.is(c.Who, l.Candidate) }),
	Handoff: on(func(c *Condition, m *moment, h model.Handoff) bool {
		return m.is(c.Who, h.From) && m.is(c.To, h.To) && (c.Cause == "" || c.Cause == h.Cause)
	}),
	Elected: on(func(c *Condition, m *moment, h model.Handoff) bool {
		l := m.after.First() // also a ghost
		return h.To != nil && h.Takeover == nil && m.is(c.Who, h.To) && l != nil && l.ID() == h.To.ID() && !m.after.Acknowledged()
	}),
	Acknowledged: func(c *Condition, m *moment) bool { return m.after.Acknowledged() && m.is(c.Who, m.after.Leader()) },
	Ghosted: on(func(c *Condition, m *moment, j model.Joined) bool {
		x := j.Candidate
		return !j.Ignored && m.owns(c.Who, x) && x.Session != 0 && m.after.Queue.Index(func(o *dialect.Candidate) bool {
			return o.Session == x.Session && o.ID() != x.ID()
		}) >= 0
	}),
	AllSettled: func(_ *Condition, m *moment) bool { return Settled(m.after) },

	Done: func(_ *Condition, m *moment) bool { return m.done },
	Found: ours(func(c *Condition, m *moment, x *model.Member) bool {
		old := memberNamed(m.before, x.ID)
		return old != nil && !old.StepOn.Found && x.StepOn.Found
	}),
	Believes:  ours(func(c *Condition, _ *moment, x *model.Member) bool { return x.Belief == c.Belief }),
	Believers: func(_ *Condition, m *moment) bool { return len(m.after.Properties.Believers) >= 2 },
	Watches: ours(func(c *Condition, m *moment, x *model.Member) bool {
		to := m.cast.found[c.To]
		return to.stands && x.Watches == to.id.Name
	}),

	Recipe:    func(c *Condition, m *moment) bool { return m.after.Recipe != nil && m.after.Recipe.Name() == c.Recipe },
	GuardOn:   func(_ *Condition, m *moment) bool { return m.after.Work.Rules.Fenced },
	GuardOff:  func(_ *Condition, m *moment) bool { return !m.after.Work.Rules.Fenced },
	Slowed:    func(_ *Condition, m *moment) bool { return Slow(m.after) },
	FullSpeed: func(_ *Condition, m *moment) bool { return !Slow(m.after) },
	Woke: func(c *Condition, m *moment) bool {
		w, to := m.wake(c.Who), m.cast.found[c.Notified]
		want, err := strconv.Atoi(c.Count)
		if c.Count == waitingCount {
			want, err = m.cast.count-1, nil
		}
		return w != nil && (err != nil || want == len(w.Notified)) && (c.Notified == "" || slices.Contains(w.Notified, to.session))
	},
	StaleWrite: wrote(func(w *model.Tried) bool { return w.Stale && !w.Refused }),
	GuardHeld:  wrote(func(w *model.Tried) bool { return w.Resource == model.Counter && w.Fenced && w.Refused }),
	TokenHeld:  wrote(func(w *model.Tried) bool { return w.Resource == model.Tokens && w.Refused }),
}

// on reports whether is returns true for an event of a type.
func on[E model.EventBody](is func(*Condition, *moment, E) bool) func(*Condition, *moment) bool {
	return func(c *Condition, m *moment) bool {
		return slices.ContainsFunc(m.events, func(x model.Event) bool {
			e, ok := x.Body.(E)
			return ok && is(c, m, e)
		})
	}
}

// ours reports whether is returns true for Who.
func ours(is func(*Condition, *moment, *model.Member) bool) func(*Condition, *moment) bool {
	return func(c *Condition, m *moment) bool {
		x := memberNamed(m.after, m.cast.found[c.Who].member)
		return x != nil && is(c, m, x)
	}
}

// wrote reports whether is returns true for a new write of Who.
func wrote(is func(*model.Tried) bool) func(*Condition, *moment) bool {
	return func(c *Condition, m *moment) bool {
		return slices.ContainsFunc(m.writes(), func(w model.Tried) bool {
			return w.Write != nil && w.Member == m.cast.found[c.Who].member && is(&w)
		})
	}
}

// is reports whether x has the role, which "" leaves open.
func (m *moment) is(role Role, x *dialect.Candidate) bool {
	if role == "" || role == Nobody || x == nil {
		return role == "" || role == Nobody && x == nil
	}
	a := m.cast.found[role]
	return a.stands && a.id == x.ID()
}

// owns reports whether x belongs to who had the role, by whatever name.
func (m *moment) owns(role Role, x *dialect.Candidate) bool {
	mine, a := m.after.Member(x), m.cast.found[role]
	if role == You {
		return mine != nil && mine.You
	}
	return mine != nil && mine.ID == a.member || a.session != 0 && x.Session == a.session
}

// recent is how many of the last wakes are looked at.
const recent = 16

// wake returns what the deletion of the one with the role caused, nil until it is counted to
// the end.
func (m *moment) wake(role Role) *model.Woken {
	for _, w := range m.after.Wakes[max(0, len(m.after.Wakes)-recent):] {
		if a := m.cast.found[role]; w.Settled && a.stands && w.Znode == a.id.Name {
			return w
		}
	}
	return nil
}

// writes returns the attempts that are new.
func (m *moment) writes() []model.Tried {
	tries := func(s *doctor.State) int {
		w := &s.Work
		return w.Counter.Accepted + w.Counter.Refused + w.Tokens.Accepted + w.Tokens.Refused
	}
	last := m.after.Work.Last
	return last[len(last)-min(max(0, tries(m.after)-tries(m.before)), len(last)):]
}

// Slow reports whether the server delays or holds messages.
func Slow(s *doctor.State) bool { return s.Pace != nil && (s.Pace.Steps || s.Pace.Delay > 0) }

// Settled reports whether each of ours without a fault has its place in the queue, by the
// recipe of the election, and knows it, and the first one leads if nothing prevents it.
func Settled(s *doctor.State) bool {
	first := s.First()
	if m := s.Member(first); !s.Acknowledged() && (m == nil || !m.SlowLead && m.Znode == first.Name) {
		return false
	}
	return !slices.ContainsFunc(s.Members, func(m *model.Member) bool {
		knows := m.Belief == model.Waiting || m.Belief == model.Leading || m.Belief == model.Elected && m.SlowLead
		stands := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Name == m.Znode }) >= 0
		return m.Fault == model.NoFault && (!knows || !stands || m.Ending != model.NoEnding || m.Recipe != s.Recipe.Name())
	})
}
