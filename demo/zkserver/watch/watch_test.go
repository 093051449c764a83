package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"electop/zkwatch/wire"
)

var paths = []string{"/", "/a", "/a/b", "/a/b/c", "/d"}

// TestAgainstAModel leaves, spends and removes watches at random, and compares
// with the rules written down one watch at a time.
func TestAgainstAModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed) // shown on failure
	rng := rand.New(rand.NewPCG(seed, 0))
	type key struct {
		who, path string
		child     bool
	}
	ts := New[string]()
	model := make(map[key]Mode)
	for i := range 20_000 {
		w := string(rune('p' + rng.IntN(3)))
		path, child := paths[rng.IntN(len(paths))], rng.IntN(2) == 0
		table := &ts.Data
		if child {
			table = &ts.Child
		}
		switch rng.IntN(7) {
		case 0, 1:
			table.Add(w, path, Once)
			model[key{w, path, child}] |= Once
		case 2:
			m := []Mode{Persistent, Recursive}[rng.IntN(2)]
			ts.AddLasting(w, path, m)
			model[key{w, path, false}] |= m
			model[key{w, path, true}] |= m
		case 3:
			kind := []int32{wire.WatcherChildren, wire.WatcherData}[rng.IntN(2)]
			k, remove := key{w, path, kind == wire.WatcherChildren}, rng.IntN(2) == 0
			want := wire.NoWatcher
			if model[k] != 0 {
				want = wire.OK
			}
			if got := ts.Find(w, kind, path, remove); got != want {
				t.Fatalf("step %d: find %+v: %v, want %v", i, k, got, want)
			}
			if remove {
				delete(model, k)
			}
		case 4:
			if rng.IntN(10) == 0 {
				ts.Forget(w)
				maps.DeleteFunc(model, func(k key, _ Mode) bool { return k.who == w })
			}
		default:
			event := []int32{wire.EventNodeDeleted, wire.EventNodeDataChanged, wire.EventNodeChildrenChanged}[rng.IntN(3)]
			want := make(map[string]bool) // direct
			for k, m := range model {
				above := k.path == "/" && path != "/" || len(path) > len(k.path) && path[:len(k.path)+1] == k.path+"/"
				found := false
				switch {
				case k.child && event == wire.EventNodeDataChanged, !k.child && event == wire.EventNodeChildrenChanged:
					continue
				case k.path == path:
					found = m&(Once|Persistent) != 0 || event != wire.EventNodeChildrenChanged
					if model[k] = m &^ Once; model[k] == 0 {
						delete(model, k)
					}
				case above:
					found = m&Recursive != 0 && event != wire.EventNodeChildrenChanged
				}
				if found {
					want[k.who] = want[k.who] || k.path == path && !k.child
				}
			}
			got := make(map[string]bool)
			ts.Trigger(path, event, func(who string, direct bool) {
				if _, ok := got[who]; ok {
					t.Errorf("step %d: %s is notified twice", i, who)
				}
				got[who] = direct
			})
			if !maps.Equal(got, want) {
				t.Fatalf("step %d: event %d of %s notifies %v, want %v", i, event, path, got, want)
			}
		}
	}
	count := func(child bool) string {
		who, at, total := make(map[string]bool), make(map[string]bool), 0
		for k := range model {
			if k.child == child {
				who[k.who], at[k.path] = true, true
				total++
			}
		}
		return fmt.Sprint(len(who), len(at), total, slices.Sorted(maps.Keys(at)))
	}
	for child, table := range map[bool]*Table[string]{false: &ts.Data, true: &ts.Child} {
		w, p, n := table.Count()
		if got := fmt.Sprint(w, p, n, listed(table)); got != count(child) {
			t.Errorf("children %t: counts %s, want %s", child, got, count(child))
		}
	}
	for _, w := range []string{"p", "q", "r"} {
		ts.Forget(w)
	}
	a, b, c := ts.Data.Count()
	d, e, f := ts.Child.Count()
	if a+b+c+d+e+f+ts.Data.recursive+ts.Child.recursive != 0 {
		t.Errorf("left: %d %d %d, %d %d %d, %d recursive", a, b, c, d, e, f, ts.Data.recursive+ts.Child.recursive)
	}
}

// listed returns the watched paths.
func listed(t *Table[string]) []string {
	at := make(map[string]bool)
	for _, paths := range t.Watchers() {
		for _, path := range paths {
			at[path] = true
		}
	}
	return slices.Sorted(maps.Keys(at))
}

func TestTriggerAllocatesNothing(t *testing.T) {
	ts := New[int]()
	for w := range 3 {
		ts.AddLasting(w, "/a", Recursive)
		ts.AddLasting(w, "/a/b/c", Persistent)
	}
	notified := 0
	notify := func(int, bool) { notified++ }
	for _, event := range []int32{wire.EventNodeCreated, wire.EventNodeDataChanged, wire.EventNodeDeleted, wire.EventNodeChildrenChanged} {
		if n := testing.AllocsPerRun(100, func() { ts.Trigger("/a/b/c", event, notify) }); n != 0 {
			t.Errorf("event %d: %v allocations", event, n)
		}
	}
	if notified == 0 {
		t.Error("nobody was notified")
	}
}
