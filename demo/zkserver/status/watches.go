package status

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A watch is a path that a session watches.
type watch struct {
	path    string
	session int64
	key     uint64 // of sortWatches
}

const keyBytes = 8

// sortWatches sorts by path, and then by session. The first bytes of all paths, as many
// as same, are equal.
//
// Long paths with the same beginning are expensive to compare. So only the next keyBytes
// of all paths are compared, as a number, and then those after them where they are equal.
func sortWatches(all []watch, same int) {
	for equal := true; equal; same += keyBytes {
		over := true
		for i := range all {
			all[i].key = keyAt(all[i].path, same)
			equal = equal && all[i].key == all[0].key
			over = over && len(all[i].path) <= same
		}
		if over { // a shorter path is one that zeros follow in the others
			slices.SortFunc(all, func(a, b watch) int {
				return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.session, b.session))
			})
			return
		}
	}
	slices.SortFunc(all, func(a, b watch) int { return cmp.Compare(a.key, b.key) })
	for equal := range runs(all, func(w *watch) uint64 { return w.key }) {
		if len(equal) > 1 {
			sortWatches(equal, same)
		}
	}
}

// keyAt returns keyBytes as a number of the same order, with zeros after the path's end.
func keyAt(path string, from int) uint64 {
	var key [keyBytes]byte
	copy(key[:], path[min(from, len(path)):])
	return binary.BigEndian.Uint64(key[:])
}
