package dialect_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/immutable"
	"electop/model/znode"
)

// By each recipe a contender is found as by a walk through the queue, whatever the order is
// made of, and one that is not there is not.
func TestFind(t *testing.T) {
	type system struct {
		name    string
		dialect *dialect.Dialect
		recipe  dialect.Recipe
	}
	systems := []system{{"no dialect", nil, dialect.Election()}, {"herd", nil, dialect.Herd()}}
	for _, d := range dialect.All() {
		systems = append(systems, system{d.ID, d, d.Recipe})
	}
	stems := []string{"n_", "guid-n_", "__lock__", "__rlock__", "_c_x-__READ__", "_c_x-__WRIT__", "0", "member_", ""}
	for _, x := range systems {
		t.Run(x.name, rapid.MakeCheck(func(t *rapid.T) {
			var all []*dialect.Candidate
			for range rapid.IntRange(0, 30).Draw(t, "children") {
				c := &dialect.Candidate{Znode: znode.Znode{
					Name:    fmt.Sprintf("%s%010d", rapid.SampledFrom(stems).Draw(t, "stem"), rapid.IntRange(0, 40).Draw(t, "sequence")),
					Czxid:   int64(rapid.IntRange(0, 9).Draw(t, "czxid")), // a multi creates several at once
					Session: uint64(rapid.IntRange(1, 3).Draw(t, "session")),
				}}
				if slices.ContainsFunc(all, func(a *dialect.Candidate) bool { return a.Name == c.Name }) {
					continue
				}
				x.dialect.Interpret(c)
				all = append(all, c)
			}
			slices.SortFunc(all, func(a, b *dialect.Candidate) int { return dialect.Compare(x.recipe, a, b) })
			queue := immutable.ListOf(all)
			for want, c := range all {
				if i, found := dialect.Find(x.dialect, x.recipe, queue, c.ID()); i != want || !found {
					t.Fatalf("%v is found at %d (%t), want %d", c.ID(), i, found, want)
				}
				other := c.ID()
				other.Czxid += 10
				if i, found := dialect.Find(x.dialect, x.recipe, queue, other); found {
					t.Fatalf("%v is found at %d, and is not there", other, i)
				}
			}
			if i, found := dialect.Find(x.dialect, x.recipe, queue, dialect.ID{Name: "n_0000000041"}); found {
				t.Fatalf("one that never was is found at %d", i)
			}
		}))
	}
}
