package cli_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
)

func TestExpiryBoundsHold(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	x := newBoundsTest(t)
	duration, _ := zktest.Long(t)
	end := time.Now().Add(duration)
	// On a busy machine, two rounds may not show both a held and an excused bound.
	for round := 0; round < 2 || time.Now().Before(end) || round < 8 && (x.held == 0 || x.excused == 0); round++ {
		znode := x.cutCandidate()
		down := x.ensemble.Leader(t)
		if round%2 == 1 {
			down = x.ensemble.Members[(slices.Index(x.ensemble.Members, down)+1)%3]
		}
		down.Kill(t)
		x.events.out.await(t, "the end of "+znode, func(s string) bool { return strings.Contains(s, `"type":"left","znode":"`+znode+`"`) })
		x.compare(round, znode, time.Now(), x.slowest())
		down.Start(t)
	}
	if x.held == 0 || x.excused == 0 {
		t.Errorf("%d bounds held, %d were for an epoch that ended: want both", x.held, x.excused)
	}
}

type boundsTest struct {
	*testing.T
	ensemble *zktest.Ensemble
	conn     *client.Conn
	servers  client.ConnectString
	path     string
	events   *command
	slowest  func() time.Duration

	held, excused int // excused counts bounds for an epoch that ended before the session
}

func newBoundsTest(t *testing.T) *boundsTest {
	t.Helper()
	x := &boundsTest{T: t, ensemble: zktest.NewEnsemble(t, 3, zktest.WithTick(time.Second)), path: unique("bounds")}
	var err error
	if x.servers, err = client.ParseConnectString(x.ensemble.ConnectString()); err != nil {
		t.Fatal(err)
	}
	if x.conn, err = client.Connect(client.Config{Servers: x.servers, SessionTimeout: 30 * time.Second}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.conn.Close() })
	writes := x.path + "-writes"
	x.create(x.conn, x.path, 0)
	x.create(x.conn, writes, 0)
	x.slowest = slowestWrite(t, x.conn, writes)
	x.events = run(t, "events", x.path, "-s", x.ensemble.ConnectString(), "--json", "--admin", "4lw", "--admin-sessions", "300ms")
	x.events.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
	return x
}

func (x *boundsTest) request(f func() error) {
	x.Helper()
	var err error
	zktest.Await(x, "a reply", func() bool { err = f(); return err == nil })
}

func (x *boundsTest) create(conn *client.Conn, path string, flags int32) (znode string) {
	x.Helper()
	x.request(func() (err error) {
		znode, err = conn.Create(x.Context(), path, nil, flags, zk.WorldACL(zk.PermAll))
		return err
	})
	return znode
}

func (x *boundsTest) cutCandidate() (znode string) {
	x.Helper()
	for deadline := time.Now().Add(waitFor); time.Now().Before(deadline); {
		x.slowest()
		c, err := client.Connect(client.Config{Servers: x.servers, SessionTimeout: 5 * time.Second})
		if err != nil {
			x.Fatal(err)
		}
		znode = x.create(c, x.path+"/n_", zk.FlagEphemeralSequential)
		x.events.out.await(x.T, znode, func(s string) bool { return strings.Contains(s, `"type":"joined","znode":"`+znode+`"`) })
		c.Cut()
		known := false
		x.events.out.await(x.T, "the bound of "+znode, func(s string) bool {
			known = len(x.boundsOf(znode, s)) > 0
			return known || strings.Contains(s, `"type":"left","znode":"`+znode+`"`)
		})
		if known {
			return znode
		}
	}
	x.Fatalf("no bound within %v:\n%s", waitFor, x.events.out.all())
	return ""
}

type bound struct {
	line    string
	at      time.Time
	expires float64
	epoch   *int64
}

func (x *boundsTest) boundsOf(znode, output string) (all []bound) {
	for s := range strings.Lines(output) {
		if !strings.Contains(s, `"type":"risk","state":"raised","znode":"`+znode+`"`) {
			continue
		}
		l := decode[struct {
			At      time.Time
			Expires *float64 `json:"expires_within_ms"`
			Epoch   *int64   `json:"ensemble_epoch"`
		}](x.T, s)
		if l.Expires != nil {
			all = append(all, bound{s, l.At, *l.Expires, l.Epoch})
		}
	}
	return all
}

// compare checks the bounds of a deleted znode.
func (x *boundsTest) compare(round int, znode string, gone time.Time, late time.Duration) {
	x.Helper()
	var epoch int64 // the ensemble's epoch at the deletion
	x.request(func() error {
		_, stat, err := x.conn.Children(x.Context(), x.path)
		if err == nil {
			epoch = stat.Pzxid >> 32
		}
		return err
	})
	for _, b := range x.boundsOf(znode, x.events.out.all()) {
		switch over := gone.Sub(b.at.Add(time.Duration(b.expires * float64(time.Millisecond)))); {
		case b.epoch == nil:
			x.Errorf("a bound without an epoch: %s", b.line)
		case *b.epoch != epoch:
			x.excused++
		case over > late:
			x.Errorf("round %d: deleted %v after its bound, in the same epoch %d; the slowest write took %v: %s", round, over, epoch, late, b.line)
		default:
			x.held++
		}
	}
	x.Logf("after round %d: %d bounds held, %d were for an epoch that ended; writes took up to %v", round, x.held, x.excused, late)
}

// slowestWrite writes repeatedly. Its result returns the longest time of a successful write since its last call.
func slowestWrite(t *testing.T, conn *client.Conn, path string) func() time.Duration {
	var mu sync.Mutex
	var most time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for due := time.Now(); ctx.Err() == nil; {
			if _, err := conn.Set(ctx, path, nil, -1); err == nil {
				mu.Lock()
				most = max(most, time.Since(due))
				mu.Unlock()
			}
			select {
			case due = <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		d := most
		most = 0
		return d
	}
}

func TestPausedLeader(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.NewApache(t)
	path := unique("paused")
	leader := zktest.Kazoo(t, server.Addr, 8*time.Second)
	was := leader.Join(t, "election", path, "amber")
	zktest.Kazoo(t, server.Addr, 20*time.Second).Join(t, "election", path, "birch")
	c := run(t, "events", path, "-s", server.Addr, "--json")
	c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
	leader.Pause(t)
	c.out.await(t, "the handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
	risk, handoff, _ := strings.Cut(c.out.all(), `"type":"handoff"`)
	if !strings.Contains(risk, `"type":"risk","state":"raised"`) || !strings.Contains(handoff, `"cause":"expired"`) {
		t.Errorf("want a risk, then a handoff with the cause expired, got\n%s", c.out.all())
	}
	leader.Resume(t)
	c.out.await(t, "the finding", func(s string) bool { return strings.Contains(s, `"id":"expired-leader"`) })
	c.cancel()
	c.finish(t)
	if want := fmt.Sprintf("session %#x, from 127.0.0.1, expired: its znode ", was.Session); !strings.Contains(c.out.all(), want) {
		t.Errorf("%q is not in:\n%s", want, c.out.all())
	}
}
