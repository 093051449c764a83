package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model/dialect"
	"electop/model/internal/modeltest"
	"electop/model/znode"
)

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
		{cand("n_0000000001", 0, 0, true), true},   // deleted before it could be read
		{cand("DONE", 0, 0, true), false},
	} {
		for _, r := range []dialect.Recipe{dialect.Election(), dialect.Herd()} {
			if got := r.Contends(c.cand); got != c.want {
				t.Errorf("%s: Contends(%+v) = %v, want %v", r.Name(), c.cand.Znode, got, c.want)
			}
		}
	}
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
				t.Errorf("Before(%s, %s) = %v, want %v", a.Name, b.Name, got, i < k)
			}
		}
	}
}

func TestTarget(t *testing.T) {
	const hex1, hex2 = modeltest.Hex1, modeltest.Hex2
	plain := []string{"n_0000000007", "DONE", "n_0000000003", "n_0000000005", "n_0000000009", "x_0000000001"}
	locks := []string{hex1 + "__lock__0000000003", "n_0000000001", hex2 + "__lock__0000000005", "_c_" + modeltest.UUID1 + "-lock-0000000002"}
	for _, c := range []struct {
		recipe    string
		children  []string
		own, skip string
		want      dialect.Target
	}{
		{"election", plain, "n_0000000003", "x_0000000001", dialect.Target{Listed: true, Leads: true}},
		{"election", plain, "n_0000000007", "x_0000000001", dialect.Target{Listed: true, Watch: "n_0000000005"}},
		{"election", plain, "n_0000000008", "x_0000000001", dialect.Target{Watch: "n_0000000007"}},
		{"election", plain, "n_0000000001", "x_0000000001", dialect.Target{}},
		{"election", plain, "DONE", "x_0000000001", dialect.Target{}},
		{"election", plain, "n_0000000003", "", dialect.Target{Listed: true, Watch: "x_0000000001"}},
		{"herd", plain, "n_0000000009", "x_0000000001", dialect.Target{Listed: true, Watch: "n_0000000003"}},
		{"kazoo-lock", locks, hex2 + "__lock__0000000005", "", dialect.Target{Listed: true, Watch: hex1 + "__lock__0000000003"}},
		{"kazoo-lock", locks, hex2 + "__lock__0000000005", hex1 + "__lock__0000000003", dialect.Target{Listed: true, Leads: true}},
		{"kazoo-lock", locks, hex1 + "__lock__0000000003", "", dialect.Target{Listed: true, Leads: true}}, // the lower numbers are not kazoo's
		{"kazoo-lock", locks, hex1 + "__lock__0000000009", "", dialect.Target{Watch: hex2 + "__lock__0000000005"}},
		{"kazoo-lock", locks, "n_0000000001", "", dialect.Target{}},
		{"kazoo-lock", locks, hex2 + "__rlock__0000000007", "", dialect.Target{Watch: hex2 + "__lock__0000000005"}},
		{"kazoo-lock", locks, "", "", dialect.Target{}},
		{"kafka", []string{"/controller"}, "/controller", "", dialect.Target{Listed: true, Leads: true}},
		{"kafka", nil, "/controller", "", dialect.Target{}},
	} {
		r, _ := dialect.RecipeNamed(c.recipe)
		skip := func(name string) bool { return name == c.skip }
		if got := r.Target(c.own, c.children, skip); got != c.want {
			t.Errorf("%s: Target(%s) = %+v, want %+v", c.recipe, c.own, got, c.want)
		}
		if n := testing.AllocsPerRun(10, func() { r.Target(c.own, c.children, skip) }); n > 0 {
			t.Errorf("%s: Target(%s) allocates %v times", c.recipe, c.own, n)
		}
	}
}

var contenderPrefixes = map[string][]string{
	"election":          {"guid-n_", "n_"},
	"herd":              {"guid-n_", "n_"},
	"curator-latch":     {"_c_" + modeltest.UUID1 + "-latch-", "_c_" + modeltest.UUID2 + "-latch-"},
	"curator-rw":        {"_c_" + modeltest.UUID1 + "-__READ__", "_c_" + modeltest.UUID2 + "-__WRIT__"},
	"kazoo-rw":          {modeltest.Hex1 + "__lock__", modeltest.Hex2 + "__rlock__"},
	"recipe-rw":         {"read-", "write-", modeltest.Hex1 + "-read-", modeltest.Hex1 + "-write-"},
	"solr":              {"72057700533010432-a-n_", "72057700533010432-b-n_"},
	"mesos":             {"json.info_", "info_"},
	"curator-semaphore": {"_c_" + modeltest.UUID1 + "-lease-"},
	"kazoo-semaphore":   nil, // guids without a number
}

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
				continue // Target orders equal numbers by name, but the queue orders them by czxid
			}
			taken[fmt.Sprint(seq)] = true
			prefix := rapid.SampledFrom(prefixes).Draw(t, "prefix")
			c.Name = prefix + fmt.Sprintf("%010d", seq)
			c.Sequence, c.HasSequence = znode.Sequence(c.Name)
		}
		if taken[c.Name] {
			continue
		}
		taken[c.Name] = true
		if !r.Contends(c) {
			t.Fatalf("Contends(%s) = false, want true", c.Name)
		}
		queue = append(queue, c)
	}
	slices.SortFunc(queue, func(a, b *dialect.Candidate) int {
		if r.Before(a, b) == r.Before(b, a) {
			t.Fatalf("Before does not order %s and %s", a.Name, b.Name)
		}
		if r.Before(a, b) {
			return -1
		}
		return 1
	})
	return queue
}

func TestRecipesAreConsistent(t *testing.T) {
	for name, prefixes := range contenderPrefixes {
		r, ok := dialect.RecipeNamed(name)
		if !ok {
			t.Fatalf("no recipe %s", name)
		}
		if got := dialect.Queueless(r); got != strings.HasSuffix(name, "semaphore") {
			t.Errorf("%s: Queueless = %v, want true only for semaphores", name, got)
		}
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			queue := randomQueue(t, r, prefixes)
			children := []string{"DONE", "log_replicas_0000000000x"}
			for _, c := range queue {
				children = append(children, c.Name)
			}
			children = rapid.Permutation(children).Draw(t, "children")
			holders := r.Holders(dialect.QueueOf(queue))
			if holders < min(1, len(queue)) || holders > len(queue) {
				t.Fatalf("%d of %d contenders hold the role", holders, len(queue))
			}
			watchesList := name == "mesos"
			watched := make([]int, len(queue))
			for i, c := range queue {
				w, waits := r.Watches(dialect.QueueOf(queue), i)
				if waits && (w < 0 || w >= i) {
					t.Fatalf("position %d watches %d, want a position before it", i, w)
				}
				if waits {
					watched[w]++
				}
				if !watchesList && waits != (i >= holders) {
					t.Fatalf("position %d with %d holders: waits %v, want only behind the holders", i, holders, waits)
				}
				want := dialect.Target{Listed: true, Leads: i < holders}
				if waits {
					want.Watch = queue[w].Name
				}
				if got := r.Target(c.Name, children, nil); got != want {
					t.Fatalf("Target(%s, %v) = %+v, want %+v", c.Name, children, got, want)
				}
			}
			for i := range queue {
				want := watched[i]
				if watchesList {
					want = len(queue) - 1
				}
				if got := r.Notified(dialect.QueueOf(queue), i); got != want {
					t.Fatalf("Notified(%d) = %d, want its %d watchers", i, got, want)
				}
			}
		}))
	}
}

func TestReentrantReader(t *testing.T) {
	rw, _ := dialect.RecipeNamed("curator-rw")
	cand := func(kind string, seq, session int) *dialect.Candidate {
		name := fmt.Sprintf("_c_%s-%s%010d", modeltest.UUID1, kind, seq)
		c := &dialect.Candidate{Znode: znode.Znode{Name: name, Session: uint64(session), Czxid: int64(10*seq + session)}}
		c.Sequence, c.HasSequence = znode.Sequence(c.Name)
		return c
	}
	for _, c := range []struct {
		name     string
		queue    []*dialect.Candidate
		holders  int
		watches  []int
		notified int // by the deletion of the first contender
	}{
		{"Curator 5.5: the same number", []*dialect.Candidate{cand("__WRIT__", 0, 1), cand("__READ__", 0, 1), cand("__READ__", 1, 2)}, 2, []int{-1, -1, 0}, 1},
		{"Curator 5.4: another number", []*dialect.Candidate{cand("__WRIT__", 0, 1), cand("__READ__", 1, 2), cand("__READ__", 2, 1)}, 1, []int{-1, 0, -1}, 1},
		{"behind another writer", []*dialect.Candidate{cand("__WRIT__", 0, 1), cand("__WRIT__", 1, 2), cand("__READ__", 2, 2)}, 1, []int{-1, 0, 0}, 2},
	} {
		var watches []int
		for i := range c.queue {
			w, ok := rw.Watches(dialect.QueueOf(c.queue), i)
			if !ok {
				w = -1
			}
			watches = append(watches, w)
		}
		if got := rw.Holders(dialect.QueueOf(c.queue)); got != c.holders || !slices.Equal(watches, c.watches) || rw.Notified(dialect.QueueOf(c.queue), 0) != c.notified {
			t.Errorf("%s: got %d holders, watches %v, %d notified; want %d, %v, %d",
				c.name, got, watches, rw.Notified(dialect.QueueOf(c.queue), 0), c.holders, c.watches, c.notified)
		}
	}
}

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
					Czxid:   int64(rapid.IntRange(0, 9).Draw(t, "czxid")), // equal if created in one multi
					Session: uint64(rapid.IntRange(1, 3).Draw(t, "session")),
				}}
				if slices.ContainsFunc(all, func(a *dialect.Candidate) bool { return a.Name == c.Name }) {
					continue
				}
				x.dialect.Interpret(c)
				all = append(all, c)
			}
			slices.SortFunc(all, func(a, b *dialect.Candidate) int { return dialect.Compare(x.recipe, a, b) })
			queue := dialect.QueueOf(all)
			for want, c := range all {
				if i, found := dialect.Find(x.dialect, x.recipe, queue, c.ID()); i != want || !found {
					t.Fatalf("Find(%v) = %d, %t; want %d, true", c.ID(), i, found, want)
				}
				other := c.ID()
				other.Czxid += 10
				if i, found := dialect.Find(x.dialect, x.recipe, queue, other); found {
					t.Fatalf("Find(%v) = %d, but it is not in the queue", other, i)
				}
			}
			if i, found := dialect.Find(x.dialect, x.recipe, queue, dialect.ID{Name: "n_0000000041"}); found {
				t.Fatalf("Find of a name that is not in the queue = %d, true", i)
			}
		}))
	}
}

func TestLabel(t *testing.T) {
	for _, c := range []struct {
		data string
		want string
	}{
		{"amber", "amber"}, {" amber\n", "amber"}, {"", "n_1"}, {"  ", "n_1"}, {"a\nb", "n_1"}, {"\xff", "n_1"}, {"a\x00b", "n_1"},
		{"\x1b[1m", `\x1b[1m`}, {strings.Repeat("x", 65), "n_1"}, {strings.Repeat("y", 2*znode.DataMax), "n_1"},
	} {
		cand := &dialect.Candidate{Znode: znode.Znode{Name: "n_1", Data: znode.NewData([]byte(c.data))}}
		if got := cand.Label(); got != c.want {
			t.Errorf("data %.20q: Label = %q, want %q", c.data, got, c.want)
		}
	}
}

func TestAge(t *testing.T) {
	seen := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name  string
		cand  dialect.Candidate
		now   time.Time
		age   time.Duration
		exact bool
	}{
		{"joined", dialect.Candidate{SeenAt: seen, Joined: true, Znode: znode.Znode{Ctime: seen.Add(-time.Hour)}}, seen.Add(time.Second), time.Second, true},
		{"created before electop observed", dialect.Candidate{SeenAt: seen, Znode: znode.Znode{Ctime: seen.Add(-time.Hour)}}, seen, time.Hour, false},
		{"server's clock ahead", dialect.Candidate{SeenAt: seen, Znode: znode.Znode{Ctime: seen.Add(time.Hour)}}, seen, 0, false},
		{"electop's clock went back", dialect.Candidate{SeenAt: seen, Joined: true}, seen.Add(-time.Hour), 0, true},
		{"no ctime", dialect.Candidate{SeenAt: seen}, seen.Add(time.Minute), time.Minute, false},
	} {
		if age, exact := c.cand.Age(c.now); age != c.age || exact != c.exact {
			t.Errorf("%s: Age = %v, %v; want %v, %v", c.name, age, exact, c.age, c.exact)
		}
	}
}
