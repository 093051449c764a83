package dialect

import (
	"encoding/json"
	"iter"
	"slices"
	"sort"
)

// Queue has contenders in a recipe's order. It is immutable: Insert and Delete return new queues,
// which share the unchanged parts with the old queue. The zero value is an empty queue.
type Queue struct {
	parts []*part
	ends  []int32 // for each part, the number of contenders up to its end
}

// part has at least one and at most partMax contenders. Each change of a queue copies its list of
// parts, so the list has pointers, which need a third of the memory of slices.
type part struct{ all []*Candidate }

const partMax = 128

// QueueOf returns a queue of the contenders.
func QueueOf(items []*Candidate) (q Queue) { return q.with(0, 0, slices.Clone(items), partMax) }

// with returns the queue with new parts of at most size items in place of parts a to b-1.
func (q Queue) with(a, b int, items []*Candidate, size int) Queue {
	next := Queue{parts: append(make([]*part, 0, len(q.parts)-(b-a)+len(items)/size+1), q.parts[:a]...)}
	for some := range slices.Chunk(items, size) {
		next.parts = append(next.parts, &part{some})
	}
	next.parts = append(next.parts, q.parts[b:]...)
	next.ends = append(make([]int32, 0, len(next.parts)), q.ends[:a]...)
	for _, x := range next.parts[a:] {
		next.ends = append(next.ends, int32(next.Len()+len(x.all)))
	}
	return next
}

// Len returns the number of contenders.
func (q Queue) Len() int {
	if len(q.ends) == 0 {
		return 0
	}
	return int(q.ends[len(q.ends)-1])
}

func (q Queue) find(i int) (part int, items []*Candidate, at int) {
	part = sort.Search(len(q.ends), func(p int) bool { return int(q.ends[p]) > i })
	items = q.parts[part].all
	return part, items, i - int(q.ends[part]) + len(items)
}

// At returns the contender at position i.
func (q Queue) At(i int) *Candidate {
	_, items, at := q.find(i)
	return items[at]
}

// All returns the contenders in order, with their positions.
func (q Queue) All() iter.Seq2[int, *Candidate] {
	return func(yield func(int, *Candidate) bool) {
		i := 0
		for _, x := range q.parts {
			for _, v := range x.all {
				if !yield(i, v) {
					return
				}
				i++
			}
		}
	}
}

// Slice returns the contenders in a new slice.
func (q Queue) Slice() []*Candidate {
	out := make([]*Candidate, 0, q.Len())
	for _, x := range q.parts {
		out = append(out, x.all...)
	}
	return out
}

// MarshalJSON writes the contenders as an array.
func (q Queue) MarshalJSON() ([]byte, error) { return json.Marshal(q.Slice()) }

// Find returns the first position at which order is at least 0, and whether order is 0 there. order
// must not decrease along the queue.
func (q Queue) Find(order func(*Candidate) int) (i int, found bool) {
	part := sort.Search(len(q.parts), func(p int) bool { return order(q.parts[p].all[len(q.parts[p].all)-1]) >= 0 })
	if part == len(q.parts) {
		return q.Len(), false
	}
	items := q.parts[part].all
	at, found := sort.Find(len(items), func(k int) int { return -order(items[k]) })
	return int(q.ends[part]) - len(items) + at, found
}

// Index returns the first position of a contender that matches, -1 for none.
func (q Queue) Index(match func(*Candidate) bool) int {
	for i, v := range q.All() {
		if match(v) {
			return i
		}
	}
	return -1
}

// Insert returns the queue with v at position i, before the contender that was there.
func (q Queue) Insert(i int, v *Candidate) Queue {
	n := len(q.parts)
	if i == q.Len() && (n == 0 || len(q.parts[n-1].all) == partMax) {
		return q.with(n, n, []*Candidate{v}, 1)
	}
	part, items, at := q.find(min(i, q.Len()-1))
	if i == q.Len() {
		at++
	}
	size := partMax
	if len(items) == partMax {
		size = partMax/2 + 1
	}
	return q.with(part, part+1, slices.Concat(items[:at], []*Candidate{v}, items[at:]), size)
}

// Delete returns the queue without the contender at position i.
func (q Queue) Delete(i int) Queue {
	part, items, at := q.find(i)
	next, items := part+1, slices.Concat(items[:at], items[at+1:])
	if next < len(q.parts) && len(items)+len(q.parts[next].all) <= partMax/2 {
		items = append(items, q.parts[next].all...)
		next++
	}
	return q.with(part, next, items, partMax)
}
