package ui

import (
	"fmt"
	"runtime"
	"testing"
)

// What a change costs, from its notification to the frame that shows it, does not grow
// with the election, except by the depth of a tree. Bytes and allocations are counted: a
// copy of the queue is one allocation.
func TestAChangeCostsTheSameInACrowd(t *testing.T) {
	cost := func(n int, drawn, tables bool) (bytes, allocs int) {
		b := newBusy(n)
		if tables {
			b.told()
		}
		m := dashboardOf(b)
		i := 0
		changes := func(n int) {
			for range n {
				b.change(i)
				b.State()
				if drawn {
					m.Update(present(b, false))
				}
				i++
			}
		}
		changes(600) // the histories are long then
		const measured = 400
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		changes(measured)
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc-before.TotalAlloc) / measured, int(after.Mallocs-before.Mallocs) / measured
	}
	for name, c := range map[string]struct {
		drawn, tables bool
		most          int // allocations
	}{
		"journal and state":                      {most: 30},
		"with verified watches":                  {tables: true, most: 35},
		"with a frame":                           {drawn: true, most: 140},
		"with a frame and with verified watches": {drawn: true, tables: true, most: 150},
	} {
		fewBytes, few := cost(100, c.drawn, c.tables)
		manyBytes, many := cost(10_000, c.drawn, c.tables)
		said := fmt.Sprintf("%s: %d bytes in %d allocations a change with 100 candidates, %d in %d with 10,000", name, fewBytes, few, manyBytes, many)
		t.Log(said)
		if 4*manyBytes > 5*fewBytes || many > few+10 || many > c.most {
			t.Error(said)
		}
	}
}
