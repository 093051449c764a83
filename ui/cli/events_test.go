package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/ui/cli"
	"electop/ui/cli/process"
	"electop/zkwatch/client"
)

// waitFor bounds a wait. Only a failing test waits that long.
const waitFor = 2 * time.Minute

type command struct {
	cancel context.CancelFunc
	out    *lines
	errs   *lines
	code   chan int
}

func run(t *testing.T, args ...string) *command {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &command{cancel: cancel, out: newLines(), errs: newLines(), code: make(chan int, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer c.out.end()
		defer c.errs.end()
		c.code <- cli.Run(ctx, args, cli.IO{In: strings.NewReader(""), Out: c.out, Err: c.errs})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return c
}

func (c *command) finish(t *testing.T) int {
	t.Helper()
	select {
	case code := <-c.code:
		return code
	case <-time.After(waitFor):
		t.Fatalf("still running after %v; errors %q", waitFor, c.errs.all())
	}
	panic("unreachable")
}

type lines struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	changed chan struct{}
	ended   bool
}

func newLines() *lines { return &lines{changed: make(chan struct{})} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(b)
	close(l.changed)
	l.changed = make(chan struct{})
	return len(b), nil
}

func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *lines) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *lines) first() string {
	line, _, _ := strings.Cut(l.all(), "\n")
	return line
}

func (l *lines) await(t *testing.T, what string, holds func(string) bool) {
	t.Helper()
	deadline := time.After(waitFor)
	for {
		l.mu.Lock()
		s, changed, ended := l.buf.String(), l.changed, l.ended
		l.mu.Unlock()
		if holds(s) {
			return
		}
		if ended {
			t.Fatalf("%s: the command has ended; the last lines are:\n%s", what, s[max(0, len(s)-2000):])
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s: not within %v; the last lines are:\n%s", what, waitFor, s[max(0, len(s)-2000):])
		}
	}
}

type line struct {
	N        int
	At       time.Time
	Type     string
	From, To *string
	Creates  *int
	Deletes  *int
	Leader   any // of a risk: whether the candidate leads; otherwise the leader's znode
	Parent   *struct{ Cversion, Children int32 }
}

func parse(t *testing.T, out string) []line {
	t.Helper()
	var ls []line
	for s := range strings.Lines(out) {
		ls = append(ls, decode[line](t, s))
	}
	return ls
}

func countAndCheck(t *testing.T, ls []line) (creates, deletes int) {
	t.Helper()
	var leader *string
	for i, l := range ls {
		if l.N != i+1 {
			t.Errorf("line %d has the number n=%d", i+1, l.N)
		}
		switch l.Type {
		case "state":
			if i == 0 {
				if znode, ok := l.Leader.(string); ok {
					leader = &znode
				}
			}
		case "joined":
			creates++
		case "left":
			deletes++
		case "missed":
			if l.Creates == nil || l.Deletes == nil {
				t.Errorf("line %d: missed has no number of creates or deletes", l.N)
				continue
			}
			creates += *l.Creates
			deletes += *l.Deletes
		case "handoff":
			if text(l.From) != text(leader) {
				t.Errorf("line %d: handoff from %s, the last leader was %s", l.N, text(l.From), text(leader))
			}
			leader = l.To
		}
	}
	return creates, deletes
}

func text(s *string) string {
	if s == nil {
		return "nobody"
	}
	return *s
}

func TestEventsReportEveryChange(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		path := unique("acc")
		x := newCrowd(t, addr, path)
		record := filepath.Join(t.TempDir(), "recording")
		c := run(t, "events", path, "--json", "--servers", addr, "--record", record)
		c.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
		joins := x.change(rand.New(rand.NewPCG(zktest.Seed(t), 2)), 300)
		x.cast.Close()
		// A member whose session expires by chance joins once more, so the server may count more creates.
		server := zktest.Client(t, addr)
		zktest.Await(t, "an empty "+path, func() bool {
			_, stat, err := server.Exists(path)
			return err == nil && stat.NumChildren == 0
		})
		_, stat, err := server.Exists(path)
		if err != nil {
			t.Fatal(err)
		}
		first := parse(t, c.out.first())[0].Parent
		creates, deletes, ok := client.Parent(stat).Since(znode.Parent{Czxid: stat.Czxid, Cversion: first.Cversion, Children: first.Children})
		if !ok || creates < joins {
			t.Fatalf("%d candidates spawned, but the server counted %d creates (complete: %v)", joins, creates, ok)
		}
		c.out.await(t, fmt.Sprintf("%d creates, %d deletes", creates, deletes), func(s string) bool {
			c, d := tally(s)
			return c == creates && d == deletes
		})
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("exit code %d after an interrupt, want 130; %s", code, c.errs.all())
		}
		live := c.out.all()
		if c, d := countAndCheck(t, parse(t, live)); c != creates || d != deletes {
			t.Errorf("events has %d creates and %d deletes, want %d and %d", c, d, creates, deletes)
		}
		replayed, _ := once(t, 0, "replay", record, "--json")
		if replayed != live {
			t.Errorf("the replay differs:\n%s", firstDifference(live, replayed))
		}
	})
}

type crowd struct {
	*testing.T
	cast  *demo.Cast
	alive []string

	mu       sync.Mutex
	joined   *sync.Cond
	hadZnode map[string]bool
}

func newCrowd(t *testing.T, addr, path string) *crowd {
	t.Helper()
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	x := &crowd{T: t, hadZnode: map[string]bool{}, alive: []string{"amber", "birch", "cedar"}}
	x.joined = sync.NewCond(&x.mu)
	x.cast = demo.NewCast(demo.Config{
		Conn: client.Config{Servers: servers, SessionTimeout: time.Second},
		Path: path, Ack: path + "-leader", Create: true, Put: func(o model.Observation) {
			if c, ok := o.(*model.Cast); ok && !c.Gone && c.Member.Znode != "" {
				x.mu.Lock()
				x.hadZnode[c.Member.ID] = true
				x.mu.Unlock()
				x.joined.Broadcast()
			}
		},
	})
	t.Cleanup(x.cast.Close)
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	if err := x.cast.SpawnInOrder(ctx, len(x.alive)); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *crowd) awaitZnode(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for !x.hadZnode[id] {
		x.joined.Wait()
	}
}

func (x *crowd) change(random *rand.Rand, n int) (joins int) {
	x.Helper()
	for done := 0; done < n; {
		kind := random.IntN(4)
		if kind < 2 || len(x.alive) == 0 {
			if len(x.alive) > 20 {
				continue
			}
			id, err := x.cast.Spawn()
			if err != nil {
				x.Fatal(err)
			}
			x.alive = append(x.alive, id)
			joins++
		} else {
			i := random.IntN(len(x.alive))
			x.awaitZnode(x.alive[i])
			if err := x.cast.Fault(x.alive[i], map[int]demo.Fault{2: demo.Resign, 3: demo.Kill}[kind], true); err != nil {
				x.Fatal(err)
			}
			x.alive = slices.Delete(x.alive, i, i+1)
		}
		done++
	}
	for _, id := range x.alive {
		x.awaitZnode(id)
	}
	return joins
}

// tally counts like countAndCheck, but checks nothing and skips an incomplete line.
func tally(out string) (creates, deletes int) {
	for s := range strings.Lines(out) {
		var l line
		if json.Unmarshal([]byte(s), &l) != nil {
			continue
		}
		switch l.Type {
		case "joined":
			creates++
		case "left":
			deletes++
		case "missed":
			if l.Creates != nil {
				creates += *l.Creates
				deletes += *l.Deletes
			}
		}
	}
	return creates, deletes
}

func firstDifference(want, got string) string {
	w, g := bufio.NewScanner(strings.NewReader(want)), bufio.NewScanner(strings.NewReader(got))
	for n := 1; ; n++ {
		a, b := w.Scan(), g.Scan()
		if !a && !b {
			return "none"
		}
		if w.Text() != g.Text() || a != b {
			return fmt.Sprintf("line %d:\n  live   %s\n  replay %s", n, w.Text(), g.Text())
		}
	}
}

func TestHandoffHasDurationsOrReasons(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		const timeout = 4 * time.Second
		path := unique("slow")
		cast := candidates(t, addr, path, timeout, 2)
		withAdmin := run(t, "events", path, "-s", addr, "--json", "--admin", "4lw", "--admin-sessions", "200ms")
		withoutAdmin := run(t, "events", path, "-s", addr, "--json", "--admin", "off")
		for _, c := range []*command{withAdmin, withoutAdmin} {
			c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
		}
		if err := cast.Fault("amber", demo.Freeze, true); err != nil {
			t.Fatal(err)
		}
		type handoff struct {
			Cluster, Path, From, To string
			FromName                string     `json:"from_name"`
			ToName                  string     `json:"to_name"`
			Silent                  *float64   `json:"silent_ms"`
			SilentIn                [2]float64 `json:"silent_range_ms"`
			Takeover                *float64   `json:"takeover_ms"`
			Vacant                  *float64   `json:"vacant_ms"`
			Timeout                 *float64   `json:"session_timeout_ms"`
			NoSilence               *string    `json:"silent_unknown"`
			NoVacancy               *string    `json:"vacant_unknown"`
			NoTimeout               *string    `json:"session_timeout_unknown"`
			Cause                   string
		}
		of := func(c *command) (h handoff) {
			c.out.await(t, "the handoff", func(s string) bool {
				for line := range strings.Lines(s) {
					if strings.Contains(line, `"type":"handoff"`) {
						return json.Unmarshal([]byte(line), &h) == nil
					}
				}
				return false
			})
			if h.Cluster != addr || h.Path != path || h.FromName != "amber" || h.ToName != "birch" || h.From == "" || h.To == "" ||
				h.Takeover == nil || h.Vacant != nil || h.NoVacancy == nil {
				t.Errorf("handoff %+v: want the cluster, path and names, a takeover time, and the reason why the vacancy is unknown", h)
			}
			return h
		}
		h := of(withAdmin)
		ms := float64(timeout.Milliseconds())
		switch {
		case h.Timeout == nil || *h.Timeout != ms:
			t.Errorf("handoff %+v: want the session timeout %v ms", h, ms)
		case h.Cause == "unknown": // the servers' last report came too early to show the cause
			if h.Silent != nil || h.NoSilence == nil {
				t.Errorf("handoff %+v: its cause is unknown, so want the reason why the silence is unknown", h)
			}
		case h.Silent == nil || *h.Silent < ms || h.SilentIn[0] > *h.Silent || h.SilentIn[1] < *h.Silent:
			t.Errorf("handoff %+v: want a silence of at least %v ms, within its range", h, ms)
		}
		if h = of(withoutAdmin); h.Silent != nil || h.Timeout != nil || h.NoSilence == nil || h.NoTimeout == nil || !strings.Contains(*h.NoTimeout, "not queried") {
			t.Errorf("handoff %+v without the servers' reports: want reasons in place of the silence and the session timeout", h)
		}
	})
}

func TestTakeoverLongerThanASecondIsReported(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t).Addr
	root := unique("acked")
	setup := zktest.Client(t, server)
	create(t, setup, root, "", 0)
	for i, x := range []struct {
		election, ack string
		name          func(session int64, i int) string
	}{
		{"/overseer_elect/election", "/overseer_elect/leader", func(s int64, i int) string { return fmt.Sprintf("%d-10.0.0.%d:8983_solr-n_", s, i) }},
		{"/collections/books/leader_elect/shard1/election", "/collections/books/leaders/shard1/leader", func(s int64, i int) string { return fmt.Sprintf("%d-core_node%d-n_", s, i) }},
		{"/flink/app/leader/latch", "/flink/app/leader/dispatcher/connection_info", func(_ int64, i int) string { return fmt.Sprintf("_c_0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5%d-latch-", i) }},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			at, ack := root+x.election, root+x.ack
			for _, dir := range []string{at, path.Dir(ack)} {
				for end, r := range dir + "/" {
					if exists, _, err := setup.Exists(dir[:end]); end > 0 && r == '/' && err == nil && !exists {
						create(t, setup, dir[:end], "", 0)
					}
				}
			}
			var sessions [3]*zk.Conn
			for i := range sessions {
				sessions[i] = session(t, server)
				create(t, sessions[i], at+"/"+x.name(sessions[i].SessionID(), i), "", contender)
			}
			acknowledge := func(i int) { create(t, sessions[i], ack, "{}", zk.FlagEphemeral) }
			acknowledge(0)
			c := run(t, "events", at, "-s", server, "--json")
			url := metricsURL(t, run(t, "exporter", at, "-s", server, "--listen", "0"))
			exposes(t, url, fmt.Sprintf(`electop_leader_state{path=%q,state="known"} 1`, at))
			line := func(kind string, nth int) (l struct {
				State    string   `json:"leader_state"`
				Leader   *string  `json:"leader"`
				Takeover *float64 `json:"takeover_ms"`
				To       *string
			}) {
				t.Helper()
				c.out.await(t, kind, func(s string) bool {
					n := 0
					for text := range strings.Lines(s) {
						if strings.Contains(text, fmt.Sprintf(`"type":%q`, kind)) {
							if n++; n == nth {
								return json.Unmarshal([]byte(text), &l) == nil
							}
						}
					}
					return false
				})
				return l
			}
			if l := line("state", 1); l.State != "leads" || l.Leader == nil {
				t.Errorf("first line %+v, want a state whose leader leads", l)
			}
			sessions[0].Close()
			h := line("handoff", 1) // after a second without an acknowledgement
			if h.Takeover != nil {
				t.Errorf("the handoff has a takeover time before the acknowledgement: %v", *h.Takeover)
			}
			acknowledge(1)
			if l := line("takeover", 1); l.Takeover == nil || *l.Takeover < 900 || l.Leader == nil || *l.Leader != *h.To {
				t.Errorf("after handoff %+v: takeover %+v, want its leader and at least 900 ms", h, l)
			}
			counted := regexp.MustCompile(`(?m)^electop_takeover_seconds_count\{path="` + at + `",.*\} 1$`)
			zktest.Await(t, "the takeover in the metrics", func() bool {
				_, body := page(t, "GET", url+"/metrics")
				return counted.MatchString(body)
			})
		})
	}
}

// TestBoundsOfLeaderSince checks that leader_since is a range if the leader's znode may be older than its leadership.
func TestBoundsOfLeaderSince(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := zktest.Client(t, addr)
		root := unique("since")
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
			t.Errorf("leader since %q to %q, want one time: no znode was deleted, so the leader leads since its znode was created", earliest, latest)
		}
		if err := c.Delete(first, -1); err != nil {
			t.Fatal(err)
		}
		if earliest, latest := since(); earliest == "" || earliest == latest {
			t.Errorf("leader since %q to %q, want a range: nothing shows when the first znode was deleted", earliest, latest)
		}
		e := run(t, "events", root, "-s", addr, "--admin", "4lw")
		e.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "two (1) leads, for ") })
		if err := c.Delete(second, -1); err != nil { // c is not the owner
			t.Fatal(err)
		}
		e.out.await(t, "the cause", func(s string) bool {
			return strings.Contains(s, "two (1) -> three (2)") && strings.Contains(s, "two (1), who led: znode deleted  (its session is ")
		})
	})
}

func TestExecOnHandoffs(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := zktest.Client(t, addr)
	create(t, raw, "/election", "", 0)
	handoffs := func(out string) (lines []string) {
		for line := range strings.Lines(out) {
			var l struct{ Type string }
			if json.Unmarshal([]byte(line), &l) == nil && l.Type == "handoff" && strings.HasSuffix(line, "\n") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	file := filepath.Join(t.TempDir(), "got")
	exits := run(t, "events", "/election", "--json", "--servers", addr, "--exec", "cat >>'"+file+"'; exit 3")
	hangs := run(t, "events", "/election", "--json", "--servers", addr, "--exec", "exec sleep 1000")
	for _, c := range []*command{exits, hangs} {
		c.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
	}
	await := func(n int) {
		t.Helper()
		for _, c := range []*command{exits, hangs} {
			c.out.await(t, "the handoffs", func(s string) bool { return len(handoffs(s)) == n })
		}
	}
	first := create(t, raw, "/election/n_", "host", contender)
	await(1)
	create(t, raw, "/election/n_", "host", contender)
	if err := raw.Delete(first, -1); err != nil {
		t.Fatal(err)
	}
	await(2)
	exits.errs.await(t, "two runs", func(s string) bool { return strings.Count(s, ": exit status 3\n") == 2 })
	got, err := os.ReadFile(file)
	if want := strings.Join(handoffs(exits.out.all()), ""); err != nil || string(got) != want {
		t.Errorf("the command got\n%s, %v; want\n%s", got, err, want)
	}
	for _, c := range []*command{exits, hangs} {
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("exit code %d, want 130: %s", code, c.errs.all())
		}
	}
	if errs := hangs.errs.all(); !strings.Contains(errs, "killed: electop ends") {
		t.Errorf("events does not report that it killed the command that hangs: %s", errs)
	}
	for _, args := range [][]string{{"--exec", ""}, {"--exec-timeout", "1s"}} {
		_, errs := once(t, process.ExitUsage, append([]string{"events", "/election", "--servers", addr}, args...)...)
		if !strings.Contains(errs, "--exec") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: error %q, want one line about --exec", args, errs)
		}
	}
}

func TestExecHidesSecrets(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := zktest.Client(t, addr)
	create(t, raw, "/election", "", 0)
	// With --count, electop waits for the --exec command.
	cmd := exec.Command("electop", "events", "/election", "--servers", addr, "--count", "3", "--json", "--exec", "env; echo the end")
	cmd.Env = append(os.Environ(), "ELECTOP_AUTH=digest:user:s3cret")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := newLines()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		defer lines.end()
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			lines.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	lines.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
	create(t, raw, "/election/n_", "host", contender) // two events: joined, and a handoff from nobody
	<-copied
	err = cmd.Wait()
	if text := errs.String(); err != nil || !strings.Contains(text, "the end\n") || !strings.Contains(text, "exit status 0\n") || strings.Contains(text, "s3cret") {
		t.Errorf("error %v; want the command's output and exit status 0 without the secret, got %s", err, text)
	}
}
