package model

import (
	"cmp"
	"slices"

	"electop/model/dialect"
)

// children are those of the election as they were read last: the contenders in
// the recipe's order, and the others by name.
type children struct {
	recipe dialect.Recipe // the present one
	known  map[string]*dialect.Candidate
	queue  []*dialect.Candidate // contenders
	rest   []*dialect.Candidate
	// owned counts the contenders by the session that owns them. It is an index,
	// made when it is wanted.
	owned map[uint64]int32
}

// insert puts in a child whose name is not known. again is true for the second
// contender of a session.
func (cs *children) insert(c *dialect.Candidate) (again bool) {
	cs.known[c.Name] = c
	list, order := cs.list(c)
	if list == &cs.queue && c.Session != 0 {
		again = cs.count(c.Session) == 2
	}
	i, _ := slices.BinarySearchFunc(*list, c, order)
	*list = slices.Insert(*list, i, c)
	return again
}

// count counts another contender of the session.
func (cs *children) count(session uint64) int32 {
	if cs.owned == nil {
		cs.owned = make(map[uint64]int32, len(cs.queue)+1)
		for _, c := range cs.queue {
			cs.owned[c.Session]++
		}
	}
	cs.owned[session]++
	return cs.owned[session]
}

// discount takes a contender off the count.
func (cs *children) discount(c *dialect.Candidate) {
	if c.Session == 0 || cs.owned == nil {
		return
	}
	if cs.owned[c.Session]--; cs.owned[c.Session] <= 0 {
		delete(cs.owned, c.Session)
	}
}

// remove takes children out.
func (cs *children) remove(gone ...*dialect.Candidate) {
	for _, c := range gone {
		delete(cs.known, c.Name)
		if cs.recipe.Contends(c) {
			cs.discount(c)
		}
	}
	if len(gone) > removeMax {
		absent := func(c *dialect.Candidate) bool { return cs.known[c.Name] != c }
		cs.queue = slices.DeleteFunc(cs.queue, absent)
		cs.rest = slices.DeleteFunc(cs.rest, absent)
		return
	}
	for _, c := range gone {
		list, order := cs.list(c)
		if i, ok := slices.BinarySearchFunc(*list, c, order); ok {
			*list = slices.Delete(*list, i, i+1)
		}
	}
}

// removeMax is up to how many children are taken out one by one. Beyond, one
// walk over all is cheaper than to move the tail of the queue each time.
const removeMax = 32

// list returns where a child belongs, and the order there.
func (cs *children) list(c *dialect.Candidate) (*[]*dialect.Candidate, func(a, b *dialect.Candidate) int) {
	if cs.recipe.Contends(c) {
		return &cs.queue, cs.order
	}
	return &cs.rest, byName
}

// follow sorts the children again, by another recipe.
func (cs *children) follow(r dialect.Recipe) {
	cs.recipe = r
	all := slices.Concat(cs.queue, cs.rest)
	cs.queue, cs.rest = nil, nil
	for _, c := range all {
		list, _ := cs.list(c)
		*list = append(*list, c)
	}
	slices.SortFunc(cs.queue, cs.order)
	slices.SortFunc(cs.rest, byName)
	cs.owned = nil
}

// interpret reads all names by another dialect, nil for none, and calls renewed
// for each child of which it makes something else. The order is no longer good.
func (cs *children) interpret(d *dialect.Dialect, renewed func(old, c *dialect.Candidate)) {
	for _, list := range [][]*dialect.Candidate{cs.queue, cs.rest} {
		for i, old := range list {
			c := *old
			d.Interpret(&c)
			if !c.Reads(old) {
				list[i], cs.known[c.Name] = &c, &c
				renewed(old, &c)
			}
		}
	}
}

// first returns the head of the queue, nil for an empty queue.
func (cs *children) first() *dialect.Candidate {
	if cs.recipe.Holders(cs.queue) == 0 {
		return nil
	}
	return cs.queue[0]
}

// order is the recipe's order as a comparison.
func (cs *children) order(a, b *dialect.Candidate) int { return dialect.Compare(cs.recipe, a, b) }

// clear takes all out.
func (cs *children) clear() {
	clear(cs.known)
	cs.queue, cs.rest, cs.owned = nil, nil, nil
}

// has reports whether the child is there still.
func (cs *children) has(c *dialect.Candidate) bool {
	k := cs.known[c.Name]
	return k != nil && k.Czxid == c.Czxid
}

// counts reports whether c counts as a contender of the past. Of a child that was
// never read neither its owner nor the time of its creation is known.
func (cs *children) counts(c *dialect.Candidate) bool {
	return c != nil && !c.Unread && cs.recipe.Contends(c)
}

// leads reports whether c has the role if it is the first.
func (cs *children) leads(c *dialect.Candidate) bool {
	return cs.counts(c) && cs.recipe.Holders([]*dialect.Candidate{c}) > 0
}

func byName(a, b *dialect.Candidate) int { return cmp.Compare(a.Name, b.Name) }

// Position finds a contender in an ordered queue.
func Position(r dialect.Recipe, queue []*dialect.Candidate, c *dialect.Candidate) (int, bool) {
	return slices.BinarySearchFunc(queue, c, func(a, b *dialect.Candidate) int { return dialect.Compare(r, a, b) })
}
