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
	// Blocked: a child that no session owns has a contender's name and comes before
	// all contenders. Clients that read only names wait for it.
	Blocked Doubt = "blocked"
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
		if doubt := d.doubt(queue); doubt != "" {
			return doubt
		}
	}
	if d.Blocker(queue, others) != nil {
		return Blocked
	}
	return ""
}

// Blocker returns the child that [Blocked] is about, nil for none.
func (d *Dialect) Blocker(queue, others []*Candidate) *Candidate {
	if d == nil || len(queue) == 0 {
		return nil
	}
	var owned Candidate
	for _, c := range others {
		if c.Session != 0 || c.Unread || !c.HasSequence {
			continue
		}
		owned = *c
		owned.Session = 1 // as it looks to who reads the name alone
		if !d.Recipe.Contends(&owned) || !d.Recipe.Before(&owned, queue[0]) {
			continue
		}
		if all := append([]*Candidate{&owned}, queue...); d.Recipe.Holders(all) == 1 {
			return c
		}
	}
	return nil
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
