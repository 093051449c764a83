package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/ui/cli"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

// once runs a command to its end and returns what it printed.
func once(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	c := run(t, args...)
	if got := c.finish(t); got != code {
		t.Fatalf("electop %q: exit code %d, want %d\n%s%s", args, got, code, c.out.all(), c.errs.all())
	}
	return c.out.all(), c.errs.all()
}

func TestVersion(t *testing.T) {
	want := "electop " + process.ThisBuild().String() + "\n"
	if out, errs := once(t, 0, "--version"); out != want || errs != "" {
		t.Errorf("%q, %q, want %q", out, errs, want)
	}
}

// answer is what status, discover and doctor print, as far as these tests look.
type answer struct {
	System     string
	Leader     *string
	Candidates []struct {
		Znode, Name     string
		Address, Server *string
		WatchState      string `json:"watch_state"`
		Watched         []string
	}
	Elections []struct {
		Path, System string
		Waiting      int
	}
	Findings []noticed
}

type noticed struct {
	ID, Severity, Title string
	Evidence            []string
}

func answerOf(t *testing.T, out string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return a
}

// unique is a path that no other test uses.
func unique(kind string) string { return fmt.Sprintf("/%s%x", kind, time.Now().UnixNano()) }

// ours is how candidates of ours connect.
func ours(t *testing.T, addr string, timeout time.Duration) client.Config {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{Servers: servers, SessionTimeout: timeout}
}

// create makes a znode as a client without credentials does.
func create(t testing.TB, c *zk.Conn, path, data string, flags int32) string {
	t.Helper()
	name, err := c.Create(path, []byte(data), flags, zk.WorldACL(zk.PermAll))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

const contender = zk.FlagEphemeral | zk.FlagSequence

// TestSomebodyElsesElectionIsUnderstood has an election of kazoo looked at by
// every command, and entered.
func TestSomebodyElsesElectionIsUnderstood(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := unique("kazoo")
		kazoo := zktest.Kazoo(t, addr, 10*time.Second)
		var theirs []string
		for _, name := range []string{"host-1", "host-2", "host-3"} {
			theirs = append(theirs, kazoo.Stand(t, "election", path, name).Znode)
		}
		kazoo.Leads(t, "host-1")

		var s answer
		t.Run("status", func(t *testing.T) {
			// A watch is set a moment after its znode is made.
			for deadline := time.Now().Add(waitFor); ; {
				out, _ := once(t, 0, "status", path, "-s", addr, "--admin", "4lw", "--json")
				s = answerOf(t, out)
				if len(s.Candidates) == 3 && s.Candidates[1].WatchState == "verified" && s.Candidates[2].WatchState == "verified" {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("never all verified: %s", out)
				}
			}
			if !strings.Contains(s.System, "kazoo") || s.Leader == nil || *s.Leader != theirs[0] {
				t.Errorf("%+v", s)
			}
			for i, c := range s.Candidates {
				if c.Znode != theirs[i] || c.Name != fmt.Sprintf("host-%d", i+1) || c.Address == nil || c.Server == nil {
					t.Errorf("place %d is %+v", i, c)
				}
				if i > 0 && !slices.Equal(c.Watched, theirs[i-1:i]) {
					t.Errorf("place %d watches %q", i, c.Watched)
				}
			}
			text, _ := once(t, 0, "status", path, "-s", addr, "--admin", "4lw")
			if !strings.Contains(text, s.System) || !strings.Contains(text, "verified") {
				t.Errorf("%s", text)
			}
		})
		t.Run("discover", func(t *testing.T) {
			out, _ := once(t, 0, "discover", path, "-s", addr, "--json", "--rate", "100000")
			d := answerOf(t, out)
			if len(d.Elections) != 1 || d.Elections[0].Path != path || d.Elections[0].System != s.System || d.Elections[0].Waiting != 2 {
				t.Errorf("%s", out)
			}
		})
		t.Run("doctor", func(t *testing.T) {
			out, _ := once(t, 0, "doctor", path, "-s", addr, "--admin", "4lw", "--for", "3s", "--json")
			for _, f := range answerOf(t, out).Findings {
				if f.Severity != "info" {
					t.Errorf("a healthy election has the finding %+v", f)
				}
			}
		})
		t.Run("campaign", func(t *testing.T) {
			c := run(t, "campaign", path, "-s", addr, "--yes", "--name", "me", "--json")
			c.out.await(t, "waiting", func(s string) bool { return strings.Contains(s, `"belief":"waiting"`) })
			if said := c.errs.all(); !strings.Contains(said, "queue behind 3 candidates") || !strings.Contains(said, "host-3") {
				t.Errorf("it says %q", said)
			}
			for _, name := range []string{"host-1", "host-2", "host-3"} {
				kazoo.Leads(t, name)
				kazoo.Resign(t, name)
			}
			c.out.await(t, "leading", func(s string) bool { return strings.Contains(s, `"belief":"leading"`) })
			// kazoo goes on behind ours.
			kazoo.Stand(t, "election", path, "host-4")
			c.cancel()
			if code := c.finish(t); code != 130 {
				t.Errorf("exit code %d", code)
			}
			said := slices.Collect(strings.Lines(c.out.all()))
			if last := said[len(said)-1]; !strings.Contains(last, `"belief":"resigned"`) || !strings.Contains(last, `"detail":"interrupted"`) || strings.Contains(c.out.all(), `"lost"`) {
				t.Errorf("it does not say how it ended: %s", said)
			}
			kazoo.Leads(t, "host-4")
			if exists, _, err := zktest.Client(t, addr).Exists(path + "-leader"); exists || err != nil {
				t.Errorf("an acknowledgement of ours: %v, %v", exists, err)
			}
		})
	})
}

// TestFrozenLeaderIsAnnounced has events tell of a leader that stopped before
// its znode goes.
func TestFrozenLeaderIsAnnounced(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := unique("risk")
		cast := demo.NewCast(demo.Config{Conn: ours(t, addr, 6*time.Second), Path: path, Create: true, Put: func(model.Observation) {}})
		defer cast.Close()
		if err := cast.SpawnInOrder(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		c := run(t, "events", path, "-s", addr, "--json", "--admin", "4lw", "--admin-sessions", "200ms")
		c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
		if err := cast.Fault("amber", demo.Freeze, true); err != nil {
			t.Fatal(err)
		}
		c.out.await(t, "a handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
		risk, handoff := -1, -1
		for i, l := range slices.Collect(strings.Lines(c.out.all())) {
			var v struct {
				Type, State string
				Evidence    any // of a finding it is a list
				Leader      any // of a state it is a znode
				Next        *string
				Expires     *float64 `json:"expires_within_ms"`
				Cause       string
			}
			if err := json.Unmarshal([]byte(l), &v); err != nil {
				t.Fatal(err)
			}
			switch {
			case v.Type == "risk" && v.State == "raised" && v.Leader == true && risk < 0:
				risk = i
				if v.Evidence == nil || v.Next == nil || v.Expires == nil {
					t.Errorf("the risk is told by %s", l)
				}
			case v.Type == "handoff":
				handoff = i
				// Where the last look was too early to tell it is unknown.
				if v.Cause != "expired" && v.Cause != "unknown" || v.Evidence == nil {
					t.Errorf("the handoff is told by %s", l)
				}
			}
		}
		if risk < 0 || handoff < risk {
			t.Errorf("risk in line %d, handoff in line %d of\n%s", risk, handoff, c.out.all())
		}
	})
}

// TestDoctorAsksTwice has a candidate that watches nothing: the first answer
// alone does not prove it.
func TestDoctorAsksTwice(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := unique("blind")
		first, second := zktest.Client(t, addr), zktest.Client(t, addr)
		create(t, first, path, "", 0)
		create(t, first, path+"/n_", "host-1", contender)
		create(t, second, path+"/n_", "host-2", contender)
		// It says itself where that was too short: on a busy machine it may be.
		for lasts := 4 * time.Second; ; lasts *= 2 {
			c := run(t, "doctor", path, "-s", addr, "--admin", "4lw", "--for", lasts.String(), "--json")
			c.finish(t)
			d := answerOf(t, c.out.all())
			if slices.ContainsFunc(d.Findings, func(f noticed) bool { return f.ID == "missing-watch" && f.Severity != "info" }) {
				return
			}
			if lasts > 30*time.Second || !strings.Contains(c.out.all(), "whether 1 candidate watches the predecessor") {
				t.Fatalf("no missing watch in %s; %s", c.out.all(), c.errs.all())
			}
		}
	})
}

// TestResultIsNotPrinted has an output that nothing can be written to.
func TestResultIsNotPrinted(t *testing.T) {
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	create(t, c, "/e", "", 0)
	create(t, c, "/e/n_", "host-1", contender)
	for _, line := range []string{"status /e", "status /e --json", "doctor /e --for 1ms", "doctor /e --for 1ms --json", "discover", "events /e", "events /e --json"} {
		var errs strings.Builder
		args := append(strings.Fields(line), "-s", addr)
		if code := cli.Run(t.Context(), args, cli.IO{In: strings.NewReader(""), Out: failing{}, Err: &errs}); code != 1 || !strings.Contains(errs.String(), "broken pipe") {
			t.Errorf("%s: exit code %d, %s", line, code, errs.String())
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestDiscoverIsInterrupted shows how far the search is, and what it had when
// it was interrupted.
func TestDiscoverIsInterrupted(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	c := zktest.Client(t, addr)
	for i := range 30 {
		create(t, c, fmt.Sprintf("/%02d", i), "", 0)
	}
	x := openTerminal(t, 100, 10, "discover", "-s", addr, "--rate", "2")
	x.sees("znodes, 0 elections")
	x.press("\x03")
	x.sees("stopped early: interrupted")
	x.leaves(130)
}
