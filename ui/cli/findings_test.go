package cli_test

import (
	"slices"
	"strings"
	"testing"

	"electop/demo/zktest"
)

// TestEveryCommandShowsAGhost: one list of children has two znodes of one session with the
// same guid. Every command that reads the list says so.
func TestEveryCommandShowsAGhost(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		path := unique("ghost")
		first, second := zktest.Client(t, addr), zktest.Client(t, addr)
		create(t, first, path, "", 0)
		const guid = "/_c_381f220e-fef5-487f-ae4f-04ac14aaed10-latch-"
		create(t, first, path+guid, "a", contender)
		create(t, second, path+"/_c_381f220e-fef5-487f-ae4f-04ac14aaed11-latch-", "b", contender)
		create(t, first, path+guid, "a", contender)
		const title, ghost = "one session owns 2 candidates", "ghost-node critical"
		found := func(command, out string) {
			t.Helper()
			var got []string
			for _, f := range decode[doctorJSON](t, out).Findings {
				got = append(got, f.ID+" "+f.Severity)
			}
			if !slices.Contains(got, ghost) {
				t.Errorf("%s: findings %q", command, got)
			}
		}
		out, _ := once(t, 4, "status", path, "-s", addr, "--json")
		found("status", out)
		out, _ = once(t, 5, "doctor", path, "-s", addr, "--json", "--for", "1s")
		found("doctor", out)
		for _, command := range []string{"status", "doctor"} {
			code := map[string]int{"status": 4, "doctor": 5}[command]
			if out, _ = once(t, code, command, path, "-s", addr); !strings.Contains(out, "CRITICAL  "+title) {
				t.Errorf("%s: %s", command, out)
			}
		}
		if out, _ = once(t, 0, "discover", path, "-s", addr); !strings.Contains(out, "1 critical") {
			t.Errorf("discover: %s", out)
		}
		events := run(t, "events", path, "-s", addr, "--json")
		events.out.await(t, "a ghost", func(s string) bool {
			return strings.Contains(s, `"type":"finding","state":"raised"`) && strings.Contains(s, `"id":"ghost-node","severity":"critical"`)
		})
	})
}

// TestDoctorEndsWithWhatItChecked: below a line that says that nobody leads there is a
// finding, however short doctor looked. Otherwise the end says what was checked.
func TestDoctorEndsWithWhatItChecked(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		c, other := zktest.Client(t, addr), zktest.Client(t, addr)
		root := unique("nobody")
		shard := root + "/collections/books/leader_elect/shard1/election"
		for i, r := range shard {
			if i > 0 && r == '/' {
				create(t, c, shard[:i], "", 0)
			}
		}
		for _, path := range []string{shard, root + "/empty", root + "/healthy"} {
			create(t, c, path, "", 0)
		}
		create(t, c, shard+"/72057700533010431-core_node1-n_", "", contender)
		first := create(t, c, root+"/healthy/n_", "", contender)
		create(t, other, root+"/healthy/n_", "", contender)
		if _, _, _, err := other.ExistsW(first); err != nil {
			t.Fatal(err)
		}
		const nothing = "Nothing found in what was checked."
		for _, x := range []struct {
			path    string
			code    int
			want    []string
			without string
		}{
			{shard, 4, []string{"no leader: core_node1", "WARNING   no leader", "first seen at", "critical if it lasts 4m", "--for 2"}, "othing found"},
			{root + "/empty", 0, []string{"INFO      nobody leads", "has no candidate"}, "othing found"},
			{root + "/healthy", 0, []string{nothing, "Checked, for 1 s:", "the znodes of 2 candidates"}, "WARNING"},
		} {
			out, _ := once(t, x.code, "doctor", x.path, "-s", addr, "--for", "1s")
			for _, want := range x.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q: %s", want, out)
				}
			}
			if strings.Contains(out, x.without) {
				t.Errorf("%q: %s", x.without, out)
			}
		}
	})
}
