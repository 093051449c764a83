package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"electop/demo"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/ui/cli"
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
