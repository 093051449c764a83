package cli_test

import (
	"strings"
	"testing"

	"electop/demo/zktest"
)

// TestReignAndItsEnd: the age of a znode does not show for how long its owner leads; and a
// delete by another client is named in the events as on the dashboard.
func TestReignAndItsEnd(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := zktest.Client(t, addr)
		root := unique("reign")
		create(t, c, root, "", 0)
		first := create(t, c, root+"/n_", "one", contender)
		second := create(t, zktest.Client(t, addr), root+"/n_", "two", contender)
		create(t, zktest.Client(t, addr), root+"/n_", "three", contender)
		since := func() (earliest, latest string) {
			s := decode[struct {
				Since [2]string `json:"leader_since"`
			}](t, printed(t, 0, "status", root, "-s", addr, "--json"))
			return s.Since[0], s.Since[1]
		}
		if earliest, latest := since(); earliest == "" || earliest != latest {
			t.Errorf("between %q and %q: no znode was deleted, so it has led since its own was created", earliest, latest)
		}
		if err := c.Delete(first, -1); err != nil {
			t.Fatal(err)
		}
		if earliest, latest := since(); earliest == "" || earliest == latest {
			t.Errorf("between %q and %q: nothing shows when the first was deleted", earliest, latest)
		}
		e := run(t, "events", root, "-s", addr, "--admin", "4lw")
		e.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "two (1) leads, for ") })
		if err := c.Delete(second, -1); err != nil { // by another client than its own
			t.Fatal(err)
		}
		e.out.await(t, "the cause", func(s string) bool {
			return strings.Contains(s, "two (1) -> three (2)") && strings.Contains(s, "two (1), who led: znode deleted  (its session is ")
		})
	})
}
