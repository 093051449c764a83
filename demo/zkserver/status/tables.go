package status

import (
	"cmp"
	"slices"
)

// A group is a key with all that belongs to it.
type group[K, V any] struct {
	key    K
	values []V
}

// grouped collects what has the same key, in an order in which equal keys are
// neighbours.
func grouped[E any, K comparable, V any](sorted []E, entry func(*E) (K, V)) []group[K, V] {
	var all []group[K, V]
	for i := range sorted {
		key, value := entry(&sorted[i])
		if last := len(all) - 1; last < 0 || all[last].key != key {
			all = append(all, group[K, V]{key, []V{value}})
		} else {
			all[last].values = append(all[last].values, value)
		}
	}
	return all
}

// connections are by age.
func (s *State) connections() []Conn {
	slices.SortFunc(s.Connections, func(a, b Conn) int {
		return cmp.Or(a.Stats.Established.Compare(b.Stats.Established), cmp.Compare(a.Remote, b.Remote))
	})
	return s.Connections
}

// ephemerals are by session, and those of a session in the order of their creation.
func (s *State) ephemerals() []group[int64, string] {
	slices.SortFunc(s.Ephemerals, func(a, b Ephemeral) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Zxid, b.Zxid), cmp.Compare(a.Path, b.Path))
	})
	return grouped(s.Ephemerals, func(e *Ephemeral) (int64, string) { return e.Session, e.Path })
}

// watchesByPath are by path, with the sessions in the order of their ids.
func (s *State) watchesByPath() []group[string, int64] {
	slices.SortFunc(s.Watches, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Session, b.Session))
	})
	return grouped(s.Watches, func(w *Watch) (string, int64) { return w.Path, w.Session })
}

// watchesByConn are by the age of the connection, with the paths in their order.
func (s *State) watchesByConn() []group[int64, string] {
	age := make(map[int64]int, len(s.Connections))
	for i, c := range s.connections() {
		age[c.Session] = i
	}
	slices.SortFunc(s.Watches, func(a, b Watch) int {
		return cmp.Or(cmp.Compare(age[a.Session], age[b.Session]), cmp.Compare(a.Path, b.Path))
	})
	return grouped(s.Watches, func(w *Watch) (int64, string) { return w.Session, w.Path })
}
