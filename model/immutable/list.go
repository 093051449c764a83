// Package immutable has a list of which a change makes another: both share all but the
// few nodes on the way to what differs. So a state can have a queue of any length, and
// the state after the next change too, for the price of the change.
package immutable

import (
	"encoding/json"
	"iter"
	"slices"
	"sort"
)

// List is a sequence. It is never written: what changes it returns another. The zero
// value is an empty one.
//
// It is a B-tree by position: each node knows how many items are below it. To read an
// item or to change one costs the logarithm of the length.
type List[T any] struct{ root *node[T] }

// ListOf returns a list of the items.
func ListOf[T any](items []T) List[T] {
	if len(items) == 0 {
		return List[T]{}
	}
	level := make([]*node[T], 0, len(items)/leafMax+1)
	for from := 0; from < len(items); from += leafMax {
		part := items[from:min(from+leafMax, len(items))]
		level = append(level, leaf(slices.Clone(part)))
	}
	for len(level) > 1 {
		above := make([]*node[T], 0, len(level)/kidsMax+1)
		for from := 0; from < len(level); from += kidsMax {
			kids := make([]kid[T], 0, kidsMax)
			for _, x := range level[from:min(from+kidsMax, len(level))] {
				kids = append(kids, below(x))
			}
			above = append(above, inner(kids))
		}
		level = above
	}
	return List[T]{level[0]}
}

// Len is how many items there are.
func (l List[T]) Len() int {
	if l.root == nil {
		return 0
	}
	return l.root.n
}

// At returns the item at position i.
func (l List[T]) At(i int) T {
	if l.root == nil || i < 0 {
		panic("immutable: no item at that position")
	}
	x := l.root
	for x.kids != nil {
		k := x.kidAt(i)
		i -= x.before(k)
		x = x.kids[k].node
	}
	return x.items[i]
}

// All returns the items in order, with their positions.
func (l List[T]) All() iter.Seq2[int, T] { return l.From(0) }

// From is All from position i on.
func (l List[T]) From(i int) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		if l.root != nil && i < l.root.n {
			l.root.walk(0, max(0, i), yield)
		}
	}
}

// Slice returns the items in a slice of their own.
func (l List[T]) Slice() []T {
	out := make([]T, 0, l.Len())
	for _, v := range l.All() {
		out = append(out, v)
	}
	return out
}

// MarshalJSON writes the items as an array.
func (l List[T]) MarshalJSON() ([]byte, error) { return json.Marshal(l.Slice()) }

// Find returns the first position at which order is not below zero, and whether it is
// zero there: the list is in that order.
func (l List[T]) Find(order func(T) int) (i int, found bool) {
	x := l.root
	if x == nil {
		return 0, false
	}
	for x.kids != nil {
		last := len(x.kids) - 1
		k := sort.Search(last, func(k int) bool { return order(x.kids[k].last()) >= 0 })
		i += x.before(k)
		x = x.kids[k].node
	}
	k := sort.Search(len(x.items), func(k int) bool { return order(x.items[k]) >= 0 })
	return i + k, k < len(x.items) && order(x.items[k]) == 0
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
	if i < 0 || i > l.Len() {
		panic("immutable: no such position to insert at")
	}
	if l.root == nil {
		return List[T]{leaf([]T{v})}
	}
	a, b := l.root.insert(i, v)
	if b != nil {
		a = inner([]kid[T]{below(a), below(b)})
	}
	return List[T]{a}
}

// Delete returns the list without the item at position i.
func (l List[T]) Delete(i int) List[T] {
	if i < 0 || i >= l.Len() {
		panic("immutable: no item to delete at that position")
	}
	root := l.root.delete(i)
	for root != nil && len(root.kids) == 1 {
		root = root.kids[0].node
	}
	return List[T]{root}
}
