package lesson

import (
	"slices"
	"strconv"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// Event names what a condition waits for. Who, To, Cause and Belief are fields of [Condition].
type Event string

const (
	Joined       Event = "joined"       // Who joined again; You: the user's own candidate joined; "": any contender joined
	Left         Event = "left"         // Who left
	Handoff      Event = "handoff"      // leadership passed from Who to To, for a Cause
	Elected      Event = "elected"      // Who was elected, but did not acknowledge in time
	Acknowledged Event = "acknowledged" // Who leads and acknowledged
	Ghosted      Event = "ghost"        // a second contender of Who's session joined
	AllSettled   Event = "all settled"  // see [Settled]

	Done      Event = "done"     // the act was done to its target
	Found     Event = "found"    // Who lost a create reply, and found its znode by the guid
	Believes  Event = "believes" // Who has the Belief
	Believers Event = "believers of two leaders"
	Watches   Event = "watches" // Who watches To

	Recipe          Event = "recipe"
	GuardOn         Event = "guard on"
	GuardOff        Event = "guard off"
	Slowed          Event = "slowed"
	FullSpeed       Event = "full speed"
	DeletionCounted Event = "wake"          // the server has counted what the deletion of Who's znode caused
	StaleWrite      Event = "stale write"   // a stale write of Who's worker was accepted
	GuardRefused    Event = "guard refused" // the guard refused a write of Who's worker
	TokenRefused    Event = "token refused" // the outside resource refused the token of Who's worker
)

// lasting lists the events that must be true when the wait ends.
var lasting = []Event{AllSettled, Recipe, GuardOn, GuardOff, Slowed, FullSpeed}

func held(s *doctor.State) bool { return s.Pace != nil && s.Pace.Steps && s.Pace.Waiting > 0 }

// waitingCount in [Condition.Count] stands for the number of contenders at the beginning of the wait,
// without the leader.
const waitingCount = "waiting"

// Condition describes an event or a state. Each [Event] uses only some of the fields.
type Condition struct {
	Event    Event        `toml:"event"`
	Who      Role         `toml:"who"`
	To       Role         `toml:"to"`
	Cause    model.Cause  `toml:"cause"`
	Belief   model.Belief `toml:"belief"`
	Recipe   string       `toml:"recipe"`
	Count    string       `toml:"count"`    // of notified candidates: digits, "waiting", or "" for any
	Notified Role         `toml:"notified"` // one of the notified candidates
	Used     bool         `toml:"used"`     // the new contender's sequence number is lower than holders.next
	// Then makes the condition count only after all conditions before it were met.
	Then bool `toml:"then"`
}

type change struct {
	before, after *doctor.State
	events        []model.Event
	holders       *holders
	done          bool
}

func (c *Condition) met(m *change) bool { return vocabulary[c.Event](c, m) }

var vocabulary = map[Event]func(*Condition, *change) bool{
	Joined: on(func(c *Condition, m *change, j model.Joined) bool {
		used := j.Candidate.HasSequence && j.Candidate.Sequence < m.holders.next
		return !j.Ignored && (c.Who == "" || m.owns(c.Who, j.Candidate)) && (!c.Used || used)
	}),
	Left: on(func(c *Condition, m *change, l model.Left) bool { return m.is(c.Who, l.Candidate) }),
	Handoff: on(func(c *Condition, m *change, h model.Handoff) bool {
		return m.is(c.Who, h.From) && m.is(c.To, h.To) && (c.Cause == "" || c.Cause == h.Cause)
	}),
	Elected: on(func(c *Condition, m *change, h model.Handoff) bool {
		l := m.after.First() // may be a ghost
		return h.To != nil && h.Takeover == nil && m.is(c.Who, h.To) && l != nil && l.ID() == h.To.ID() && !m.after.Acknowledged()
	}),
	Acknowledged: func(c *Condition, m *change) bool { return m.after.Acknowledged() && m.is(c.Who, m.after.Leader()) },
	Ghosted: on(func(c *Condition, m *change, j model.Joined) bool {
		x := j.Candidate
		return !j.Ignored && m.owns(c.Who, x) && x.Session != 0 && m.after.Queue.Index(func(o *dialect.Candidate) bool {
			return o.Session == x.Session && o.ID() != x.ID()
		}) >= 0
	}),
	AllSettled: func(_ *Condition, m *change) bool { return Settled(m.after) },

	Done: func(_ *Condition, m *change) bool { return m.done },
	Found: ofMember(func(c *Condition, m *change, x *model.Member) bool {
		old := m.before.MemberByID(x.ID)
		return old != nil && !old.StepOn.Found && x.StepOn.Found
	}),
	Believes:  ofMember(func(c *Condition, _ *change, x *model.Member) bool { return x.Belief == c.Belief }),
	Believers: func(_ *Condition, m *change) bool { return len(m.after.Properties.Believers) >= 2 },
	Watches: ofMember(func(c *Condition, m *change, x *model.Member) bool {
		to := m.holders.of[c.To]
		return to.queued && x.Watches == to.id.Name
	}),

	Recipe:    func(c *Condition, m *change) bool { return m.after.Recipe != nil && m.after.Recipe.Name() == c.Recipe },
	GuardOn:   func(_ *Condition, m *change) bool { return m.after.Work.Rules.Fenced },
	GuardOff:  func(_ *Condition, m *change) bool { return !m.after.Work.Rules.Fenced },
	Slowed:    func(_ *Condition, m *change) bool { return m.after.Pace.Slowed() },
	FullSpeed: func(_ *Condition, m *change) bool { return !m.after.Pace.Slowed() },
	DeletionCounted: func(c *Condition, m *change) bool {
		w, to := m.countedDeletion(c.Who), m.holders.of[c.Notified]
		want, err := strconv.Atoi(c.Count)
		if c.Count == waitingCount {
			want, err = m.holders.count-1, nil
		}
		return w != nil && (err != nil || want == len(w.Notified)) && (c.Notified == "" || slices.Contains(w.Notified, to.session))
	},
	StaleWrite:   wrote(func(w *model.Tried) bool { return w.Stale && !w.Refused }),
	GuardRefused: wrote(func(w *model.Tried) bool { return w.Resource == model.Counter && w.Fenced && w.Refused }),
	TokenRefused: wrote(func(w *model.Tried) bool { return w.Resource == model.Tokens && w.Refused }),
}

func on[E model.EventBody](is func(*Condition, *change, E) bool) func(*Condition, *change) bool {
	return func(c *Condition, m *change) bool {
		return slices.ContainsFunc(m.events, func(x model.Event) bool {
			e, ok := x.Body.(E)
			return ok && is(c, m, e)
		})
	}
}

func ofMember(is func(*Condition, *change, *model.Member) bool) func(*Condition, *change) bool {
	return func(c *Condition, m *change) bool {
		x := m.after.MemberByID(m.holders.of[c.Who].member)
		return x != nil && is(c, m, x)
	}
}

func wrote(is func(*model.Tried) bool) func(*Condition, *change) bool {
	return func(c *Condition, m *change) bool {
		return slices.ContainsFunc(m.writes(), func(w model.Tried) bool {
			return w.Write != nil && w.Member == m.holders.of[c.Who].member && is(&w)
		})
	}
}

func (m *change) is(role Role, x *dialect.Candidate) bool {
	if role == "" || role == Nobody || x == nil {
		return role == "" || role == Nobody && x == nil
	}
	a := m.holders.of[role]
	return a.queued && a.id == x.ID()
}

func (m *change) owns(role Role, x *dialect.Candidate) bool {
	mine, a := m.after.Member(x), m.holders.of[role]
	if role == You {
		return mine != nil && mine.You
	}
	return mine != nil && mine.ID == a.member || a.session != 0 && x.Session == a.session
}

const recent = 16

func (m *change) countedDeletion(role Role) *model.ReportedDeletion {
	for _, w := range m.after.Deletions[max(0, len(m.after.Deletions)-recent):] {
		if a := m.holders.of[role]; w.Settled && a.queued && w.Znode == a.id.Name && w.Zxid > a.id.Czxid {
			return w
		}
	}
	return nil
}

func (m *change) writes() []model.Tried {
	tries := func(s *doctor.State) int {
		w := &s.Work
		return w.Counter.Accepted + w.Counter.Refused + w.Tokens.Accepted + w.Tokens.Refused
	}
	last := m.after.Work.Last
	return last[len(last)-min(max(0, tries(m.after)-tries(m.before)), len(last)):]
}

// Settled reports whether there are n contenders. An election must also be settled: see [Settled]. For a
// barrier and for a queue, the result is true, because their members are no contenders.
func (u *Setup) Settled(s *doctor.State, n int) bool {
	switch u.Kind {
	case dialect.KindBarrier, dialect.KindQueue:
		return true
	case "":
		return s.Queue.Len() == n && Settled(s)
	}
	return s.Queue.Len() == n
}

// Settled reports whether the leader has acknowledged, and each member without a fault waits in the queue or leads,
// uses the election's recipe and is not leaving. A ghost, and a leader with SlowLead, need not acknowledge.
func Settled(s *doctor.State) bool {
	first := s.First()
	if m := s.Member(first); !s.Acknowledged() && (m == nil || !m.SlowLead && m.Znode == first.Name) {
		return false
	}
	return !slices.ContainsFunc(s.Members, func(m *model.Member) bool {
		knows := m.Belief == model.Waiting || m.Belief == model.Leading || m.Belief == model.Elected && m.SlowLead
		queued := s.Queue.Index(func(c *dialect.Candidate) bool { return c.Name == m.Znode }) >= 0
		return m.Fault == model.NoFault && (!knows || !queued || m.Ending != model.NoEnding || m.Recipe != s.Recipe.Name())
	})
}
