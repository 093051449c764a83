package dialect_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"electop/model/dialect"
)

func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type version struct {
			queue dialect.Queue
			want  []*dialect.Candidate
		}
		numbered := func(n int64) *dialect.Candidate { return &dialect.Candidate{Sequence: n} }
		start := rapid.SampledFrom([]int{0, 1, 127, 128, 129, 2048, 5000}).Draw(t, "contenders at first")
		all := make([]*dialect.Candidate, start)
		for i := range all {
			all[i] = numbered(int64(i) << 32)
		}
		versions := []version{{dialect.QueueOf(all), slices.Clone(all)}}
		clear(all) // the queue must have its own copy
		ends := rapid.Bool().Draw(t, "at the ends")
		inserts := rapid.IntRange(1, 9).Draw(t, "inserts in ten changes")
		for step := range rapid.IntRange(0, 2000).Draw(t, "changes") {
			now := versions[len(versions)-1]
			n := len(now.want)
			var next version
			if n == 0 || step*7%10 < inserts {
				i := step * 7919 % (n + 1)
				if ends {
					i = n
				}
				c := numbered(int64(step))
				if i > 0 {
					c.Sequence = now.want[i-1].Sequence + 1
				}
				next = version{now.queue.Insert(i, c), slices.Insert(slices.Clone(now.want), i, c)}
			} else {
				i := step * 104729 % n
				if ends {
					i = 0
				}
				next = version{now.queue.Delete(i), slices.Delete(slices.Clone(now.want), i, i+1)}
			}
			if len(versions) > 20 {
				versions = slices.Delete(versions, 1, 2)
			}
			versions = append(versions, next)
		}
		for k, v := range versions {
			got := v.queue.Slice()
			if !slices.Equal(got, v.want) || v.queue.Len() != len(v.want) {
				t.Fatalf("version %d: the queue of %d contenders differs from the slice of %d", k, v.queue.Len(), len(v.want))
			}
			for i, c := range v.queue.All() {
				if v.queue.At(i) != v.want[i] || c != v.want[i] {
					t.Fatalf("version %d has a wrong contender at %d", k, i)
				}
				if i == 270 {
					break
				}
			}
			for range min(5, len(v.want)) {
				i := rapid.IntRange(0, len(v.want)-1).Draw(t, "sought")
				order := func(c *dialect.Candidate) int { return int(c.Sequence - v.want[i].Sequence) }
				is := func(c *dialect.Candidate) bool { return order(c) >= 0 }
				first := slices.IndexFunc(v.want, is)
				if !slices.IsSortedFunc(v.want, func(a, b *dialect.Candidate) int { return int(a.Sequence - b.Sequence) }) {
					break // an inserted contender has a higher number than the next contender
				}
				if at, found := v.queue.Find(order); at != first || !found || v.queue.Index(is) != first {
					t.Fatalf("version %d: contender %d: Find = %d, %t, Index = %d; want %d", k, i, at, found, v.queue.Index(is), first)
				}
			}
			if at, found := v.queue.Find(func(*dialect.Candidate) int { return -1 }); at != len(v.want) || found {
				t.Fatalf("version %d: Find beyond the last = %d, %t; want %d, false", k, at, found, len(v.want))
			}
		}
		if text, err := json.Marshal(dialect.Queue{}); err != nil || string(text) != "[]" {
			t.Fatalf("JSON of an empty queue: %s, error %v; want []", text, err)
		}
	})
}
