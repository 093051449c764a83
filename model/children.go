package model

import (
	"cmp"
	"slices"

	"electop/model/dialect"
)

// children has the election's children. States share queue and rest: never write these in place.
type children struct {
	recipe dialect.Recipe
	known  map[string]*dialect.Candidate // all children, by name
	queue  dialect.Queue                 // the contenders, in the recipe's order
	rest   []*dialect.Candidate          // the other children, by name
	unread int
	last   *dialect.Candidate
	mixed  bool
	// owned counts the contenders of each session; nil until index computes it.
	owned map[uint64]int32
}

func (cs *children) insert(c *dialect.Candidate) (again bool) {
	cs.known[c.Name] = c
	if c.Session != 0 {
		cs.mixed = cs.mixed || cs.last != nil && cs.last.Library() != c.Library()
		cs.last = c
	}
	if c.Unread {
		cs.unread++
	}
	if !cs.recipe.Contends(c) {
		i, _ := slices.BinarySearchFunc(cs.rest, c, byName)
		cs.rest = slices.Insert(slices.Clip(cs.rest), i, c)
		return false
	}
	if c.Session != 0 {
		cs.index()
		cs.owned[c.Session]++
		again = cs.owned[c.Session] == 2
	}
	i, _ := Position(cs.recipe, cs.queue, c)
	cs.queue = cs.queue.Insert(i, c)
	return again
}

func (cs *children) owns(session uint64) bool {
	cs.index()
	return cs.owned[session] > 0
}

// crowded reports whether a session owns several contenders, or a contender has no session.
func (cs *children) crowded() bool {
	cs.index()
	return len(cs.owned) < cs.queue.Len()
}

func (cs *children) index() {
	if cs.owned == nil {
		cs.owned = make(map[uint64]int32, cs.queue.Len()+1)
		for _, c := range cs.queue.All() {
			if c.Session != 0 {
				cs.owned[c.Session]++
			}
		}
	}
}

func (cs *children) remove(gone ...*dialect.Candidate) {
	for _, c := range gone {
		delete(cs.known, c.Name)
		if c.Unread {
			cs.unread--
		}
		if cs.owned == nil || c.Session == 0 || !cs.recipe.Contends(c) {
			continue
		}
		if cs.owned[c.Session]--; cs.owned[c.Session] <= 0 {
			delete(cs.owned, c.Session)
		}
	}
	if len(gone) > removeMax {
		absent := func(c *dialect.Candidate) bool { return cs.known[c.Name] != c }
		cs.queue = dialect.QueueOf(slices.DeleteFunc(cs.queue.Slice(), absent))
		cs.rest = slices.DeleteFunc(slices.Clone(cs.rest), absent)
		return
	}
	for _, c := range gone {
		if cs.recipe.Contends(c) {
			if i, ok := Position(cs.recipe, cs.queue, c); ok {
				cs.queue = cs.queue.Delete(i)
			}
		} else if i, ok := slices.BinarySearchFunc(cs.rest, c, byName); ok {
			cs.rest = slices.Concat(cs.rest[:i], cs.rest[i+1:])
		}
	}
}

// removeMax bounds the children that remove deletes one by one. For more, one pass over all children is cheaper.
const removeMax = 32

func (cs *children) all() []*dialect.Candidate { return append(cs.queue.Slice(), cs.rest...) }

func (cs *children) sort(all []*dialect.Candidate) {
	var queue, rest []*dialect.Candidate
	for _, c := range all {
		if cs.recipe.Contends(c) {
			queue = append(queue, c)
		} else {
			rest = append(rest, c)
		}
	}
	slices.SortFunc(queue, cs.order)
	slices.SortFunc(rest, byName)
	cs.queue, cs.rest, cs.owned = dialect.QueueOf(queue), rest, nil
}

func (cs *children) interpret(d *dialect.Dialect, r dialect.Recipe, renewed func(old, c *dialect.Candidate)) {
	all := cs.all()
	for i, old := range all {
		c := *old
		if d.Interpret(&c); c.Revoked {
			c.Who = old.Who // the data no longer names the owner
		}
		if !c.SameReading(old) {
			all[i], cs.known[c.Name] = &c, &c
			renewed(old, &c)
		}
	}
	cs.recipe = r
	cs.sort(all)
}

func (cs *children) first() *dialect.Candidate {
	if cs.recipe.Holders(cs.queue) == 0 {
		return nil
	}
	return cs.queue.At(0)
}

func (cs *children) firstN(n int) []*dialect.Candidate {
	out := make([]*dialect.Candidate, n)
	for i := range out {
		out[i] = cs.queue.At(i)
	}
	return out
}

func (cs *children) order(a, b *dialect.Candidate) int { return dialect.Compare(cs.recipe, a, b) }

func (cs *children) unreadNames() (names []string) {
	if cs.unread > 0 {
		for name, c := range cs.known {
			if c.Unread {
				names = append(names, name)
			}
		}
	}
	return names
}

func byName(a, b *dialect.Candidate) int { return cmp.Compare(a.Name, b.Name) }

// Position returns c's position in a queue in r's order. If the queue lacks c, Position returns where
// c belongs, and false.
func Position(r dialect.Recipe, queue dialect.Queue, c *dialect.Candidate) (int, bool) {
	if n := queue.Len(); n > 0 && dialect.Compare(r, queue.At(n-1), c) < 0 {
		return n, false // a new candidate usually goes to the end
	}
	return queue.Find(func(x *dialect.Candidate) int { return dialect.Compare(r, x, c) })
}
