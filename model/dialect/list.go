package dialect

import (
	"encoding/json"
	"iter"
	"slices"
	"sort"
)

// List is a sequence. It is never written: a change returns another one, and both share
// all but a part of the items. So a state can have a queue of any length, and the state
// after the next change too. The zero value is an empty one.
//
// A change copies the part in which it is, and the list of the parts.
type List[T any] struct {
	parts []*part[T]
	ends  []int32 // of each part: how many items it and those before have
}

// part has some items of a list, at least one.
type part[T any] struct{ items []T }

const partMax = 128

// ListOf returns a list of the items.
func ListOf[T any](items []T) (l List[T]) { return l.with(0, 0, slices.Clone(items), partMax) }

// with returns the list with items, in parts of a size, in the place of the parts from a to
// b, b excluded.
func (l List[T]) with(a, b int, items []T, size int) List[T] {
	next := List[T]{parts: append(make([]*part[T], 0, len(l.parts)-(b-a)+len(items)/size+1), l.parts[:a]...)}
	for some := range slices.Chunk(items, size) {
		next.parts = append(next.parts, &part[T]{some})
	}
	next.parts = append(next.parts, l.parts[b:]...)
	next.ends = append(make([]int32, 0, len(next.parts)), l.ends[:a]...)
	for _, x := range next.parts[a:] {
		next.ends = append(next.ends, int32(next.Len()+len(x.items)))
	}
	return next
}

// Len is how many items there are.
func (l List[T]) Len() int {
	if len(l.ends) == 0 {
		return 0
	}
	return int(l.ends[len(l.ends)-1])
}

// find returns which part has position i, its items, and which of them it is.
func (l List[T]) find(i int) (part int, items []T, at int) {
	part = sort.Search(len(l.ends), func(p int) bool { return int(l.ends[p]) > i })
	items = l.parts[part].items
	return part, items, i - int(l.ends[part]) + len(items)
}

// At returns the item at position i.
func (l List[T]) At(i int) T {
	_, items, at := l.find(i)
	return items[at]
}

// All returns the items in order, with their positions.
func (l List[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for _, x := range l.parts {
			for _, v := range x.items {
				if !yield(i, v) {
					return
				}
				i++
			}
		}
	}
}

// Slice returns the items in a slice of their own.
func (l List[T]) Slice() []T {
	out := make([]T, 0, l.Len())
	for _, x := range l.parts {
		out = append(out, x.items...)
	}
	return out
}

// MarshalJSON writes the items as an array.
func (l List[T]) MarshalJSON() ([]byte, error) { return json.Marshal(l.Slice()) }

// Find returns the first position at which order is not below zero, and whether it is
// zero there: the list is in that order.
func (l List[T]) Find(order func(T) int) (i int, found bool) {
	part := sort.Search(len(l.parts), func(p int) bool { return order(l.parts[p].items[len(l.parts[p].items)-1]) >= 0 })
	if part == len(l.parts) {
		return l.Len(), false
	}
	items := l.parts[part].items
	at, found := sort.Find(len(items), func(k int) int { return -order(items[k]) })
	return int(l.ends[part]) - len(items) + at, found
}

// Index returns the first position at which is holds, -1 for none.
func (l List[T]) Index(is func(T) bool) int {
	for i, v := range l.All() {
		if is(v) {
			return i
		}
	}
	return -1
}

// Insert returns the list with v at position i, before what is there.
func (l List[T]) Insert(i int, v T) List[T] {
	n := len(l.parts)
	if i == l.Len() && (n == 0 || len(l.parts[n-1].items) == partMax) {
		return l.with(n, n, []T{v}, 1) // usually items come at the end: the parts stay full
	}
	part, items, at := l.find(min(i, l.Len()-1))
	if i == l.Len() {
		at++
	}
	size := partMax
	if len(items) == partMax {
		size = partMax/2 + 1
	}
	return l.with(part, part+1, slices.Concat(items[:at], []T{v}, items[at:]), size)
}

// Delete returns the list without the item at position i.
func (l List[T]) Delete(i int) List[T] {
	part, items, at := l.find(i)
	next, items := part+1, slices.Concat(items[:at], items[at+1:])
	if next < len(l.parts) && len(items)+len(l.parts[next].items) <= partMax/2 {
		items = append(items, l.parts[next].items...)
		next++
	}
	return l.with(part, next, items, partMax)
}
