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
// It is a balanced tree by position: to read an item or to change one costs the
// logarithm of the length.
type List[T any] struct{ root *node[T] }

// node is a part of a list, never written and never empty: a leaf has items, another one
// two nodes.
type node[T any] struct {
	n     int // items in it and below
	items []T
	a, b  *node[T]
}

// leafMax bounds the items of a leaf.
const leafMax = 48

// ListOf returns a list of the items.
func ListOf[T any](items []T) List[T] { return List[T]{tree(slices.Clone(items))} }

// tree returns the items as a tree, nil for none. They are its own.
func tree[T any](items []T) *node[T] {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n <= leafMax {
		return &node[T]{n: n, items: items[:n:n]}
	}
	half := (n/leafMax + 1) / 2 * leafMax // leaves are full
	return &node[T]{n: n, a: tree(items[:half]), b: tree(items[half:])}
}

// Len is how many items there are.
func (l List[T]) Len() int { return l.root.len() }

func (x *node[T]) len() int {
	if x == nil {
		return 0
	}
	return x.n
}

// At returns the item at position i.
func (l List[T]) At(i int) T {
	if i < 0 || i >= l.Len() {
		panic("immutable: no item at that position")
	}
	x := l.root
	for x.items == nil {
		if i < x.a.n {
			x = x.a
		} else {
			x, i = x.b, i-x.a.n
		}
	}
	return x.items[i]
}

// All returns the items in order, with their positions.
func (l List[T]) All() iter.Seq2[int, T] { return l.From(0) }

// From is All from position i on.
func (l List[T]) From(i int) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) { l.root.walk(0, max(0, i), yield) }
}

// walk yields the items from position from on, where the first of x has position first,
// until yield returns false.
func (x *node[T]) walk(first, from int, yield func(int, T) bool) bool {
	if first+x.len() <= from {
		return true
	}
	if x.items == nil {
		return x.a.walk(first, from, yield) && x.b.walk(first+x.a.n, from, yield)
	}
	for i := max(0, from-first); i < x.n; i++ {
		if !yield(first+i, x.items[i]) {
			return false
		}
	}
	return true
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
	for x.items == nil {
		if order(x.a.last()) >= 0 {
			x = x.a
		} else {
			x, i = x.b, i+x.a.n
		}
	}
	k := sort.Search(x.n, func(k int) bool { return order(x.items[k]) >= 0 })
	return i + k, k < x.n && order(x.items[k]) == 0
}

func (x *node[T]) last() T {
	for x.items == nil {
		x = x.b
	}
	return x.items[x.n-1]
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
	return List[T]{l.root.insert(i, v)}
}

func (x *node[T]) insert(i int, v T) *node[T] {
	switch {
	case x == nil:
		return tree([]T{v})
	case x.items == nil && i < x.a.n:
		return join(x.a.insert(i, v), x.b)
	case x.items == nil:
		return join(x.a, x.b.insert(i-x.a.n, v))
	case x.n < leafMax:
		return tree(slices.Concat(x.items[:i], []T{v}, x.items[i:]))
	case i == x.n: // mostly items come at the end: the leaf stays full
		return join(x, tree([]T{v}))
	}
	half := x.n / 2
	return join(tree(slices.Clone(x.items[:half])), tree(slices.Clone(x.items[half:]))).insert(i, v)
}

// Delete returns the list without the item at position i.
func (l List[T]) Delete(i int) List[T] {
	if i < 0 || i >= l.Len() {
		panic("immutable: no item to delete at that position")
	}
	return List[T]{l.root.delete(i)}
}

func (x *node[T]) delete(i int) *node[T] {
	switch {
	case x.items != nil:
		return tree(slices.Concat(x.items[:i], x.items[i+1:]))
	case i < x.a.n:
		return join(x.a.delete(i), x.b)
	}
	return join(x.a, x.b.delete(i-x.a.n))
}

// join returns the items of a, then those of b. It keeps the tree balanced by weight: a
// node with far more items than its neighbour gives it a part.
func join[T any](a, b *node[T]) *node[T] {
	const free = 2 * leafMax // leaves are not divided for the balance
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.items != nil && b.items != nil && a.n+b.n <= leafMax*3/4:
		return tree(slices.Concat(a.items, b.items))
	case a.n > 3*b.n+free && a.b.n > 2*a.a.n:
		return pair(pair(a.a, a.b.a), pair(a.b.b, b))
	case a.n > 3*b.n+free:
		return pair(a.a, pair(a.b, b))
	case b.n > 3*a.n+free && b.a.n > 2*b.b.n:
		return pair(pair(a, b.a.a), pair(b.a.b, b.b))
	case b.n > 3*a.n+free:
		return pair(pair(a, b.a), b.b)
	}
	return pair(a, b)
}

func pair[T any](a, b *node[T]) *node[T] { return &node[T]{n: a.n + b.n, a: a, b: b} }
