package zkserver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"electop/zkwatch/wire"
)

// watchRules is a slow and simple implementation of watchTables.
type watchRules map[watchKey]watchMode

type watchKey struct {
	c     *conn
	path  string
	child bool
}

// trigger maps each notified connection to whether its watch on the data or existence of path fires.
func (r watchRules) trigger(path string, event int32) map[*conn]bool {
	notified := make(map[*conn]bool)
	for k, m := range r {
		above := k.path == "/" && path != "/" || len(path) > len(k.path) && path[:len(k.path)+1] == k.path+"/"
		fires := false
		switch {
		case k.child && event == wire.EventNodeDataChanged, !k.child && event == wire.EventNodeChildrenChanged:
			continue
		case k.path == path:
			fires = m&(watchOnce|watchPersistent) != 0 || event != wire.EventNodeChildrenChanged
			if r[k] = m &^ watchOnce; r[k] == 0 {
				delete(r, k)
			}
		case above:
			fires = m&watchRecursive != 0 && event != wire.EventNodeChildrenChanged
		}
		if fires {
			notified[k.c] = notified[k.c] || k.path == path && !k.child
		}
	}
	return notified
}

func (r watchRules) counts(child bool) string {
	conns, paths, total := make(map[*conn]bool), make(map[string]bool), 0
	for k := range r {
		if k.child == child {
			conns[k.c], paths[k.path] = true, true
			total++
		}
	}
	return fmt.Sprint(len(conns), len(paths), total, slices.Sorted(maps.Keys(paths)))
}

func TestWatchTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		paths, conns := []string{"/", "/a", "/a/b", "/a/b/c", "/d"}, []*conn{{}, {}, {}}
		ts, rules := watchTables{data: newWatchTable(), child: newWatchTable()}, watchRules{}
		tables := map[bool]*watchTable{false: &ts.data, true: &ts.child}
		for i := range 200 {
			k := watchKey{conns[rng.IntN(3)], paths[rng.IntN(len(paths))], rng.IntN(2) == 0}
			switch rng.IntN(7) {
			case 0, 1:
				tables[k.child].add(k.c, k.path, watchOnce)
				rules[k] |= watchOnce
			case 2:
				m := []watchMode{watchPersistent, watchRecursive}[rng.IntN(2)]
				ts.addLasting(k.c, k.path, m)
				rules[watchKey{k.c, k.path, false}] |= m
				rules[watchKey{k.c, k.path, true}] |= m
			case 3:
				remove := rng.IntN(2) == 0
				want := map[bool]wire.Code{true: wire.OK, false: wire.NoWatcher}[rules[k] != 0]
				if got := ts.find(k.c, map[bool]int32{false: wire.WatcherData, true: wire.WatcherChildren}[k.child], k.path, remove); got != want {
					t.Fatalf("step %d: find %+v: got %v, want %v", i, k, got, want)
				}
				if remove {
					delete(rules, k)
				}
			case 4:
				if rng.IntN(10) == 0 {
					ts.forget(k.c)
					maps.DeleteFunc(rules, func(other watchKey, _ watchMode) bool { return other.c == k.c })
				}
			default:
				event := []int32{wire.EventNodeDeleted, wire.EventNodeDataChanged, wire.EventNodeChildrenChanged}[rng.IntN(3)]
				want, got, calls := rules.trigger(k.path, event), make(map[*conn]bool), 0
				ts.trigger(k.path, event, func(c *conn, direct bool) { got[c], calls = direct, calls+1 })
				if !maps.Equal(got, want) || calls != len(want) {
					t.Fatalf("step %d: event %d at %s: got %v notified in %d calls, want %v", i, event, k.path, got, calls, want)
				}
			}
		}
		for child, table := range tables {
			if got := fmt.Sprint(len(table.owned), len(table.paths), table.total, slices.Sorted(maps.Keys(table.paths))); got != rules.counts(child) {
				t.Errorf("counts of watches, child table %t: got %s, want %s", child, got, rules.counts(child))
			}
		}
		for _, c := range conns {
			ts.forget(c)
		}
		for _, table := range tables {
			if len(table.paths)+len(table.owned)+table.total+table.recursive != 0 {
				t.Errorf("table after all connections were forgotten: got %+v, want an empty table", table)
			}
		}
	})
}

// TestTriggerAllocatesNothing is needed because trigger runs under the server's lock for thousands of watches.
func TestTriggerAllocatesNothing(t *testing.T) {
	ts := watchTables{data: newWatchTable(), child: newWatchTable()}
	for range 1000 {
		ts.addLasting(&conn{}, "/e", watchPersistent)
	}
	n := 0
	if allocs := testing.AllocsPerRun(9, func() {
		ts.trigger("/e", wire.EventNodeChildrenChanged, func(*conn, bool) { n++ })
	}); allocs > 0 || n != 10_000 {
		t.Errorf("got %v allocations, %d notifications of 1,000 connections in 10 events; want 0 and 10,000", allocs, n)
	}
}

func TestAverage(t *testing.T) {
	for _, tt := range []struct {
		l    latency
		want string
	}{
		{latency{}, "0.0"},
		{latency{count: 2, total: 2e6}, "1.0"},
		{latency{count: 1, total: 11_969e2}, "1.1969"},
		{latency{count: 1, total: 1}, "0.0"},
		{latency{count: 1, total: 12e6 + 500e3}, "12.5"},
	} {
		if got := tt.l.average(); got != tt.want {
			t.Errorf("average of %+v: got %s, want %s", tt.l, got, tt.want)
		}
	}
}
