package dialect_test

import (
	"testing"

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
		{"election", plain, "n_0000000001", "x_0000000001", dialect.Target{}}, // lost, and so no leader
		{"election", plain, "DONE", "x_0000000001", dialect.Target{}},
		{"election", plain, "n_0000000003", "", dialect.Target{Listed: true, Watch: "x_0000000001"}}, // nothing to skip
		{"herd", plain, "n_0000000009", "x_0000000001", dialect.Target{Listed: true, Watch: "n_0000000003"}},
		{"kazoo-lock", locks, hex2 + "__lock__0000000005", "", dialect.Target{Listed: true, Watch: hex1 + "__lock__0000000003"}},
		{"kazoo-lock", locks, hex2 + "__lock__0000000005", hex1 + "__lock__0000000003", dialect.Target{Listed: true, Leads: true}},
		{"kazoo-lock", locks, hex1 + "__lock__0000000003", "", dialect.Target{Listed: true, Leads: true}}, // the others are no contenders
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
