package status

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSortWatches sorts paths that differ early, late or not at all, and by zeros that
// look like their end.
func TestSortWatches(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		all := make([]watch, r.IntN(60))
		for i := range all {
			var path strings.Builder
			if r.IntN(500) == 0 {
				path.WriteString(long)
			}
			for range r.IntN(4) {
				path.WriteString([]string{"/", "/election/", "n", "\x00", "ü", "0000000012", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}[r.IntN(7)])
			}
			all[i] = watch{path: path.String(), session: int64(r.IntN(3))}
		}
		want := slices.SortedFunc(slices.Values(all), func(a, b watch) int {
			return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.session, b.session))
		})
		sortWatches(all, 0)
		if !slices.EqualFunc(all, want, func(a, b watch) bool { return a.path == b.path && a.session == b.session }) {
			t.Fatalf("sorted:\n%+v\nwant:\n%+v", all, want)
		}
	}
}
