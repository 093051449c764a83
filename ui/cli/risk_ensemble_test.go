package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
)

// TestExpiryBoundsHold kills a candidate, and while its session runs out a
// member of the ensemble: the ensemble leader, or another. What events said of
// the time that was left holds in the epoch that they said it for.
func TestExpiryBoundsHold(t *testing.T) {
	zktest.Second(t)
	t.Parallel()
	const tick = time.Second
	e := zktest.NewEnsemble(t, 3, zktest.WithTick(tick))
	servers, err := client.ParseConnectString(e.ConnectString())
	if err != nil {
		t.Fatal(err)
	}
	setup, err := client.Connect(client.Config{Servers: servers, SessionTimeout: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer setup.Close()
	// request tries until the ensemble serves.
	request := func(f func() error) {
		t.Helper()
		for deadline := time.Now().Add(waitFor); ; {
			err := f()
			if err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
			wait := time.NewTimer(50 * time.Millisecond)
			<-wait.C
		}
	}
	path := "/" + strings.TrimPrefix(unique("bounds"), "/")
	request(func() error {
		_, err := setup.Create(t.Context(), path, nil, 0, zk.WorldACL(zk.PermAll))
		return err
	})
	c := run(t, "events", path, "-s", e.ConnectString(), "--json", "--admin", "4lw", "--admin-sessions", "300ms")
	c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })

	request(func() error {
		_, err := setup.Create(t.Context(), path+"-writes", nil, 0, zk.WorldACL(zk.PermAll))
		return err
	})
	slowest := slowestWrite(t, setup, path+"-writes")
	duration, _ := zktest.Long(t)
	end := time.Now().Add(duration)
	bounds, held, excused, killed := 0, 0, 0, 0
	// On a busy machine a member may be gone, or back, at another moment than meant.
	again := func(round int) bool {
		return round < 2 || time.Now().Before(end) || round < 8 && (held == 0 || excused == 0)
	}
	for round := 0; again(round); round++ {
		slowest()
		victim, err := client.Connect(client.Config{Servers: servers, SessionTimeout: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		var znode string
		request(func() (err error) {
			znode, err = victim.Create(t.Context(), fmt.Sprintf("%s/v%d-n_", path, round), nil, zk.FlagEphemeralSequential, zk.WorldACL(zk.PermAll))
			return err
		})
		c.out.await(t, znode, func(s string) bool { return strings.Contains(s, `"type":"joined","znode":"`+znode+`"`) })
		victim.Cut()
		c.out.await(t, "the bound of "+znode, func(s string) bool {
			for l := range strings.Lines(s) {
				if strings.Contains(l, `"type":"left","znode":"`+znode+`"`) ||
					strings.Contains(l, `"type":"risk","state":"raised","znode":"`+znode+`"`) && !strings.Contains(l, `"expires_within_ms":null`) {
					return true
				}
			}
			return false
		})
		leader := e.Leader(t)
		down := leader
		if round%2 == 1 { // a follower
			for _, m := range e.Members {
				if m != leader {
					down = m
				}
			}
		}
		down.Kill(t)
		killed++
		c.out.await(t, "the end of "+znode, func(s string) bool { return strings.Contains(s, `"type":"left","znode":"`+znode+`"`) })
		gone, late := time.Now(), slowest()
		// The epoch in which it went: nothing else changed the parent since.
		var epoch int64
		request(func() error {
			_, stat, err := setup.Children(t.Context(), path)
			if err == nil {
				epoch = stat.Pzxid >> 32
			}
			return err
		})
		for s := range strings.Lines(c.out.all()) {
			var l struct {
				At           time.Time
				Type, State  string
				Znode        string
				Expires      *float64 `json:"expires_within_ms"`
				EpochOfBound *int64   `json:"ensemble_epoch"`
			}
			if !strings.Contains(s, `"type":"risk"`) {
				continue
			}
			if err := json.Unmarshal([]byte(s), &l); err != nil {
				t.Fatal(err)
			}
			if l.Znode != znode || l.State != "raised" || l.Expires == nil {
				continue
			}
			bounds++
			by := l.At.Add(time.Duration(*l.Expires * float64(time.Millisecond)))
			switch over := gone.Sub(by); {
			case l.EpochOfBound == nil:
				t.Errorf("a bound without an epoch: %s", s)
			case *l.EpochOfBound != epoch:
				excused++
			case over > late:
				t.Errorf("round %d: %v after its bound, in the same epoch %d, where a write took %v at most: %s", round, over, epoch, late, s)
			default:
				held++
			}
		}
		down.Start(t)
	}
	t.Logf("%d members killed: %d bounds held, %d were of an epoch that ended, of %d", killed, held, excused, bounds)
	if held == 0 || excused == 0 {
		t.Error("no bound was tested, or none that an election ended")
	}
}

// slowestWrite writes to path all the time until the test ends. What it returns says how
// long a write took at most since it was asked last: the end of a session is a write too,
// and nobody bounds how long a busy machine takes for one.
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

// TestRiskByDefault stops a kazoo leader: without any flag about it events says that
// it is at risk, and then that its session expired.
func TestRiskByDefault(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t)
	path := unique("default")
	leader := zktest.Kazoo(t, server.Addr, 8*time.Second)
	leader.Stand(t, "election", path, "amber")
	zktest.Kazoo(t, server.Addr, 20*time.Second).Stand(t, "election", path, "birch")
	c := run(t, "events", path, "-s", server.Addr, "--json")
	c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
	leader.Pause(t)
	c.out.await(t, "the handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
	c.cancel()
	c.finish(t)
	risk, handoff, _ := strings.Cut(c.out.all(), `"type":"handoff"`)
	if !strings.Contains(risk, `"type":"risk","state":"raised"`) || !strings.Contains(handoff, `"cause":"expired"`) {
		t.Errorf("no risk, or another cause:\n%s", c.out.all())
	}
}

// TestExpiredLeaderIsBack stops a kazoo leader for longer than its session: when it
// continues, events says that its client is connected again.
func TestExpiredLeaderIsBack(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t)
	path := unique("back")
	leader := zktest.Kazoo(t, server.Addr, 8*time.Second)
	was := leader.Stand(t, "election", path, "amber")
	zktest.Kazoo(t, server.Addr, 20*time.Second).Stand(t, "election", path, "birch")
	c := run(t, "events", path, "-s", server.Addr, "--json", "--admin-sessions", "1s")
	c.out.await(t, "the state", func(s string) bool { return strings.Contains(s, "\n") })
	leader.Pause(t)
	c.out.await(t, "the handoff", func(s string) bool { return strings.Contains(s, `"type":"handoff"`) })
	leader.Resume(t)
	c.out.await(t, "the finding", func(s string) bool { return strings.Contains(s, `"id":"expired-leader"`) })
	c.cancel()
	c.finish(t)
	if want := fmt.Sprintf("session %#x, from 127.0.0.1, expired: its znode ", was.Session); !strings.Contains(c.out.all(), want) {
		t.Errorf("%q is not in:\n%s", want, c.out.all())
	}
}
