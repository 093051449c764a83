package lesson

import (
	"maps"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

// cast is who has which role in one state.
type cast struct {
	found map[Role]actor
	// count is the number of contenders, next the sequence of the next one.
	count int
	next  int64
	// here are our own candidates, by ID: who is not among them is new.
	here map[string]bool
}

func castOf(s *doctor.State, roles []Role) *cast {
	c := &cast{found: make(map[Role]actor, len(roles)), next: -1, here: make(map[string]bool, len(s.Members))}
	for _, m := range s.Members {
		c.here[m.ID] = true
	}
	c.count = s.Queue.Len()
	if s.NextSequenceKnown {
		c.next = int64(s.NextSequence)
	}
	for _, role := range roles {
		c.found[role] = look(s, role)
	}
	return c
}

// look returns who has a role.
func look(s *doctor.State, role Role) actor {
	n := s.Queue.Len()
	at := func(i int, enough bool) actor {
		if !enough || i < 0 || i >= n {
			return actor{}
		}
		return contender(s, s.Queue.At(i))
	}
	mine := func(is func(*model.Member) bool) actor {
		for _, m := range s.Members {
			if is(m) {
				return member(s, m)
			}
		}
		return actor{}
	}
	switch role {
	case Leader:
		return contender(s, s.First())
	case Second:
		return at(1, true)
	case Third:
		return at(2, true)
	case BeforeMiddle:
		return at(n/2-1, n >= 4)
	case Middle:
		return at(n/2, n >= 4)
	case AfterMiddle:
		return at(n/2+1, n >= 4)
	case Last:
		return at(n-1, n >= 2)
	case FrozenOne:
		return mine(func(m *model.Member) bool { return m.Fault == model.Frozen })
	case SlowOne:
		for _, c := range s.Queue.All() {
			if m := s.Member(c); m != nil && m.SlowLead {
				return contender(s, c)
			}
		}
		return mine(func(m *model.Member) bool { return m.SlowLead })
	case Guidless:
		return mine(func(m *model.Member) bool { return m.NoGuid })
	case Ghost:
		first := make(map[uint64]*dialect.Candidate, n)
		for _, c := range s.Queue.All() {
			if old := first[c.Session]; old != nil && c.Session != 0 {
				return contender(s, old)
			}
			first[c.Session] = c
		}
	}
	return actor{}
}

// with returns the cast with an actor in a role.
func (c *cast) with(role Role, a actor) *cast {
	out := *c
	out.found = maps.Clone(c.found)
	out.found[role] = a
	return &out
}

// without returns the cast without those of ours that are gone: another one may get
// the name.
func (c *cast) without(s *doctor.State) *cast {
	for id := range c.here {
		if memberNamed(s, id) == nil {
			out := *c
			out.here = maps.Clone(c.here)
			delete(out.here, id)
			c = &out
		}
	}
	return c
}

// same reports whether two casts are the same people in the same places.
func (c *cast) same(o *cast) bool {
	return o != nil && c.count == o.count && c.next == o.next && maps.Equal(c.found, o.found)
}

// lacks returns what to do about a role without a candidate; "" if every role has
// one.
func (c *cast) lacks(roles []Role) string {
	for _, role := range roles {
		if c.found[role].label == "" {
			return lacking[role]
		}
	}
	return ""
}

// is reports whether the contender has the role.
func (c *cast) is(role Role, x *dialect.Candidate) bool {
	if x == nil || role == Nobody {
		return x == nil && role == Nobody
	}
	a := c.found[role]
	return a.stands && a.id == x.ID()
}

// left reports whether the znode that had the role is gone; quit reports
// whether our candidate that had the role is gone.
func (c *cast) left(role Role, s *doctor.State) bool {
	a := c.found[role]
	_, i := s.Candidate(a.id)
	return a.stands && i < 0
}

func (c *cast) quit(role Role, s *doctor.State) bool {
	a := c.found[role]
	return a.member != "" && memberNamed(s, a.member) == nil
}

const dead = " is dead. The lesson continues when its session has expired and its znode is deleted."

// cannot says why electop cannot act on a, "" if it can.
func (a actor) cannot(s *doctor.State) string {
	switch {
	case a.member == "":
		return a.label + " belongs to another program, which electop cannot control: < goes back, > skips this."
	case memberNamed(s, a.member) == nil:
		return a.label + dead
	}
	return ""
}

// memberNamed returns our own candidate with that ID, nil for none.
func memberNamed(s *doctor.State, id string) *model.Member {
	for _, m := range s.Members {
		if m.ID == id {
			return m
		}
	}
	return nil
}
