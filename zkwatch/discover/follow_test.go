package discover_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
)

// follower is what a test sees of discover.Follow.
type follower struct {
	mu       sync.Mutex
	leaders  map[string]string // of each election that is there
	searches int
	by       model.FollowedBy
	why      model.FollowReason
	next     time.Time // of the searches
	changed  chan struct{}
}

func (f *follower) update(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

// follow follows until the test ends.
func follow(t *testing.T, conn *client.Conn, cfg discover.FollowConfig) *follower {
	t.Helper()
	f := &follower{leaders: make(map[string]string), changed: make(chan struct{})}
	cfg.PerSecond = quick
	cfg.Found = func(found discover.Found) {
		j := doctor.NewJournal(model.Config{Path: found.Path, Found: true, AckFollows: true})
		j.Apply(&model.Connection{At: found.Read.At, Link: model.Connected})
		j.Apply(found.Read)
		for _, o := range found.Beside {
			j.Apply(o)
		}
		leader := string(j.State().NoLeader())
		if c := j.State().Leader(); c != nil {
			leader = c.Name
		}
		f.update(func() { f.leaders[found.Path] = leader })
	}
	cfg.Gone = func(path string) { f.update(func() { delete(f.leaders, path) }) }
	cfg.Following = func(by model.FollowedBy, why model.FollowReason, next time.Time) {
		if next.IsZero() != (by != model.ByReads) {
			t.Errorf("followed by %s, and the next search is at %v", by, next)
		}
		f.update(func() {
			if f.by, f.why, f.next = by, why, next; by != "" {
				f.searches++
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- discover.Follow(ctx, conn, cfg) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("follow ended with %v", err)
		}
	})
	return f
}

func (f *follower) await(t *testing.T, what string, holds func(f *follower) bool) {
	t.Helper()
	deadline := time.After(electiontest.WaitFor)
	for {
		f.mu.Lock()
		ok, changed := holds(f), f.changed
		f.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			f.mu.Lock()
			defer f.mu.Unlock()
			t.Fatalf("%s: not within %v; %q, %d searches, by %s, %s", what, electiontest.WaitFor, f.leaders, f.searches, f.by, f.why)
		}
	}
}

// awaitLeaders waits for exactly these elections: the leader, or why there is none, by path.
func (f *follower) awaitLeaders(t *testing.T, root string, want map[string]string) {
	t.Helper()
	f.await(t, fmt.Sprintf("%q", want), func(f *follower) bool {
		got := make(map[string]string)
		for path, leader := range f.leaders {
			got[strings.TrimPrefix(path, root)] = strings.TrimPrefix(leader, root)
		}
		return maps.Equal(got, want)
	})
}

// Elections below the root are found, followed and forgotten without a new search.
func TestFollowFindsWithoutANewSearch(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := clienttest.ElectionPath(t)
		raw := clienttest.Raw(t, addr)
		create := clienttest.Creator(t, raw)
		remove := func(paths ...string) {
			for _, path := range paths {
				if err := raw.Delete(path, -1); err != nil {
					t.Fatal(err)
				}
			}
		}
		name := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
		create(root, 0)
		create(root+"/old", 0)
		old := create(root+"/old/"+hex+"1-n_", clienttest.Contender)
		conn := clienttest.Connect(t, clienttest.Config(t, addr))
		clienttest.WaitState(t, conn, client.Connected)
		f := follow(t, conn, discover.FollowConfig{Config: discover.Config{Root: root}})
		f.await(t, "by a watch", func(f *follower) bool { return f.by == model.ByWatch })
		f.awaitLeaders(t, root, map[string]string{"/old": name(old)})

		// A new one, in a new directory, and a third-party one.
		create(root+"/a", 0)
		create(root+"/a/b", 0)
		create(root+"/a/b/latch", 0)
		one := create(root+"/a/b/latch/"+uuid+"1-latch-", clienttest.Contender)
		two := create(root+"/a/b/latch/"+uuid+"2-latch-", clienttest.Contender)
		want := map[string]string{"/old": name(old), "/a/b/latch": name(one)}
		f.awaitLeaders(t, root, want)

		// A handoff, and nobody left.
		remove(one)
		want["/a/b/latch"] = name(two)
		f.awaitLeaders(t, root, want)
		remove(old)
		want["/old"] = "no-candidate"
		f.awaitLeaders(t, root, want)

		// A leader's own znode, with what says whose it is.
		create(root+"/kafka", 0)
		create(root+"/kafka/brokers", 0)
		create(root+"/kafka/controller_epoch", 0)
		controller := func() {
			if _, err := raw.Create(root+"/kafka/controller", []byte(`{"version":1,"brokerid":1}`), zk.FlagEphemeral, clienttest.Open); err != nil {
				t.Fatal(err)
			}
		}
		controller()
		want["/kafka/controller"] = "/kafka/controller"
		f.awaitLeaders(t, root, want)
		remove(root + "/kafka/controller")
		want["/kafka/controller"] = "no-candidate"
		f.awaitLeaders(t, root, want)
		controller()
		want["/kafka/controller"] = "/kafka/controller"
		f.awaitLeaders(t, root, want)

		// The election itself is deleted.
		remove(two, root+"/a/b/latch", root+"/old")
		delete(want, "/a/b/latch")
		delete(want, "/old")
		f.awaitLeaders(t, root, want)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.searches != 1 {
			t.Errorf("%d searches", f.searches)
		}
	})
}

// Where too much is written below the root, electop searches again from time to time, and
// finds the same.
func TestFollowSearchesWhereTooMuchIsWritten(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := clienttest.ElectionPath(t)
		raw := clienttest.Raw(t, addr)
		create := clienttest.Creator(t, raw)
		create(root, 0)
		create(root+"/busy", 0)
		conn := clienttest.Connect(t, clienttest.Config(t, addr))
		clienttest.WaitState(t, conn, client.Connected)
		f := follow(t, conn, discover.FollowConfig{Config: discover.Config{Root: root}, Every: 10 * time.Millisecond})
		f.await(t, "by a watch", func(f *follower) bool { return f.by == model.ByWatch })
		clienttest.Flood(t, raw, root+"/busy")
		f.await(t, "by searches", func(f *follower) bool { return f.by == model.ByReads && f.why == model.FollowFlooded })
		create(root+"/e", 0)
		first := create(root+"/e/n_", clienttest.Contender)
		f.awaitLeaders(t, root, map[string]string{"/e": first[len(root)+3:]})
		for _, path := range []string{first, root + "/e"} {
			if err := raw.Delete(path, -1); err != nil {
				t.Fatal(err)
			}
		}
		f.awaitLeaders(t, root, map[string]string{})
	})
}

// The pause before the next search goes by what the last search took, and not by how
// long the watch went well after it.
func TestFollowSearchesSoonAfterALateFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		raw := (&clienttest.Switchboard{Server: server}).Client(t)
		t.Cleanup(raw.Close)
		clienttest.Creator(t, raw)("/busy", 0)
		w := &electiontest.Wires{Server: server}
		conn := clienttest.Connect(t, client.Config{Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: time.Hour, Dial: w.Dial})
		clienttest.WaitState(t, conn, client.Connected)
		f := follow(t, conn, discover.FollowConfig{Config: discover.Config{Root: "/"}, Every: time.Minute})
		f.await(t, "by a watch", func(f *follower) bool { return f.by == model.ByWatch })
		time.Sleep(time.Hour)
		clienttest.Flood(t, raw, "/busy")
		f.await(t, "by searches", func(f *follower) bool { return f.by == model.ByReads })
		f.mu.Lock()
		rest, searches := time.Until(f.next), f.searches
		f.mu.Unlock()
		if rest > 2*time.Minute {
			t.Errorf("the next search is in %v", rest)
		}
		// A watch is tried again a while later.
		time.Sleep(12 * time.Minute)
		f.await(t, "by a watch again", func(f *follower) bool { return f.by == model.ByWatch && f.searches >= searches+9 })
	})
}

// After a lost connection nothing catches up, so electop searches again.
func TestFollowSearchesAgainAfterALostConnection(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := clienttest.ElectionPath(t)
		create := clienttest.Creator(t, clienttest.Raw(t, addr))
		create(root, 0)
		link := zktest.NewLink(t, addr)
		conn := clienttest.Connect(t, clienttest.Config(t, link.Addr))
		clienttest.WaitState(t, conn, client.Connected)
		f := follow(t, conn, discover.FollowConfig{Config: discover.Config{Root: root}})
		f.await(t, "by a watch", func(f *follower) bool { return f.by == model.ByWatch })
		want := map[string]string{}
		for i := range 3 {
			link.Cut()
			f.await(t, "not kept up to date", func(f *follower) bool { return f.by == "" })
			dir := fmt.Sprintf("/e%d", i)
			create(root+dir, 0)
			want[dir] = create(root+dir+"/n_", clienttest.Contender)[len(root+dir)+1:]
			link.Heal()
			f.awaitLeaders(t, root, want)
		}
	})
}

// A queue of work is looked at less and less often.
func TestFollowRestsWhereThereIsNoElection(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := clienttest.ElectionPath(t)
		create := clienttest.Creator(t, clienttest.Raw(t, addr))
		create(root, 0)
		create(root+"/jobs", 0)
		conn := clienttest.Connect(t, clienttest.Config(t, addr))
		clienttest.WaitState(t, conn, client.Connected)
		f := follow(t, conn, discover.FollowConfig{Config: discover.Config{Root: root}})
		f.await(t, "by a watch", func(f *follower) bool { return f.by == model.ByWatch })
		before := conn.Requests()
		for range 500 {
			create(root+"/jobs/job-", zk.FlagSequence)
		}
		create(root+"/e", 0)
		f.awaitLeaders(t, root, map[string]string{"/e": create(root+"/e/n_", clienttest.Contender)[len(root)+3:]})
		if asked := conn.Requests() - before; asked > 200 {
			t.Errorf("%d requests for 500 jobs", asked)
		}
	})
}
