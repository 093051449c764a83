package dialect

import "slices"

// Doubt is why the children themselves do not show that the head of the queue leads,
// "" where they do.
type Doubt string

const (
	// MixedClients: clients of two libraries, or of two versions, share the queue, and
	// some may not count the others.
	MixedClients Doubt = "mixed-clients"
	// NotElected: the members appoint their leader, and none has been appointed, or
	// the one that was does not lead yet.
	NotElected Doubt = "not-elected"
	// SeveralElections: the children are of several elections in one directory.
	SeveralElections Doubt = "several-elections"
	// Over: a child says that nobody is elected here any more.
	Over Doubt = "over"
)

// Doubt returns why queue, and the other children, which are ordered by name, do not
// show a leader.
func (d *Dialect) Doubt(queue, others []*Candidate) Doubt {
	switch {
	case d == nil:
		return ""
	case d.Ended(others):
		return Over
	case d.Blind(queue) != nil:
		return MixedClients
	case d.doubt != nil:
		return d.doubt(queue)
	}
	return ""
}

// Ended reports whether a child says that nobody is elected here any more. [Dialect.Over]
// says what that means.
func (d *Dialect) Ended(others []*Candidate) bool {
	if d == nil || d.over == "" {
		return false
	}
	return slices.ContainsFunc(others, func(c *Candidate) bool { return c.Name == d.over })
}

// Blind returns the first contender that may not count the head of the queue, as a
// client of another library made that: if it does not, it leads too. nil for none.
func (d *Dialect) Blind(queue []*Candidate) *Candidate {
	if d == nil || d.sees == nil || len(queue) == 0 || d.sees(queue[0].Name) {
		return nil
	}
	for _, c := range queue[1:] {
		if d.sees(c.Name) {
			return c
		}
	}
	return nil
}
