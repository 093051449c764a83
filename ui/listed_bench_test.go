package ui

import (
	"fmt"
	"testing"

	"electop/model"
	"electop/model/znode"
)

// A change among 10,000 candidates with its frame, however the list is shown, and wherever
// the user is in it. Ignored are as many children more that are no candidates.
func BenchmarkListedChange(b *testing.B) {
	const n = 10_000
	for _, c := range []struct {
		name    string
		keys    []string
		ignored int
	}{
		{name: "queue"},
		{name: "queue, its middle", keys: []string{"/", "n", "o", "d", "e", "5", "0", "0", "0", "enter", "esc"}},
		{name: "filter, few", keys: []string{"/", "9", "9", "9", "enter"}},
		{name: "filter, all", keys: []string{"/", "n", "_", "enter"}},
		{name: "ignored", ignored: n},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := newBusy(n)
			e.told()
			if c.ignored > 0 {
				e.ignore(c.ignored)
			}
			m := dashboardOf(e)
			keys(m, c.keys...)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e.change(i)
				m.Update(present(e, false))
			}
		})
	}
}

// ignore adds persistent children with numbers, one by one.
func (b *busy) ignore(n int) {
	for range n {
		z := znode.Znode{Name: fmt.Sprintf("job-%010d", b.next), Czxid: int64(b.next), Ctime: b.at}
		b.next++
		b.j.Apply(&model.Delta{At: b.at, Notified: b.at, Heard: b.at, New: &z})
	}
}
