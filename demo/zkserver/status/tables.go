package status

import (
	"cmp"
	"iter"
	"slices"
	"time"
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

// age compares connections by when they were made and, to be definite, by their peers.
func age(a time.Time, aRemote string, b time.Time, bRemote string) int {
	if c := a.Compare(b); c != 0 {
		return c
	}
	return cmp.Compare(aRemote, bRemote)
}

// connections are by age.
func (s *State) connections() []Conn {
	slices.SortFunc(s.Connections, func(a, b Conn) int {
		return age(a.Stats.Established, a.Remote, b.Stats.Established, b.Remote)
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

// watchers are by the age of the connection, with the paths in their order.
func (s *State) watchers() []Watcher {
	slices.SortFunc(s.Watchers, func(a, b Watcher) int {
		return age(a.Established, a.Remote, b.Established, b.Remote)
	})
	for _, w := range s.Watchers {
		slices.Sort(w.Paths)
	}
	return s.Watchers
}

// watches are by path, with the sessions in the order of their ids.
func (s *State) watches() (byPath iter.Seq[[]watch]) {
	all := make([]watch, 0, s.Totals.DataWatches)
	for _, w := range s.Watchers {
		for _, path := range w.Paths {
			all = append(all, watch{path: path, session: w.Session})
		}
	}
	sortWatches(all, 0)
	return runs(all, func(w *watch) string { return w.path })
}
