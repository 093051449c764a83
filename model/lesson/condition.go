package lesson

import (
	"strconv"

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
	Count    Number `toml:"count"`
	Notified Role   `toml:"notified"` // among others
	Seq      string `toml:"seq"`      // of who joined: "new" or "used" before
	// Times is how often it has to happen, 0 is once.
	Times int `toml:"times"`
	// Then: it counts only after those before it in the list.
	Then bool `toml:"then"`
	// Already: it counts if it was so when the waiting began.
	Already bool `toml:"already"`
}

// met returns how often the condition came true.
func (c *Condition) met(m *moment) int {
	if happens := vocabulary[c.Event].happens; happens != nil {
		return happens(c, m)
	}
	if c.holds(m.after, m.cast) && !c.holds(m.before, m.cast) {
		return 1
	}
	return 0
}

// right reports whether an option's condition came true by now; before is whether it
// had before.
func (c *Condition) right(m *moment, before bool) bool {
	switch x := vocabulary[c.Event]; {
	case x.now && x.holds != nil:
		return x.holds(c, m.after, m.cast)
	case x.now:
		return x.happens(c, m) > 0
	}
	return before || c.met(m) > 0
}

// lasting reports whether the condition is a state that lasts, for [Condition.holds].
func (c *Condition) lasting() bool { return vocabulary[c.Event].holds != nil }

// holds reports whether it is so in a state.
func (c *Condition) holds(s *doctor.State, who *cast) bool {
	return vocabulary[c.Event].holds(c, s, who)
}

// number returns the value of a number.
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
