package model

import (
	"cmp"
	"slices"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

// ordered returns the candidates for a read's new znodes, in queue order.
func (j *Journal) ordered(zs []znode.Znode, at time.Time, joined bool) []*dialect.Candidate {
	cs := make([]*dialect.Candidate, len(zs))
	for i := range zs {
		cs[i] = j.candidate(zs[i], at, joined)
	}
	slices.SortFunc(cs, j.order)
	return cs
}

// insert puts in a child whose name is not known.
func (j *Journal) insert(c *dialect.Candidate) {
	j.known[c.Name] = c
	list, order := j.list(c)
	if list == &j.queue {
		j.owned(c)
	}
	i, _ := slices.BinarySearchFunc(*list, c, order)
	*list = slices.Insert(*list, i, c)
}

// remove takes children out.
func (j *Journal) remove(cs ...*dialect.Candidate) {
	for _, c := range cs {
		delete(j.known, c.Name)
		if j.recipe.Contends(c) {
			j.disowned(c)
		}
	}
	if len(cs) > removeMax {
		gone := func(c *dialect.Candidate) bool { return j.known[c.Name] != c }
		j.queue = slices.DeleteFunc(j.queue, gone)
		j.rest = slices.DeleteFunc(j.rest, gone)
		return
	}
	for _, c := range cs {
		list, order := j.list(c)
		if i, ok := slices.BinarySearchFunc(*list, c, order); ok {
			*list = slices.Delete(*list, i, i+1)
		}
	}
}

// removeMax is up to how many children are taken out one by one. Beyond, one
// walk over all is cheaper than to move the tail of the queue each time.
const removeMax = 32

// list returns where a child belongs, and the order there.
func (j *Journal) list(c *dialect.Candidate) (*[]*dialect.Candidate, func(a, b *dialect.Candidate) int) {
	if j.recipe.Contends(c) {
		return &j.queue, j.order
	}
	return &j.rest, byName
}

// follow sorts the children anew, by another recipe.
func (j *Journal) follow(r dialect.Recipe) {
	j.recipe, j.state.Recipe = r, r
	all := slices.Concat(j.queue, j.rest)
	j.queue, j.rest = nil, nil
	for _, c := range all {
		list, _ := j.list(c)
		*list = append(*list, c)
	}
	slices.SortFunc(j.queue, j.order)
	slices.SortFunc(j.rest, byName)
	j.owning = ownerCounts{}
	j.refell()
}

// first returns the head of the queue, nil if nobody stands.
func (j *Journal) first() *dialect.Candidate {
	if j.recipe.Holders(j.queue) == 0 {
		return nil
	}
	return j.queue[0]
}

// order is the recipe's order as a comparison.
func (j *Journal) order(a, b *dialect.Candidate) int {
	switch {
	case a == b:
		return 0
	case j.recipe.Before(a, b):
		return -1
	case j.recipe.Before(b, a):
		return 1
	}
	return 0
}

func byName(a, b *dialect.Candidate) int { return cmp.Compare(a.Name, b.Name) }

// Position finds a contender in an ordered queue.
func Position(r dialect.Recipe, queue []*dialect.Candidate, c *dialect.Candidate) (int, bool) {
	return slices.BinarySearchFunc(queue, c, func(a, b *dialect.Candidate) int {
		switch {
		case a == b:
			return 0
		case r.Before(a, b):
			return -1
		case r.Before(b, a):
			return 1
		}
		return 0
	})
}
