package immutable

// Changed returns the items of one list that are not in another, and those of the other
// that are not in the one, each in its order. What the lists share is not looked at: for
// two that a few changes lie between it costs about as much as the changes.
func Changed[T comparable](from, to List[T]) (gone, come []T) {
	a, b := from.level(), to.level()
	for depth(a) > depth(b) {
		a = lower(a)
	}
	for depth(b) > depth(a) {
		b = lower(b)
	}
	for a, b = apart(a, b); depth(a) > 0 || depth(b) > 0; a, b = apart(a, b) {
		a, b = lower(a), lower(b)
	}
	return apart(items(a), items(b))
}

// apart returns what is in one of them alone.
func apart[T comparable](a, b []T) (onlyA, onlyB []T) {
	in := make(map[T]int, len(a))
	for _, v := range a {
		in[v]++
	}
	for _, v := range b {
		if in[v] > 0 {
			in[v]--
		} else {
			onlyB = append(onlyB, v)
		}
	}
	for _, v := range a {
		if in[v] > 0 {
			in[v]--
			onlyA = append(onlyA, v)
		}
	}
	return onlyA, onlyB
}

// level is the root, none of an empty list.
func (l List[T]) level() []*node[T] {
	if l.root == nil {
		return nil
	}
	return []*node[T]{l.root}
}

// depth is how many levels there are below these nodes of one level.
func depth[T any](level []*node[T]) (n int) {
	if len(level) == 0 {
		return 0
	}
	for x := level[0]; x.kids != nil; x = x.kids[0].node {
		n++
	}
	return n
}

// lower is the level below.
func lower[T any](level []*node[T]) (below []*node[T]) {
	for _, x := range level {
		for _, k := range x.kids {
			below = append(below, k.node)
		}
	}
	return below
}

// items are those of leaves.
func items[T any](leaves []*node[T]) (all []T) {
	for _, x := range leaves {
		all = append(all, x.items...)
	}
	return all
}
