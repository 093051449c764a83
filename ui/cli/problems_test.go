package cli_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
)

// TestDiscoverProblems lists what needs attention, and only that, and its exit code says
// whether there is any.
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
			t.Error(out)
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
				t.Errorf("%v: %s", flags, out)
			}
		}
		out, _ = once(t, 0, "discover", root, "-s", addr) // trouble comes first
		lines := strings.Split(out, "\n")
		for i, begin := range []string{"!! " + ghost, "!! " + stopped, "   " + healthy} {
			if !strings.HasPrefix(lines[i+1], begin) {
				t.Error(out)
			}
		}
		out, _ = once(t, 0, "discover", root, "--json", "-s", addr)
		paths := []string{}
		for _, e := range decode[found](t, out).Elections {
			paths = append(paths, e.Path)
		}
		if !slices.Equal(paths, []string{healthy, ghost, stopped}) {
			t.Errorf("JSON is not by path: %q", paths)
		}
	})
}

// TestDiscoverFindsWhoIsAtRisk by asking the servers once: a client that is silent.
func TestDiscoverFindsWhoIsAtRisk(t *testing.T) {
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
			t.Fatalf("exit code %d: %s%s", code, c.out.all(), c.errs.all())
		}
	}
}
