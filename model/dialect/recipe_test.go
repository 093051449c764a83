package dialect_test

import (
	"fmt"
	"testing"

	"electop/model/dialect"
	"electop/model/immutable"
	"electop/model/znode"
)

func TestRecipes(t *testing.T) {
	for _, c := range []struct {
		recipe   dialect.Recipe
		n        int
		holders  int
		watches  []int // by position; -1: nothing
		notified []int
	}{
		{dialect.Election(), 0, 0, nil, nil},
		{dialect.Election(), 1, 1, []int{-1}, []int{0}},
		{dialect.Election(), 4, 1, []int{-1, 0, 1, 2}, []int{1, 1, 1, 0}},
		{dialect.Herd(), 0, 0, nil, nil},
		{dialect.Herd(), 1, 1, []int{-1}, []int{0}},
		{dialect.Herd(), 4, 1, []int{-1, 0, 0, 0}, []int{3, 0, 0, 0}},
	} {
		name := fmt.Sprint(c.recipe.Name(), " of ", c.n)
		var queue []*dialect.Candidate
		for i := range c.n {
			queue = append(queue, &dialect.Candidate{Sequence: int64(3 * i), HasSequence: true, Znode: znode.Znode{Session: 1}})
		}
		if got := c.recipe.Holders(immutable.ListOf(queue)); got != c.holders {
			t.Errorf("%s: Holders = %d", name, got)
		}
		watched := make([]int, c.n)
		for i := range queue {
			w, ok := c.recipe.Watches(immutable.ListOf(queue), i)
			if ok != (c.watches[i] >= 0) || ok && w != c.watches[i] {
				t.Errorf("%s: Watches(%d) = %d, %v", name, i, w, ok)
			}
			if ok {
				watched[w]++
			}
		}
		for i := range queue {
			// Exactly the watchers are notified.
			if got := c.recipe.Notified(immutable.ListOf(queue), i); got != c.notified[i] || got != watched[i] {
				t.Errorf("%s: Notified(%d) = %d, %d watch it", name, i, got, watched[i])
			}
		}
		if r, ok := dialect.RecipeNamed(c.recipe.Name()); !ok || r != c.recipe {
			t.Errorf("%s: RecipeNamed = %v, %v", name, r, ok)
		}
	}
	if _, ok := dialect.RecipeNamed("no such"); ok {
		t.Error("a recipe of no such name")
	}
}

func TestContendsAndBefore(t *testing.T) {
	cand := func(name string, session uint64, czxid int64, unread bool) *dialect.Candidate {
		c := &dialect.Candidate{Znode: znode.Znode{Name: name, Session: session, Czxid: czxid, Unread: unread}}
		c.Sequence, c.HasSequence = znode.Sequence(name)
		return c
	}
	for _, c := range []struct {
		cand *dialect.Candidate
		want bool
	}{
		{cand("n_0000000001", 1, 5, false), true},
		{cand("n_0000000001", 0, 5, false), false}, // persistent
		{cand("DONE", 1, 5, false), false},         // no number
		{cand("n_0000000001", 0, 0, true), true},   // gone before it could be read
		{cand("DONE", 0, 0, true), false},
	} {
		for _, r := range []dialect.Recipe{dialect.Election(), dialect.Herd()} {
			if got := r.Contends(c.cand); got != c.want {
				t.Errorf("%s: Contends(%+v) = %v", r.Name(), c.cand.Znode, got)
			}
		}
	}
	// In queue order: by sequence, then czxid, then name.
	ordered := []*dialect.Candidate{
		cand("n_-2147483648", 1, 90, false),
		cand("z_0000000001", 1, 7, false),
		cand("a_0000000001", 1, 8, false),
		cand("b_0000000001", 1, 8, false),
		cand("n_0000000002", 1, 1, false),
		cand("n_2147483647", 1, 2, false),
	}
	for i, a := range ordered {
		for k, b := range ordered {
			if got := dialect.Election().Before(a, b); got != (i < k) {
				t.Errorf("Before(%s, %s) = %v", a.Name, b.Name, got)
			}
		}
	}
}

func TestTarget(t *testing.T) {
	children := []string{"n_0000000007", "DONE", "n_0000000003", "n_0000000005", "n_0000000009", "x_0000000001"}
	skip := func(name string) bool { return name == "x_0000000001" }
	for _, c := range []struct {
		recipe dialect.Recipe
		own    string
		want   dialect.Target
	}{
		{dialect.Election(), "n_0000000003", dialect.Target{Listed: true, Leads: true}},
		{dialect.Election(), "n_0000000007", dialect.Target{Listed: true, Watch: "n_0000000005"}},
		{dialect.Election(), "n_0000000008", dialect.Target{Watch: "n_0000000007"}},
		{dialect.Election(), "n_0000000001", dialect.Target{}}, // lost, and so no leader
		{dialect.Election(), "DONE", dialect.Target{}},
		{dialect.Herd(), "n_0000000009", dialect.Target{Listed: true, Watch: "n_0000000003"}},
	} {
		if got := c.recipe.Target(c.own, children, skip); got != c.want {
			t.Errorf("%s: Target(%s) = %+v, want %+v", c.recipe.Name(), c.own, got, c.want)
		}
	}
	if got := dialect.Election().Target("n_0000000003", children, nil); got.Watch != "x_0000000001" || got.Leads {
		t.Errorf("nothing to skip: %+v", got)
	}
	if n := testing.AllocsPerRun(10, func() { dialect.Election().Target("n_0000000007", children, skip) }); n > 0 {
		t.Errorf("Target allocates %v times", n)
	}
}
