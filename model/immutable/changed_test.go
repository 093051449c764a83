package immutable_test

import (
	"slices"
	"testing"

	"electop/model/immutable"

	"pgregory.net/rapid"
)

// What changed between two versions of a list is what a walk through both shows, whatever
// they share, and whatever their lengths.
func TestChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := make([]int, rapid.SampledFrom([]int{0, 1, 64, 65, 2048, 2049, 5000}).Draw(t, "items at first"))
		next := 0
		for i := range items {
			items[i] = next
			next++
		}
		from := immutable.ListOf(items)
		to := from
		if rapid.IntRange(0, 9).Draw(t, "apart") == 0 {
			to = immutable.ListOf(items) // nothing is shared
		}
		growing := rapid.IntRange(0, 9).Draw(t, "inserts of ten")
		for range rapid.SampledFrom([]int{0, 1, 5, 100, 3000}).Draw(t, "changes") {
			n := to.Len()
			if next = next + 1; n == 0 || next*7%10 < growing {
				to = to.Insert(next*7919%(n+1), next)
			} else {
				to = to.Delete(next * 104729 % n)
			}
		}
		if rapid.Bool().Draw(t, "back") {
			from, to = to, from
		}
		without := func(a, b immutable.List[int]) (out []int) {
			there := map[int]bool{}
			for _, v := range b.All() {
				there[v] = true
			}
			for _, v := range a.All() {
				if !there[v] {
					out = append(out, v)
				}
			}
			return out
		}
		gone, come := immutable.Changed(from, to)
		if want := without(from, to); !slices.Equal(gone, want) {
			t.Fatalf("gone are %v, want %v", gone, want)
		}
		if want := without(to, from); !slices.Equal(come, want) {
			t.Fatalf("come are %v, want %v", come, want)
		}
	})
}

// One change among a thousand times as many items is found with few allocations more.
func TestChangedLooksAtTheChange(t *testing.T) {
	allocs := func(n int) float64 {
		items := make([]int, n)
		for i := range items {
			items[i] = i
		}
		l := immutable.ListOf(items)
		i := 0
		return testing.AllocsPerRun(100, func() {
			i += 7919
			if gone, come := immutable.Changed(l, l.Delete(i%n).Insert(0, -1)); len(gone) != 1 || len(come) != 1 {
				t.Fatalf("%d items are gone and %d have come, want one of each", len(gone), len(come))
			}
		})
	}
	if short, long := allocs(60), allocs(60_000); long > short+60 {
		t.Errorf("a deletion and an insertion are found with %.0f allocations in 60 items and %.0f in 60,000", short, long)
	}
}

func BenchmarkChanged(b *testing.B) {
	items := make([]int, 10_000)
	for i := range items {
		items[i] = i
	}
	l := immutable.ListOf(items)
	to := l.Delete(5000).Insert(9999, -1)
	b.ReportAllocs()
	for b.Loop() {
		immutable.Changed(l, to)
	}
}
