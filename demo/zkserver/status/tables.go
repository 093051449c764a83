package status

import (
	"cmp"
	"iter"
	"slices"
)

// runs yields neighbours with the same key together.
func runs[E any, K comparable](sorted []E, key func(*E) K) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		for len(sorted) > 0 {
			first, n := key(&sorted[0]), 1
			for n < len(sorted) && key(&sorted[n]) == first {
				n++
			}
			if !yield(sorted[:n]) {
				return
			}
			sorted = sorted[n:]
		}
	}
}

// connections are by age and, to be definite, by their peers.
func (s *State) connections() []Conn {
	slices.SortFunc(s.Connections, func(a, b Conn) int {
		return cmp.Or(a.Stats.Established.Compare(b.Stats.Established), cmp.Compare(a.Remote, b.Remote))
	})
	return s.Connections
}

// ephemerals are by session, and those of a session in the order of their creation.
func (s *State) ephemerals() (bySession [][]Ephemeral) {
	slices.SortFunc(s.Ephemerals, func(a, b Ephemeral) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Zxid, b.Zxid), cmp.Compare(a.Path, b.Path))
	})
	return slices.Collect(runs(s.Ephemerals, func(e *Ephemeral) int64 { return e.Session }))
}

// watches are by path, with the sessions in the order of their ids.
func (s *State) watches() (byPath iter.Seq[[]Watch]) {
	slices.SortFunc(s.Watches, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Session, b.Session))
	})
	return runs(s.Watches, func(w *Watch) string { return w.Path })
}
