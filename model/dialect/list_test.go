package dialect_test

import (
	"electop/model/dialect"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Each version of a list stays what it was when it was made, whatever is made of it.
func TestListVersionsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			list dialect.List[int]
			want []int
		}
		start := rapid.SampledFrom([]int{0, 1, 127, 128, 129, 2048, 5000}).Draw(t, "items at first")
		items := make([]int, start)
		for i := range items {
			items[i] = i
		}
		versions := []version{{dialect.ListOf(items), slices.Clone(items)}}
		clear(items) // it has its own
		ends := rapid.Bool().Draw(t, "at the ends")
		growing := rapid.IntRange(1, 9).Draw(t, "inserts of ten")
		for step := range rapid.IntRange(0, 3000).Draw(t, "changes") {
			now := versions[len(versions)-1]
			n := len(now.want)
			var next version
			if n == 0 || step*7%10 < growing {
				i := step * 7919 % (n + 1)
				if ends {
					i = n
				}
				next.list, next.want = now.list.Insert(i, -step), slices.Insert(slices.Clone(now.want), i, -step)
			} else {
				i := step * 104729 % n
				if ends {
					i = 0
				}
				next.list, next.want = now.list.Delete(i), slices.Delete(slices.Clone(now.want), i, i+1)
			}
			if len(versions) > 20 {
				versions = slices.Delete(versions, 1, 2)
			}
			versions = append(versions, next)
		}
		for k, v := range versions {
			same(t, k, v.list, v.want)
		}
	})
}

func same(t *rapid.T, k int, l dialect.List[int], want []int) {
	if l.Len() != len(want) {
		t.Fatalf("version %d has %d items, want %d", k, l.Len(), len(want))
	}
	text, err := json.Marshal(l)
	if wanted, _ := json.Marshal(append([]int{}, want...)); err != nil || string(text) != string(wanted) {
		t.Fatalf("version %d as JSON: %s (%v), want %s", k, text, err, wanted)
	}
	for i := range want {
		if l.At(i) != want[i] {
			t.Fatalf("version %d: item %d is %d, want %d", k, i, l.At(i), want[i])
		}
	}
	for i, v := range l.All() {
		if v != want[i] {
			t.Fatalf("version %d: item %d is %d in the walk, want %d", k, i, v, want[i])
		}
		if i == 70 {
			break // a walk may end early
		}
	}
}

func TestListFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(rapid.IntRange(0, 5000), 0, 800, rapid.ID).Draw(t, "items")
		slices.Sort(all)
		first := rapid.IntRange(0, len(all)).Draw(t, "items at first")
		l := dialect.ListOf(all[first:])
		for i, v := range all[:first] { // a list that grew is divided otherwise
			l = l.Insert(i, v)
		}
		for i := len(all) - 1; i > 0; i -= rapid.IntRange(1, 50).Draw(t, "to the next deletion") {
			all, l = slices.Delete(all, i, i+1), l.Delete(i)
		}
		for _, v := range rapid.SliceOfN(rapid.IntRange(-1, 5001), 20, 20).Draw(t, "sought") {
			i, found := l.Find(func(x int) int { return x - v })
			if want, there := slices.BinarySearch(all, v); i != want || found != there {
				t.Fatalf("%d is found at %d (%t), want %d (%t)", v, i, found, want, there)
			}
			if i := l.Index(func(x int) bool { return x == v }); i != slices.Index(all, v) {
				t.Fatalf("%d has index %d, want %d", v, i, slices.Index(all, v))
			}
		}
	})
}
