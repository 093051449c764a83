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

// waitFor bounds every wait for a command or a screen. It is never what is tested.
const waitFor = 2 * time.Minute

// command runs electop in this process.
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

// finish waits for the end and returns the exit code.
func (c *command) finish(t *testing.T) int {
	t.Helper()
	select {
	case code := <-c.code:
		return code
	case <-time.After(waitFor):
		t.Fatalf("still running after %v; printed %q", waitFor, c.errs.all())
	}
	panic("unreachable")
}

// lines collects what a command prints.
type lines struct {
	mu      sync.Mutex
	buf     bytes.Buffer
	changed chan struct{}
	ended   bool // the command prints no more
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

// end says that the command has ended.
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

// first returns the first line.
func (l *lines) first() string {
	line, _, _ := strings.Cut(l.all(), "\n")
	return line
}

// await waits until what was printed holds. A command that has ended prints no more.
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

// line is an event as a script sees it.
type line struct {
	N        int
	At       time.Time
	Type     string
	From, To *string
	Cause    string
	Creates  *int
	Deletes  *int
	Leader   any // of a state a znode, of a risk whether it leads
	Parent   *struct{ Cversion, Children int32 }
	Silent   *float64 `json:"silent_ms"`
	Takeover *float64 `json:"takeover_ms"`
}

func parse(t *testing.T, out string) []line {
	t.Helper()
	var ls []line
	for s := range strings.Lines(out) {
		var l line
		if err := json.Unmarshal([]byte(s), &l); err != nil {
			t.Fatalf("not JSON: %q: %v", s, err)
		}
		ls = append(ls, l)
	}
	return ls
}

// account adds up what events tell: creates and deletes, seen and missed, and
// holds the handoffs to their chain.
func account(t *testing.T, ls []line) (creates, deletes int) {
	t.Helper()
	var leader *string
	for i, l := range ls {
		if l.N != i+1 {
			t.Errorf("line %d has n %d", i+1, l.N)
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
				t.Errorf("line %d: an unknown number of changes", l.N)
				continue
			}
			creates += *l.Creates
			deletes += *l.Deletes
		case "handoff":
			if text(l.From) != text(leader) {
				t.Errorf("line %d: handoff from %s, the one before went to %s", l.N, text(l.From), text(leader))
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

// TestEventsAccountForEverything is the promise of the tool: 300 random joins,
// resigns and kills, every one of them in the events, seen or said to have
// been missed; and the recording replays to the same events.
func TestEventsAccountForEverything(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		random := rand.New(rand.NewPCG(zktest.Seed(t), 2))
		path := unique("acc")
		servers, err := client.ParseConnectString(addr)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		stood := sync.NewCond(&mu)
		standing := map[string]bool{} // members with a znode
		note := func(o model.Observation) {
			if c, ok := o.(*model.Cast); ok && !c.Gone && c.Member.Znode != "" {
				mu.Lock()
				standing[c.Member.ID] = true
				mu.Unlock()
				stood.Broadcast()
			}
		}
		cast := demo.NewCast(demo.Config{
			Conn: client.Config{Servers: servers, SessionTimeout: time.Second},
			Path: path, Ack: path + "-leader", Create: true, Put: note,
		})
		defer cast.Close()
		ctx, cancel := context.WithTimeout(t.Context(), waitFor)
		defer cancel()
		if err := cast.SpawnInOrder(ctx, 3); err != nil {
			t.Fatal(err)
		}
		alive := []string{"amber", "birch", "cedar"}

		record := filepath.Join(t.TempDir(), "recording")
		c := run(t, "events", path, "--json", "--servers", addr, "--record", record)
		c.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })

		awaitStanding := func(id string) {
			mu.Lock()
			for !standing[id] {
				stood.Wait()
			}
			mu.Unlock()
		}
		joins, leaves := 0, 0
		for joins+leaves < 300 {
			switch n := random.IntN(4); {
			case n < 2 || len(alive) == 0:
				if len(alive) > 20 {
					continue
				}
				id, err := cast.Spawn()
				if err != nil {
					t.Fatal(err)
				}
				alive = append(alive, id)
				joins++
			default:
				i := random.IntN(len(alive))
				id := alive[i]
				// A candidate that is sent away before it stands never joins.
				awaitStanding(id)
				if n == 2 {
					err = cast.Fault(id, demo.Resign, true)
				} else {
					err = cast.Fault(id, demo.Kill, true)
				}
				if err != nil {
					t.Fatal(err)
				}
				alive = slices.Delete(alive, i, i+1)
				leaves++
			}
		}
		for _, id := range alive {
			awaitStanding(id)
		}
		// Everybody goes; the killed ones when their sessions expire.
		cast.Close()
		// The server counts what happened: a member that a busy machine kept from its
		// pings joined once more.
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
			t.Fatalf("%d spawned, and the server counted %d creates, %v", joins, creates, ok)
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
		if c, d := account(t, parse(t, live)); c != creates || d != deletes {
			t.Errorf("told of %d creates and %d deletes; happened: %d and %d", c, d, creates, deletes)
		}

		again := run(t, "replay", record, "--json")
		if code := again.finish(t); code != 0 {
			t.Errorf("replay: exit code %d: %s", code, again.errs.all())
		}
		if got := again.out.all(); got != live {
			t.Errorf("the replay differs:\n%s", firstDifference(live, got))
		}
	})
}

// tally is account without judgement, for waiting.
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

// TestWhyTheFailoverWasSlow: after a leader was frozen each part of the handoff is a number within bounds, or
// null with its reason, and both leaders, the election and the cluster are named.
func TestWhyTheFailoverWasSlow(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		const timeout = 4 * time.Second
		path := unique("slow")
		cast := candidates(t, addr, path, timeout, 2)
		asked := run(t, "events", path, "-s", addr, "--json", "--admin", "4lw", "--admin-sessions", "200ms")
		unasked := run(t, "events", path, "-s", addr, "--json", "--admin", "off")
		for _, c := range []*command{asked, unasked} {
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
				t.Errorf("the handoff: %+v", h)
			}
			return h
		}
		h := of(asked)
		ms := float64(timeout.Milliseconds())
		switch {
		case h.Timeout == nil || *h.Timeout != ms:
			t.Errorf("the session timeout: %+v", h)
		case h.Cause == "unknown": // the last answer was too early to tell
			if h.Silent != nil || h.NoSilence == nil {
				t.Errorf("unknown silence: %+v", h)
			}
		case h.Silent == nil || *h.Silent < ms || h.SilentIn[0] > *h.Silent || h.SilentIn[1] < *h.Silent:
			t.Errorf("silence: %+v", h)
		}
		if h = of(unasked); h.Silent != nil || h.Timeout != nil || h.NoSilence == nil || h.NoTimeout == nil || !strings.Contains(*h.NoTimeout, "not asked") {
			t.Errorf("without the servers' answers: %+v", h)
		}
	})
}

// TestEventsFollowTheAcknowledgement: what the leader of a recognised system acknowledges is in
// the first line of events, and its takeover is a number there and in the metrics, however long
// it takes.
func TestEventsFollowTheAcknowledgement(t *testing.T) {
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
				t.Errorf("the first line: %+v", l)
			}
			sessions[0].Close()
			h := line("handoff", 1) // it waits for a second in vain
			if h.Takeover != nil {
				t.Errorf("a takeover before the acknowledgement: %v", *h.Takeover)
			}
			acknowledge(1)
			if l := line("takeover", 1); l.Takeover == nil || *l.Takeover < 900 || l.Leader == nil || *l.Leader != *h.To {
				t.Errorf("a late acknowledgement after %+v: %+v", h, l)
			}
			counted := regexp.MustCompile(`(?m)^electop_takeover_seconds_count\{path="` + at + `",.*\} 1$`)
			zktest.Await(t, "the takeover in the metrics", func() bool {
				_, body := page(t, "GET", url+"/metrics")
				return counted.MatchString(body)
			})
		})
	}
}

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

// A command of --exec gets each handoff as the line that --json prints, and neither one
// that hangs nor one that fails stops the events.
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
	good := run(t, "events", "/election", "--json", "--servers", addr, "--exec", "cat >>'"+file+"'; exit 3")
	hangs := run(t, "events", "/election", "--json", "--servers", addr, "--exec", "exec sleep 1000")
	for _, c := range []*command{good, hangs} {
		c.out.await(t, "the first state", func(s string) bool { return strings.Contains(s, "\n") })
	}
	await := func(n int) {
		t.Helper()
		for _, c := range []*command{good, hangs} {
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
	good.errs.await(t, "two runs", func(s string) bool { return strings.Count(s, ": exit status 3\n") == 2 })
	got, err := os.ReadFile(file)
	if want := strings.Join(handoffs(good.out.all()), ""); err != nil || string(got) != want {
		t.Errorf("the command got\n%s, %v; want\n%s", got, err, want)
	}
	for _, c := range []*command{good, hangs} {
		c.cancel()
		if code := c.finish(t); code != 130 {
			t.Errorf("exit code %d: %s", code, c.errs.all())
		}
	}
	if said := hangs.errs.all(); !strings.Contains(said, "killed: electop ends") {
		t.Errorf("of the one that hangs: %s", said)
	}
	for _, args := range [][]string{{"--exec", ""}, {"--exec-timeout", "1s"}, {"--exec", "true", "--exec-timeout", "0s"}} {
		_, errs := once(t, process.ExitUsage, append([]string{"events", "/election", "--servers", addr}, args...)...)
		if !strings.Contains(errs, "--exec") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %s", args, errs)
		}
	}
}

// The command of --exec does not get the credentials of electop, and with --count the
// last handoff's command is waited for.
func TestExecKeepsSecrets(t *testing.T) {
	t.Parallel()
	_, addr := zkserver.Start(t, zkserver.Options{})
	raw := zktest.Client(t, addr)
	create(t, raw, "/election", "", 0)
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
	create(t, raw, "/election/n_", "host", contender) // joined, and a handoff from nobody
	<-copied
	err = cmd.Wait()
	if said := errs.String(); err != nil || !strings.Contains(said, "the end\n") || !strings.Contains(said, "exit status 0\n") || strings.Contains(said, "s3cret") {
		t.Errorf("%v, %s", err, said)
	}
}
