package cli_test

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
)

type (
	statusJSON struct {
		System     *string
		Leader     *string
		Candidates []struct {
			Znode      string
			Name       *string
			Session    string
			Role       string
			Watches    *string
			WatchState string `json:"watch_state"`
			Watched    []string
			Address    *string
			Server     *string
		}
	}
	discoverJSON struct {
		Elections []struct {
			Path     string
			System   *string
			Leader   *string
			Waiting  int
			Findings int
		}
		Visited, Denied int
	}
	doctorJSON struct {
		Path     string
		Findings []struct {
			ID, Severity, Title string
			Evidence            []string
		}
		Unchecked []struct {
			What, Why string
			Servers   []string
			Setting   *string
		}
	}
	riskJSON struct {
		Type, State   string
		Znode         string
		Leader        any      // type state: the leader's znode; type risk: a bool
		ExpiresWithin *float64 `json:"expires_within_ms"`
		Next          *string
		Cause         string
		From, To      *string
	}
)

func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("unexpected JSON: %v\n%s", err, text)
	}
	return v
}

type site struct {
	ensemble      *zktest.Ensemble
	flags         []string // --servers and --admin-url
	kazoo         election // kazoo.Election
	curator       election // LeaderLatch
	kazooLeader   *zktest.ThirdParty
	curatorLeader *zktest.ThirdParty
}

type election struct {
	path       string
	candidates []zktest.Candidate // in the order of the queue
}

// thirdPartyTimeout is long: kazoo disconnects if a ping's reply takes a third of the session timeout.
const thirdPartyTimeout = 10 * time.Second

func newSite(t *testing.T) *site {
	e := zktest.NewEnsemble(t, 3, zktest.WithAdmin())
	w := &site{ensemble: e, flags: []string{"--servers", e.ConnectString(), "--admin-url", e.AdminURL()}}
	w.kazoo.path, w.curator.path = "/services/billing", "/apps/scheduler"
	w.kazooLeader = zktest.Kazoo(t, e.ConnectString(), thirdPartyTimeout)
	w.curatorLeader = zktest.Curator(t, e.ConnectString(), thirdPartyTimeout)
	kazoo, curator := zktest.Kazoo(t, e.ConnectString(), thirdPartyTimeout), zktest.Curator(t, e.ConnectString(), thirdPartyTimeout)
	for i, name := range []string{"amber", "birch", "cedar", "delta"} {
		k, c := kazoo, curator
		if i == 0 {
			k, c = w.kazooLeader, w.curatorLeader
		}
		w.kazoo.candidates = append(w.kazoo.candidates, k.Join(t, "election", w.kazoo.path, name))
		w.curator.candidates = append(w.curator.candidates, c.Join(t, "latch", w.curator.path, name))
	}
	w.kazooLeader.AwaitLeading(t, "amber")
	w.curatorLeader.AwaitLeading(t, "amber")
	w.awaitWatches(t, w.kazoo)
	w.awaitWatches(t, w.curator)
	return w
}

func (w *site) awaitWatches(t *testing.T, e election) {
	t.Helper()
	zktest.Await(t, "the watches of "+e.path, func() bool {
		var tables strings.Builder
		for _, s := range w.ensemble.Members {
			tables.WriteString(s.FourLetterWord(t, "wchp"))
		}
		for _, c := range e.candidates[:len(e.candidates)-1] {
			if !strings.Contains(tables.String(), c.Znode+"\n") {
				return false
			}
		}
		return true
	})
}

var connectionLine = regexp.MustCompile(`/(\S+)\[.*,sid=(0x[0-9a-f]+),`)

func (w *site) connections(t *testing.T, e election) []string {
	t.Helper()
	from := make(map[string]string)
	for _, s := range w.ensemble.Members {
		for _, line := range connectionLine.FindAllStringSubmatch(s.FourLetterWord(t, "cons"), -1) {
			from[line[2]] = line[1]
		}
	}
	var all []string
	for _, c := range e.candidates {
		all = append(all, from[hex(c.Session)])
	}
	return all
}

func (w *site) session(t *testing.T) *zk.Conn { return session(t, w.ensemble.ConnectString()) }

func session(t *testing.T, servers string) *zk.Conn {
	t.Helper()
	return zktest.ClientOver(t, servers, 20*time.Second, net.DialTimeout)
}

func TestCommandsOnEnsemble(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	w := newSite(t)
	elections := map[string]election{"kazoo": w.kazoo, "Curator": w.curator}

	t.Run("discover", func(t *testing.T) {
		d := decode[discoverJSON](t, printed(t, 0, "discover", "/", "--json", "--servers", w.ensemble.ConnectString()))
		if d.Visited == 0 || d.Denied != 0 {
			t.Errorf("visited %d, denied %d; want at least 1, and 0", d.Visited, d.Denied)
		}
		found := map[string]bool{}
		for _, e := range d.Elections {
			for system, want := range elections {
				if e.Path != want.path {
					continue
				}
				found[system] = true
				if e.System == nil || !strings.Contains(*e.System, system) {
					t.Errorf("%s: system %s, want %s", e.Path, text(e.System), system)
				}
				if text(e.Leader) != want.candidates[0].Znode || e.Waiting != 3 || e.Findings != 0 {
					t.Errorf("%s: leader %s (want %s), %d waiting (want 3), %d findings (want 0)", e.Path, text(e.Leader), want.candidates[0].Znode, e.Waiting, e.Findings)
				}
			}
		}
		if len(found) != 2 || len(d.Elections) != 2 {
			t.Errorf("found the elections %+v, want those at %s and %s", d.Elections, w.kazoo.path, w.curator.path)
		}
	})
	healthy, broken := map[string]*command{}, map[string]*command{}
	for system, e := range elections {
		healthy[system] = w.doctor(t, e.path)
	}
	paths := causeFindings(t, w)
	for id, path := range paths {
		broken[id] = w.doctor(t, path, "--for", shortFor.String())
	}
	for system, e := range elections {
		for _, how := range []string{"http", "4lw"} {
			t.Run("status/"+system+"/"+how, func(t *testing.T) {
				args := []string{"status", e.path, "--json", "--admin", how, "--servers", w.ensemble.ConnectString()}
				if how == "http" {
					args = append(args, "--admin-url", w.ensemble.AdminURL())
				}
				var s statusJSON
				zktest.Await(t, "a time in which no client changes its connection", func() bool {
					before := w.connections(t, e)
					s = decode[statusJSON](t, printed(t, 0, args...))
					return slices.Equal(before, w.connections(t, e))
				})
				checkStatus(t, system, e, s)
			})
		}
		t.Run("doctor/"+system, func(t *testing.T) {
			c := healthy[system]
			code := c.finish(t)
			d := decode[doctorJSON](t, c.out.all())
			for _, f := range d.Findings {
				if f.Severity != "info" {
					t.Errorf("the doctor has a finding in a healthy election: %+v", f)
				}
			}
			if len(d.Unchecked) > 0 {
				t.Errorf("every server answers, but unchecked is %+v", d.Unchecked)
			}
			if code != 0 {
				t.Errorf("exit code %d, want 0: %s", code, c.errs.all())
			}
		})
	}
	for id, c := range broken {
		t.Run("broken/"+id, func(t *testing.T) { w.finds(t, c, paths[id], id) })
	}
	t.Run("paused", func(t *testing.T) { pausedLeadersAreAtRisk(t, w) })
}

func (w *site) doctor(t *testing.T, path string, flags ...string) *command {
	t.Helper()
	return run(t, slices.Concat([]string{"doctor", path, "--json"}, flags, w.flags)...)
}

func checkStatus(t *testing.T, system string, e election, s statusJSON) {
	t.Helper()
	if !strings.Contains(text(s.System), system) {
		t.Errorf("system %s, want %s", text(s.System), system)
	}
	if len(s.Candidates) != len(e.candidates) {
		t.Fatalf("%d candidates, want %d", len(s.Candidates), len(e.candidates))
	}
	for i, got := range s.Candidates {
		want := e.candidates[i]
		if got.Znode != want.Znode || got.Session != hex(want.Session) || text(got.Name) != want.Name {
			t.Errorf("candidate %d: %s %s of session %s, want %+v", i, text(got.Name), got.Znode, got.Session, want)
		}
		if got.Address == nil || got.Server == nil {
			t.Errorf("%s: address %s, server %s; want both known", want.Name, text(got.Address), text(got.Server))
		}
		if i == 0 {
			continue
		}
		before := e.candidates[i-1].Znode
		if got.WatchState != "verified" || !slices.Equal(got.Watched, []string{before}) || text(got.Watches) != before {
			t.Errorf("%s: watched %q, watch_state %s, watches %s; want %s, verified", want.Name, got.Watched, got.WatchState, text(got.Watches), before)
		}
	}
}

func causeFindings(t *testing.T, w *site) map[string]string {
	t.Helper()
	paths := map[string]string{}
	for id, cause := range map[string]func(path string){
		"herd": func(path string) {
			first := addCandidate(t, w.session(t), path, "")
			for range 3 {
				addCandidate(t, w.session(t), path, first)
			}
		},
		"ghost-node": func(path string) {
			addCandidate(t, w.session(t), path, "")
			c, name := w.session(t), path+"/"+strings.Repeat("0a", 16)+"-n_"
			ghost := addCandidateAs(t, c, name, "") // as if the client lost the create's reply and retried
			addCandidateAs(t, c, name, ghost)
		},
		"missing-watch": func(path string) {
			addCandidate(t, w.session(t), path, "")
			addCandidate(t, w.session(t), path, "")
		},
	} {
		paths[id] = "/made-" + id
		create(t, w.session(t), paths[id], "", 0)
		cause(paths[id])
	}
	return paths
}

// shortFor is a --for in which each server usually reports its watches twice.
const shortFor = 6 * time.Second

func (w *site) finds(t *testing.T, c *command, path, id string) {
	for lasts := 2 * shortFor; ; lasts *= 2 {
		code := c.finish(t)
		d := decode[doctorJSON](t, c.out.all())
		found, critical := false, false
		for _, f := range d.Findings {
			critical = critical || f.Severity == "critical"
			if f.Severity != "info" && f.ID != id {
				t.Errorf("another finding: %+v", f)
			}
			found = found || f.ID == id && f.Severity != "info"
		}
		if want := map[bool]int{true: 5}[critical]; code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
		if found {
			return
		}
		if len(d.Unchecked) == 0 || lasts > 8*shortFor {
			t.Fatalf("the doctor does not find %s: %s", id, c.out.all())
		}
		t.Logf("not found yet in %s", c.out.all())
		c = w.doctor(t, path, "--for", lasts.String())
	}
}

func TestServerThatAllowsOnlySrvr(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.NewApache(t, zktest.WithWords(""))
	process := zktest.Kazoo(t, server.Addr, 20*time.Second)
	for _, name := range []string{"amber", "birch"} {
		process.Join(t, "election", "/quiet", name)
	}
	flags := []string{"/quiet", "--json", "--admin", "4lw", "--servers", server.Addr}
	s := decode[statusJSON](t, printed(t, 0, append([]string{"status"}, flags...)...))
	if got := s.Candidates[1]; got.WatchState != "unknown" || got.Watches == nil || len(got.Watched) > 0 || got.Address != nil {
		t.Errorf("got %+v, want a candidate with an unknown watch and no address", got)
	}
	d := decode[doctorJSON](t, printed(t, 0, append([]string{"doctor", "--for", "3s"}, flags...)...))
	if len(d.Findings) > 0 {
		t.Errorf("findings %+v, want none", d.Findings)
	}
	unchecked := map[string]bool{}
	for _, u := range d.Unchecked {
		if slices.Equal(u.Servers, []string{server.Addr}) && strings.Contains(text(u.Setting), "4lw.commands.whitelist") {
			unchecked[u.What] = true
		}
	}
	for _, what := range []string{"connections", "session deadlines", "watches"} {
		if !unchecked[what] {
			t.Errorf("unchecked does not list %s with the setting: %+v", what, d.Unchecked)
		}
	}
}

func addCandidate(t *testing.T, c *zk.Conn, path, watches string) string {
	t.Helper()
	return addCandidateAs(t, c, path+"/n_", watches)
}

func addCandidateAs(t *testing.T, c *zk.Conn, name, watches string) string {
	t.Helper()
	znode := create(t, c, name, "made", contender)
	if watches != "" {
		if _, _, _, err := c.ExistsW(watches); err != nil {
			t.Fatal(err)
		}
	}
	return znode
}

func pausedLeadersAreAtRisk(t *testing.T, w *site) {
	type watched struct {
		election
		process *zktest.ThirdParty
		events  *command
	}
	var all []watched
	for _, x := range []watched{{election: w.kazoo, process: w.kazooLeader}, {election: w.curator, process: w.curatorLeader}} {
		x.events = run(t, slices.Concat([]string{"events", x.path, "--json", "--admin-sessions", "500ms"}, w.flags)...)
		x.events.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
		all = append(all, x)
	}
	for _, x := range all {
		x.process.Pause(t)
	}
	for _, x := range all {
		leader, next := x.candidates[0].Znode, x.candidates[1].Znode
		x.events.out.await(t, "the handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
		x.events.cancel()
		x.events.finish(t)
		warned := false
		for s := range strings.Lines(x.events.out.all()) {
			l := decode[riskJSON](t, s)
			switch {
			case l.Type == "risk" && l.State == "raised":
				warned = true
				if l.Znode != leader || l.Leader != true || text(l.Next) != next || l.ExpiresWithin == nil || *l.ExpiresWithin <= 0 {
					t.Errorf("risk %s: want the leader, the next candidate and a bound", s)
				}
			case l.Type == "left" || l.Type == "handoff":
				if !warned {
					t.Errorf("%s: the leader was gone before it was reported as at risk:\n%s", x.path, x.events.out.all())
				}
				if l.Type == "handoff" && (text(l.From) != leader || text(l.To) != next || l.Cause != "expired") {
					t.Errorf("handoff %s: want from %s to %s, cause expired", s, leader, next)
				}
			}
		}
		if !warned {
			t.Errorf("%s: the leader was never reported as at risk:\n%s", x.path, x.events.out.all())
		}
	}
}

func hex(session uint64) string { return fmt.Sprintf("%#x", session) }
