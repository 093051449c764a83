package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

func TestCommandsShowAGhost(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		path := unique("ghost")
		first, second := zktest.Client(t, addr), zktest.Client(t, addr)
		create(t, first, path, "", 0)
		// If a session has two znodes with one guid, the first is a ghost.
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
				t.Errorf("%s: findings %q, want %q", command, got, ghost)
			}
		}
		out, _ := once(t, 4, "status", path, "-s", addr, "--json")
		found("status", out)
		out, _ = once(t, 5, "doctor", path, "-s", addr, "--json", "--for", "1s")
		found("doctor", out)
		for code, args := range map[int][]string{4: {"status"}, 5: {"doctor", "--for", "100ms"}} {
			if out, _ = once(t, code, append(args, path, "-s", addr)...); !strings.Contains(out, "CRITICAL  "+title) {
				t.Errorf("%s does not show the critical ghost: %s", args, out)
			}
		}
		if out, _ = once(t, 0, "discover", path, "-s", addr); !strings.Contains(out, "1 critical") {
			t.Errorf("discover does not count 1 critical finding: %s", out)
		}
		events := run(t, "events", path, "-s", addr, "--json")
		events.out.await(t, "a ghost", func(s string) bool {
			return strings.Contains(s, `"type":"finding","state":"raised"`) && strings.Contains(s, `"id":"ghost-node","severity":"critical"`)
		})
	})
}

func TestDoctorForOneSecond(t *testing.T) {
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
		all := []struct {
			path    string
			code    int
			want    []string
			without string
		}{
			{shard, 4, []string{"no leader: core_node1", "WARNING   no leader", "first seen at", "critical if it lasts 4m", "--for 2"}, "othing found"},
			{root + "/empty", 0, []string{"INFO      nobody leads", "has no candidate"}, "othing found"},
			{root + "/healthy", 0, []string{nothing, "Checked during 1 s:", "the znodes of 2 candidates"}, "WARNING"},
		}
		var doctors []*command
		for _, x := range all {
			doctors = append(doctors, run(t, "doctor", x.path, "-s", addr, "--for", "1s"))
		}
		for i, x := range all {
			code := doctors[i].finish(t)
			out := doctors[i].out.all()
			if code != x.code {
				t.Errorf("%s: exit code %d, want %d: %s", x.path, code, x.code, doctors[i].errs.all())
			}
			for _, want := range x.want {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q: %s", want, out)
				}
			}
			if strings.Contains(out, x.without) {
				t.Errorf("%q is in the output: %s", x.without, out)
			}
		}
	})
}

func TestDiscoverProblems(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		c := session(t, addr)
		root := unique("problems")
		healthy, ghost, stopped := root+"/a", root+"/ghost", root+"/z/leader"
		for _, path := range []string{root, healthy, ghost, root + "/z"} {
			create(t, c, path, "", 0)
		}
		guid := "_c_aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee-latch-"
		create(t, c, healthy+"/n_", "amber", contender)
		out, _ := once(t, 0, "discover", root, "--problems", "-s", addr)
		if !strings.HasPrefix(out, "0 elections in trouble below "+root) {
			t.Errorf("a healthy election: got %s, want 0 elections in trouble", out)
		}
		for range 2 {
			create(t, c, ghost+"/"+guid, "ghost", contender)
		}
		create(t, c, root+"/z/config", "{}", 0)
		create(t, c, root+"/z/members", "", 0)
		create(t, c, root+"/z/members/pg1", `{"state":"stopped"}`, zk.FlagEphemeral)
		create(t, c, stopped, "pg1", zk.FlagEphemeral)
		type found struct {
			Elections []struct {
				Path    string
				Problem *string
			}
		}
		for _, flags := range [][]string{nil, {"--admin", "off"}} {
			out, _ = once(t, 4, append([]string{"discover", root, "--problems", "--json", "-s", addr}, flags...)...)
			trouble := ""
			for _, e := range decode[found](t, out).Elections {
				trouble += e.Path + " " + show(e.Problem) + "\n"
			}
			if trouble != ghost+" critical\n"+stopped+" critical\n" {
				t.Errorf("discover --problems %v does not list just the ghost and the stopped leader: %s", flags, out)
			}
		}
		out, _ = once(t, 0, "discover", root, "-s", addr)
		lines := strings.Split(out, "\n")
		for i, begin := range []string{"!! " + ghost, "!! " + stopped, "   " + healthy} {
			if !strings.HasPrefix(lines[i+1], begin) {
				t.Errorf("line %d does not begin with %q:\n%s", i+2, begin, out)
			}
		}
		out, _ = once(t, 0, "discover", root, "--json", "-s", addr)
		paths := []string{}
		for _, e := range decode[found](t, out).Elections {
			paths = append(paths, e.Path)
		}
		if !slices.Equal(paths, []string{healthy, ghost, stopped}) {
			t.Errorf("got the paths %q in JSON, want them in alphabetical order", paths)
		}
	})
}

func TestDiscoverFindsCandidateAtRisk(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	addr := zktest.Apache(t).Addr
	root := unique("silent")
	create(t, session(t, addr), root, "", 0)
	create(t, session(t, addr), root+"/e", "", 0)
	link := zktest.NewLink(t, addr)
	create(t, session(t, link.Addr), root+"/e/n_", "amber", contender)
	link.Hold()
	for end := time.Now().Add(waitFor); ; {
		c := run(t, "discover", root, "--problems", "--json", "-s", addr)
		code := c.finish(t)
		all := decode[struct {
			Elections []struct {
				Problem *string
				AtRisk  []string `json:"at_risk"`
			}
		}](t, c.out.all()).Elections
		if len(all) == 1 && code == 4 && show(all[0].Problem) == "critical" && len(all[0].AtRisk) == 1 && all[0].AtRisk[0] == root+"/e/n_0000000000" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("exit code %d, want 4 and the candidate at risk: %s%s", code, c.out.all(), c.errs.all())
		}
	}
}

func TestDoctorListsWhatNeedsMoreTime(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c, other := zktest.Client(t, addr), zktest.Client(t, addr)
	create(t, c, "/e", "", 0)
	for _, c := range []*zk.Conn{c, other} { // neither candidate watches
		create(t, c, "/e/n_", "", contender)
	}
	create(t, c, "/e/config", "", 0)
	out, _ := once(t, 0, "doctor", "/e", "-s", addr, "--admin", "4lw", "--for", "1s", "--json")
	d := decode[doctorJSON](t, out)
	for _, want := range []string{"whether 1 candidate watches the predecessor", "foreign-child: "} {
		found := false
		for _, u := range d.Unchecked {
			found = found || strings.HasPrefix(u.What, want) && strings.HasPrefix(u.Why, "observed for only 1s") && text(u.Setting) == "--for 6s"
		}
		if !found {
			t.Errorf("the list of what was not checked lacks %q: %s", want, out)
		}
	}
	out, _ = once(t, 0, "doctor", "/e", "-s", addr, "--admin", "4lw", "--for", "1s")
	if !strings.Contains(out, "(--for 6s would allow it)") {
		t.Errorf("the output does not name the longer --for: %s", out)
	}
}

func TestStatusOfADisconnectedClient(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t, zktest.WithAdmin())
	link := zktest.NewLink(t, server.Addr)
	c := session(t, server.Addr)
	create(t, c, "/e", "", 0)
	disconnected := session(t, link.Addr)
	znode := create(t, disconnected, "/e/n_", "web1", contender)
	if _, _, _, err := c.ExistsW(znode); err != nil {
		t.Fatal(err)
	}
	link.Cut()
	for range 50 {
		out := printed(t, 0, "status", "/e", "--json", "-s", server.Addr, "--admin", "http", "--admin-url", "http://"+server.Admin+"/commands")
		s := decode[struct {
			Candidates []struct {
				Connected *bool
				Expires   float64 `json:"expires_within_ms"`
				Risk      string
			}
			Watchers struct{ Total, Others int } `json:"leader_watchers"`
		}](t, out)
		if len(s.Candidates) != 1 {
			t.Fatalf("got %s, want one candidate", out)
		}
		x := s.Candidates[0]
		if x.Connected == nil || *x.Connected {
			continue // the server has not noticed yet
		}
		if x.Expires <= 0 || x.Expires > 25_000 || !strings.HasPrefix(x.Risk, "not connected when queried at ") {
			t.Errorf("candidate %+v: want a risk with a bound of at most 25 s", x)
		}
		if s.Watchers.Total != 1 || s.Watchers.Others != 1 {
			t.Errorf("watchers %+v, want a total of 1, and 1 other", s.Watchers)
		}
		return
	}
	t.Error("status never shows that the client is not connected")
}

func TestSeveralElectionsInOneCommand(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		c := session(t, addr)
		root := unique("several")
		led, empty := root+"/led", root+"/empty"
		for _, path := range []string{root, led, empty} {
			create(t, c, path, "", 0)
		}
		create(t, c, led+"/n_", "amber", contender)
		out, errs := once(t, 4, "status", led, empty, "-s", addr, "--admin", "off")
		if !strings.HasPrefix(out, "== "+led+"\n"+led+": amber") || !strings.Contains(out, "\n\n== "+empty+"\n"+empty+": no candidate") || errs != "" {
			t.Errorf("status printed\n%s\nerrors %q; want both elections with headings", out, errs)
		}
		out, errs = once(t, 1, "status", empty, root+"/nowhere", led, "-s", addr, "--admin", "off", "--json")
		if lines := strings.Split(out, "\n"); len(lines) != 3 || !strings.Contains(lines[0], `"path":"`+empty) || !strings.Contains(lines[1], `"path":"`+led) ||
			!strings.HasPrefix(errs, "electop: "+root+"/nowhere does not exist on ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("status printed\n%s\nerrors %q; want two elections and an error about nowhere", out, errs)
		}
		log := t.TempDir() + "/log"
		once(t, 4, "status", led, empty, "-s", addr, "--admin", "off", "--log-file", log)
		if b, err := os.ReadFile(log); err != nil || strings.Count(string(b), ", timeout=10000") != 1 {
			t.Errorf("want one session in the log of status (error %v):\n%s", err, b)
		}
		out, _ = once(t, 0, "doctor", led, empty, "-s", addr, "--admin", "off", "--for", "10ms")
		if !strings.HasPrefix(out, "== "+led+"\n"+led+": amber") || !strings.Contains(out, "\n== "+empty+"\n"+empty+": no candidate") {
			t.Errorf("doctor printed\n%s\nwant both elections with headings", out)
		}
		env := configured(t, fmt.Sprintf("[clusters.prod]\nservers = %q\n[clusters.named]\nservers = %[1]q\npaths = [\"/empty\", \"/led\"]\n", addr+root))
		for args, want := range map[string]string{
			"status --cluster prod --json":             "/led",
			"status --cluster named --json":            "/empty /led",
			"doctor --cluster named --json --for 10ms": "/empty /led",
		} {
			cmd := exec.Command("electop", strings.Fields(args)...)
			cmd.Env = append(cmd.Environ(), env...)
			out, err := cmd.Output()
			var got []string
			for line := range strings.Lines(string(out)) {
				got = append(got, decode[struct{ Path string }](t, line).Path)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q, %v, want %s", args, got, err, want)
			}
		}
	})
}
