package dialect_test

import (
	"strings"
	"testing"
	"time"

	"electop/model/dialect"
	"electop/model/znode"
)

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
		{"older than us", dialect.Candidate{SeenAt: seen, Znode: znode.Znode{Ctime: seen.Add(-time.Hour)}}, seen, time.Hour, false},
		{"server's clock ahead", dialect.Candidate{SeenAt: seen, Znode: znode.Znode{Ctime: seen.Add(time.Hour)}}, seen, 0, false},
		{"our clock went back", dialect.Candidate{SeenAt: seen, Joined: true}, seen.Add(-time.Hour), 0, true},
		{"no ctime", dialect.Candidate{SeenAt: seen}, seen.Add(time.Minute), time.Minute, false},
	} {
		if age, exact := c.cand.Age(c.now); age != c.age || exact != c.exact {
			t.Errorf("%s: Age = %v, %v; want %v, %v", c.name, age, exact, c.age, c.exact)
		}
	}
}
