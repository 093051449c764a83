package immutable

import "slices"

// Bounds of a node. Where two neighbours have together no more than three quarters of a
// bound after a deletion they become one: so nodes are not much emptier than half, and
// one that was split is not joined by the next deletion.
const (
	leafMax = 64
	kidsMax = 32
)

// node is a part of the tree, never written: a leaf has items, another one kids, all of
// the same depth. None is empty.
type node[T any] struct {
	n     int // items in it and below
	items []T
	kids  []kid[T]
}

// kid is a node below another. end is how many items there are up to its last.
type kid[T any] struct {
	*node[T]
	end int
}

func leaf[T any](items []T) *node[T] { return &node[T]{n: len(items), items: items} }

// inner returns a node of the kids, and counts them: they are its own.
func inner[T any](kids []kid[T]) *node[T] {
	x := &node[T]{kids: kids}
	for i := range kids {
		x.n += kids[i].n
		kids[i].end = x.n
	}
	return x
}

func below[T any](x *node[T]) kid[T] { return kid[T]{node: x} }

// kidAt returns which kid has position i; the last one where none has.
func (x *node[T]) kidAt(i int) int {
	low, high := 0, len(x.kids)-1
	for low < high {
		if mid := (low + high) / 2; i < x.kids[mid].end {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// before returns how many items there are before kid k.
func (x *node[T]) before(k int) int {
	if k == 0 {
		return 0
	}
	return x.kids[k-1].end
}

// last returns the last item.
func (x *node[T]) last() T {
	for x.kids != nil {
		x = x.kids[len(x.kids)-1].node
	}
	return x.items[len(x.items)-1]
}

// walk yields the items from position from of the node on, where its first has position
// first, until yield returns false.
func (x *node[T]) walk(first, from int, yield func(int, T) bool) bool {
	if x.kids == nil {
		for i := from; i < len(x.items); i++ {
			if !yield(first+i, x.items[i]) {
				return false
			}
		}
		return true
	}
	for k := x.kidAt(from); k < len(x.kids); k++ {
		before := x.before(k)
		if !x.kids[k].walk(first+before, max(0, from-before), yield) {
			return false
		}
	}
	return true
}

// insert returns the node with v at position i, and what follows it where that is too
// much for one node.
func (x *node[T]) insert(i int, v T) (a, b *node[T]) {
	if x.kids == nil {
		if len(x.items) < leafMax {
			return leaf(changed(x.items, i, 0, v)), nil
		}
		if i == len(x.items) { // mostly items come at the end: the node stays full
			return x, leaf([]T{v})
		}
		half := len(x.items) / 2
		if i <= half {
			return leaf(changed(x.items[:half], i, 0, v)), leaf(slices.Clone(x.items[half:]))
		}
		return leaf(slices.Clone(x.items[:half])), leaf(changed(x.items[half:], i-half, 0, v))
	}
	k := x.kidAt(i)
	first, second := x.kids[k].insert(i-x.before(k), v)
	if second == nil {
		return inner(changed(x.kids, k, 1, below(first))), nil
	}
	kids := changed(x.kids, k, 1, below(first), below(second))
	if len(kids) <= kidsMax {
		return inner(kids), nil
	}
	at := len(kids) / 2
	if k == len(x.kids)-1 {
		at = kidsMax
	}
	return inner(slices.Clone(kids[:at])), inner(slices.Clone(kids[at:]))
}

// delete returns the node without the item at position i, nil where no other is left.
func (x *node[T]) delete(i int) *node[T] {
	if x.kids == nil {
		if len(x.items) == 1 {
			return nil
		}
		return leaf(changed(x.items, i, 1))
	}
	k := x.kidAt(i)
	now := x.kids[k].delete(i - x.before(k))
	switch {
	case now == nil && len(x.kids) == 1:
		return nil
	case now == nil:
		return inner(changed(x.kids, k, 1))
	case k > 0 && fit(x.kids[k-1].node, now):
		return inner(changed(x.kids, k-1, 2, below(join(x.kids[k-1].node, now))))
	case k+1 < len(x.kids) && fit(now, x.kids[k+1].node):
		return inner(changed(x.kids, k, 2, below(join(now, x.kids[k+1].node))))
	}
	return inner(changed(x.kids, k, 1, below(now)))
}

// fit reports whether two neighbours should be one.
func fit[T any](a, b *node[T]) bool {
	return len(a.items)+len(b.items) <= leafMax*3/4 && len(a.kids)+len(b.kids) <= kidsMax*3/4
}

func join[T any](a, b *node[T]) *node[T] {
	if a.kids == nil {
		return leaf(slices.Concat(a.items, b.items))
	}
	return inner(slices.Concat(a.kids, b.kids))
}

// changed returns a copy of all with others in the place of n from position i on.
func changed[T any](all []T, i, n int, others ...T) []T {
	out := make([]T, 0, len(all)-n+len(others))
	out = append(out, all[:i]...)
	out = append(out, others...)
	return append(out, all[i+n:]...)
}
