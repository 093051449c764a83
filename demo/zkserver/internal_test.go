package zkserver

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"electop/zkwatch/wire"
)

// TestWatchTables leaves, spends and removes watches at random, and compares
// with the rules written down one watch at a time.
func TestWatchTables(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed) // shown on failure
	rng := rand.New(rand.NewPCG(seed, 0))
	type key struct {
		who   *conn
		path  string
		child bool
	}
	paths, conns := []string{"/", "/a", "/a/b", "/a/b/c", "/d"}, []*conn{{}, {}, {}}
	ts := watchTables{newWatchTable(), newWatchTable()}
	model := make(map[key]watchMode)
	for i := range 20_000 {
		w := conns[rng.IntN(3)]
		path, child := paths[rng.IntN(len(paths))], rng.IntN(2) == 0
		table := &ts.data
		if child {
			table = &ts.child
		}
		switch rng.IntN(7) {
		case 0, 1:
			table.add(w, path, watchOnce)
			model[key{w, path, child}] |= watchOnce
		case 2:
			m := []watchMode{watchPersistent, watchRecursive}[rng.IntN(2)]
			ts.addLasting(w, path, m)
			model[key{w, path, false}] |= m
			model[key{w, path, true}] |= m
		case 3:
			kind := []int32{wire.WatcherChildren, wire.WatcherData}[rng.IntN(2)]
			k, remove := key{w, path, kind == wire.WatcherChildren}, rng.IntN(2) == 0
			want := wire.NoWatcher
			if model[k] != 0 {
				want = wire.OK
			}
			if got := ts.find(w, kind, path, remove); got != want {
				t.Fatalf("step %d: find %+v: %v, want %v", i, k, got, want)
			}
			if remove {
				delete(model, k)
			}
		case 4:
			if rng.IntN(10) == 0 {
				ts.forget(w)
				maps.DeleteFunc(model, func(k key, _ watchMode) bool { return k.who == w })
			}
		default:
			event := []int32{wire.EventNodeDeleted, wire.EventNodeDataChanged, wire.EventNodeChildrenChanged}[rng.IntN(3)]
			want := make(map[*conn]bool) // direct
			for k, m := range model {
				above := k.path == "/" && path != "/" || len(path) > len(k.path) && path[:len(k.path)+1] == k.path+"/"
				found := false
				switch {
				case k.child && event == wire.EventNodeDataChanged, !k.child && event == wire.EventNodeChildrenChanged:
					continue
				case k.path == path:
					found = m&(watchOnce|watchPersistent) != 0 || event != wire.EventNodeChildrenChanged
					if model[k] = m &^ watchOnce; model[k] == 0 {
						delete(model, k)
					}
				case above:
					found = m&watchRecursive != 0 && event != wire.EventNodeChildrenChanged
				}
				if found {
					want[k.who] = want[k.who] || k.path == path && !k.child
				}
			}
			if got := ts.trigger(path, event); !maps.Equal(got, want) {
				t.Fatalf("step %d: event %d of %s notifies %v, want %v", i, event, path, got, want)
			}
		}
	}
	count := func(child bool) string {
		who, at, total := make(map[*conn]bool), make(map[string]bool), 0
		for k := range model {
			if k.child == child {
				who[k.who], at[k.path] = true, true
				total++
			}
		}
		return fmt.Sprint(len(who), len(at), total, slices.Sorted(maps.Keys(at)))
	}
	for child, table := range map[bool]*watchTable{false: &ts.data, true: &ts.child} {
		if got := fmt.Sprint(len(table.owned), len(table.paths), table.total, slices.Sorted(maps.Keys(table.paths))); got != count(child) {
			t.Errorf("children %t: counts %s, want %s", child, got, count(child))
		}
	}
	for _, w := range conns {
		ts.forget(w)
	}
	if empty := (watchTables{newWatchTable(), newWatchTable()}); !reflect.DeepEqual(ts, empty) {
		t.Errorf("left: %+v", ts)
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
			t.Errorf("average of %+v = %s, want %s", tt.l, got, tt.want)
		}
	}
}
