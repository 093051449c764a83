package ui

import (
	"runtime"
	"testing"
)

// What a change costs, from its notification to the frame that shows it, does not grow
// with the election. Bytes and allocations are counted: a copy of the queue is one
// allocation.
func TestAChangeCostsTheSameInACrowd(t *testing.T) {
	cost := func(n int, drawn bool) (bytes, allocs int) {
		b := newBusy(n)
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
	for name, drawn := range map[string]bool{"journal and state": false, "with a frame": true} {
		fewBytes, few := cost(100, drawn)
		manyBytes, many := cost(10_000, drawn)
		t.Logf("%s: %d bytes in %d allocations a change with 100 candidates, %d in %d with 10,000", name, fewBytes, few, manyBytes, many)
		if manyBytes > 2*fewBytes || many > few+20 || many > 200 {
			t.Errorf("%s: %d bytes in %d allocations a change with 100 candidates, %d in %d with 10,000", name, fewBytes, few, manyBytes, many)
		}
	}
}
