package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/immutable"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

// contenderNames are, by recipe, what the names of its contenders begin with.
var contenderNames = map[string][]string{
	"election":          {"guid-n_", "n_"},
	"herd":              {"guid-n_", "n_"},
	"curator-latch":     {"_c_" + modeltest.UUID1 + "-latch-", "_c_" + modeltest.UUID2 + "-latch-"},
	"curator-rw":        {"_c_" + modeltest.UUID1 + "-__READ__", "_c_" + modeltest.UUID2 + "-__WRIT__"},
	"kazoo-rw":          {modeltest.Hex1 + "__lock__", modeltest.Hex2 + "__rlock__"},
	"recipe-rw":         {"read-", "write-", modeltest.Hex1 + "-read-", modeltest.Hex1 + "-write-"},
	"solr":              {"72057700533010432-a-n_", "72057700533010432-b-n_"},
	"mesos":             {"json.info_", "info_"},
	"curator-semaphore": {"_c_" + modeltest.UUID1 + "-lease-"},
	"kazoo-semaphore":   nil, // names without a number
}

// randomQueue returns contenders of the recipe in its order, each with a session
// of its own.
func randomQueue(t *rapid.T, r dialect.Recipe, prefixes []string) []*dialect.Candidate {
	var queue []*dialect.Candidate
	taken := map[string]bool{}
	for i := range rapid.IntRange(0, 12).Draw(t, "contenders") {
		c := &dialect.Candidate{Znode: znode.Znode{Session: uint64(i + 1), Czxid: int64(i + 1)}}
		if prefixes == nil {
			c.Name = fmt.Sprintf("%032x", rapid.Uint64().Draw(t, "guid"))
		} else {
			seq := rapid.IntRange(-3, 30).Draw(t, "sequence")
			if seq < 0 {
				seq = -2147483648 - seq
			}
			if r.Name() != "solr" && taken[fmt.Sprint(seq)] {
				continue // a tie has two orders, of czxids and of names
			}
			taken[fmt.Sprint(seq)] = true
			prefix := rapid.SampledFrom(prefixes).Draw(t, "prefix")
			if seq < 0 && prefix[len(prefix)-1] >= 'a' {
				continue // nothing shows that it is a sign
			}
			c.Name = prefix + fmt.Sprintf("%010d", seq)
			c.Sequence, c.HasSequence = znode.Sequence(c.Name)
		}
		if taken[c.Name] {
			continue
		}
		taken[c.Name] = true
		if !r.Contends(c) {
			t.Fatalf("%s is no contender", c.Name)
		}
		queue = append(queue, c)
	}
	slices.SortFunc(queue, func(a, b *dialect.Candidate) int {
		if r.Before(a, b) == r.Before(b, a) {
			t.Fatalf("no order between %s and %s", a.Name, b.Name)
		}
		if r.Before(a, b) {
			return -1
		}
		return 1
	})
	return queue
}

// TestRecipesAgreeWithThemselves: what a candidate decides from names alone is
// what the queue says of it; whoever waits waits for one before it, so that no
// two wait for each other; holders are at the front and wait for nobody; and
// whoever watches is notified.
func TestRecipesAgreeWithThemselves(t *testing.T) {
	for name, prefixes := range contenderNames {
		r, ok := dialect.RecipeNamed(name)
		if !ok {
			t.Fatalf("no recipe %s", name)
		}
		if got := dialect.Queueless(r); got != strings.HasSuffix(name, "semaphore") {
			t.Errorf("%s: Queueless = %v", name, got)
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			queue := randomQueue(t, r, prefixes)
			children := []string{"DONE", "log_replicas_0000000000x"}
			for _, c := range queue {
				children = append(children, c.Name)
			}
			children = rapid.Permutation(children).Draw(t, "children")
			holders := r.Holders(immutable.ListOf(queue))
			if holders < min(1, len(queue)) || holders > len(queue) {
				t.Fatalf("%d of %d hold", holders, len(queue))
			}
			listed := name == "mesos" // where nobody watches a znode
			watched := make([]int, len(queue))
			for i, c := range queue {
				w, waits := r.Watches(immutable.ListOf(queue), i)
				if waits && (w < 0 || w >= i) {
					t.Fatalf("%d watches %d", i, w)
				}
				if waits {
					watched[w]++
				}
				if !listed && waits != (i >= holders) {
					t.Fatalf("%d of %d holders: waits %v", i, holders, waits)
				}
				want := dialect.Target{Listed: true, Leads: i < holders}
				if waits {
					want.Watch = queue[w].Name
				}
				if got := r.Target(c.Name, children, nil); got != want {
					t.Fatalf("%s of %v: target %+v, want %+v", c.Name, children, got, want)
				}
			}
			for i := range queue {
				want := watched[i]
				if listed {
					want = len(queue) - 1
				}
				if got := r.Notified(immutable.ListOf(queue), i); got != want {
					t.Fatalf("the end of %d notifies %d, %d watch it", i, got, want)
				}
			}
		}))
	}
}

// A Curator process that holds the write lock and reads as well.
func TestWriterThatReads(t *testing.T) {
	rw, _ := dialect.RecipeNamed("curator-rw")
	cand := func(kind string, seq, session int) *dialect.Candidate {
		c := &dialect.Candidate{Znode: znode.Znode{Name: fmt.Sprintf("_c_%s-%s%010d", modeltest.UUID1, kind, seq), Session: uint64(session), Czxid: int64(10*seq + session)}}
		c.Sequence, c.HasSequence = znode.Sequence(c.Name)
		return c
	}
	for _, c := range []struct {
		name    string
		queue   []*dialect.Candidate
		holders int
		watches []int
		first   int // notified by the end of the first
	}{
		{"5.5: the same number", []*dialect.Candidate{cand("__WRIT__", 0, 1), cand("__READ__", 0, 1), cand("__READ__", 1, 2)}, 2, []int{-1, -1, 0}, 1},
		{"5.4: a number of its own", []*dialect.Candidate{cand("__WRIT__", 0, 1), cand("__READ__", 1, 2), cand("__READ__", 2, 1)}, 1, []int{-1, 0, -1}, 1},
		{"behind another writer", []*dialect.Candidate{cand("__WRIT__", 0, 1), cand("__WRIT__", 1, 2), cand("__READ__", 2, 2)}, 1, []int{-1, 0, 0}, 2},
	} {
		var watches []int
		for i := range c.queue {
			w, ok := rw.Watches(immutable.ListOf(c.queue), i)
			if !ok {
				w = -1
			}
			watches = append(watches, w)
		}
		if got := rw.Holders(immutable.ListOf(c.queue)); got != c.holders || !slices.Equal(watches, c.watches) || rw.Notified(immutable.ListOf(c.queue), 0) != c.first {
			t.Errorf("%s: %d hold, watches %v, %d notified", c.name, got, watches, rw.Notified(immutable.ListOf(c.queue), 0))
		}
	}
}
