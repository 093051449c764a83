package discover_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/discover"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

const quick = 100_000 // requests per second, in effect no limit

func walk(t *testing.T, conn *client.Conn, cfg discover.Config) (map[string]discover.Found, discover.Progress) {
	t.Helper()
	found := make(map[string]discover.Found)
	cfg.Found = func(f discover.Found) {
		if _, twice := found[f.Path]; twice {
			t.Errorf("got %s twice, want each election once", f.Path)
		}
		found[f.Path] = f
	}
	var last discover.Progress
	cfg.Progress = func(p discover.Progress) {
		if p.Visited < last.Visited || p.Denied < last.Denied || p.Elections < last.Elections {
			t.Errorf("got progress %+v after %+v, want no smaller count", p, last)
		}
		last = p
	}
	p, err := discover.Walk(t.Context(), conn, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if p.Elections != len(found) {
		t.Errorf("got a count of %d elections, want %d, the number of calls of Found", p.Elections, len(found))
	}
	return found, p
}

const (
	uuid = "_c_0a1b2c3d-1111-2222-3333-44445555666"
	hex  = "0123456789abcdef0123456789abcde"
)

func createSystems(t *testing.T, raw *zk.Conn, root string) {
	create := electiontest.Creator(t, raw)
	for _, p := range []string{
		"", "/a", "/a/latch", "/a/b", "/a/b/c", "/a/b/c/kazoo", "/ours", "/kafka", "/sem", "/sem/leases", "/sem/locks",
		"/mixed", "/app", "/app/CONTROLLER", "/solo", "/solo/with", "/solo/with/config", "/solo/with/config/beside",
		"/solo/with/config/beside/settings", "/queue", "/empty", "/leaves", "/leases", "/leases-__lock__", "/digests",
	} {
		create(root+p, 0)
	}
	for i := range 3 {
		create(fmt.Sprintf("%s/a/latch/%s%d-latch-", root, uuid, i), electiontest.Contender)
		create(fmt.Sprintf("%s/a/b/c/kazoo/%s%d__lock__", root, hex, i), electiontest.Contender)
		create(fmt.Sprintf("%s/ours/%s%d-n_", root, hex, i), electiontest.Contender)
		create(fmt.Sprintf("%s/sem/leases/%s%d-lease-", root, uuid, i), electiontest.Contender)
		create(fmt.Sprintf("%s/sem/locks/%s%d-lock-", root, uuid, i), electiontest.Contender)
		create(fmt.Sprintf("%s/solo/with/config/beside/%s%d-lock-", root, uuid, i), electiontest.Contender)
		create(root+"/mixed/whatever+", electiontest.Contender)
		create(fmt.Sprintf("%s/leases/%s%d", root, hex, i), zk.FlagEphemeral)
		create(fmt.Sprintf("%s/leases-__lock__/%s%d__lock__", root, hex, i), electiontest.Contender)
		create(fmt.Sprintf("%s/digests/%s%d", root, hex, i), zk.FlagEphemeral) // no semaphore without /digests-__lock__
		create(root+"/queue/qn-", zk.FlagSequence)
		create(fmt.Sprint(root, "/leaves/", i), zk.FlagEphemeral)
	}
	for path, data := range map[string]string{"/kafka/controller": `{"version":1,"brokerid":1}`, "/app/CONTROLLER/LEADER": `{"id":"host1_12000","simpleFields":{}}`} {
		if _, err := raw.Create(root+path, []byte(data), zk.FlagEphemeral, electiontest.Open); err != nil {
			t.Fatal(err)
		}
	}
	create(root+"/mixed/qn-", zk.FlagSequence)
}

func TestWalkRecognisesSystems(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := electiontest.ElectionPath(t)
		createSystems(t, zktest.Client(t, addr), root)
		want := map[string]string{
			"/a/latch":                 "curator-latch",
			"/a/b/c/kazoo":             "kazoo-lock",
			"/ours":                    "electop",
			"/kafka/controller":        "kafka",
			"/sem/leases":              "curator-semaphore",
			"/mixed":                   "unknown",
			"/leases":                  "kazoo-semaphore",
			"/app/CONTROLLER/LEADER":   "helix",
			"/solo/with/config/beside": "curator-lock",
		}
		conn := electiontest.Connected(t, electiontest.Config(t, addr))
		found, p := walk(t, conn, discover.Config{Root: root, PerSecond: quick})
		for path, id := range want {
			f, ok := found[root+path]
			if !ok {
				t.Errorf("got no election at %s, want %s", path, id)
				continue
			}
			if f.Dialect.ID != id {
				t.Errorf("%s: got dialect %s, want %s", path, f.Dialect.ID, id)
			}
			j := doctor.NewJournal(model.Config{Path: f.Path})
			j.Apply(f.Read)
			if s := j.State(); s.Leader() == nil || s.Phase != model.Live || s.Queue.Len() != f.Contenders && path != "/mixed" {
				t.Errorf("%s: got phase %s, leader %v, %d candidates; want %s, a leader, %d", path, s.Phase, s.Leader(), s.Queue.Len(), model.Live, f.Contenders)
			}
			delete(found, root+path)
		}
		for path, want := range map[string]string{"/queue": "simple-queue", "/digests": "ids", "/leaves": "group"} {
			if f := found[root+path]; f.Dialect == nil || f.Dialect.ID != want {
				t.Errorf("%s: got %+v, want %s", path, f.Dialect, want)
			}
			delete(found, root+path)
		}
		if len(found) > 0 {
			t.Errorf("got other elections %q, want none", slices.Collect(maps.Keys(found)))
		}
		if p.Stopped != "" || p.Denied != 0 || p.Skipped != 0 || !p.Complete() {
			t.Errorf("got progress %+v, want a complete walk", p)
		}
		known := discover.Config{Root: root + "/empty", PerSecond: quick, Leaves: true, Known: map[string]*dialect.Dialect{root + "/empty": nil}}
		conn.Set(t.Context(), known.Root, nil, -1) // a kazoo barrier has no data
		if found, _ := walk(t, conn, known); found[known.Root].Dialect.Kind() != dialect.KindBarrier {
			t.Errorf("got results %+v, want a barrier at %s", found, known.Root)
		}
		for _, path := range []string{"/a/latch", "/kafka/controller"} {
			if found, _ := walk(t, conn, discover.Config{Root: root + path, PerSecond: quick}); len(found) != 1 {
				t.Errorf("from %s: got %d elections, want 1", path, len(found))
			}
		}
		if _, err := discover.Walk(t.Context(), conn, discover.Config{Root: root + "/nowhere"}); !errors.Is(err, discover.ErrNoRoot) {
			t.Errorf("from a missing root: got error %v, want %v", err, discover.ErrNoRoot)
		}
	})
}

func TestWalkIsBounded(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := electiontest.ElectionPath(t)
		c := zktest.Client(t, addr)
		create := electiontest.Creator(t, c)
		path := root
		create(path, 0)
		for range 12 {
			path += "/deeper"
			create(path, 0)
		}
		create(path+"/n_", electiontest.Contender)
		create(root+"/secret", 0)
		create(root+"/secret/n_", electiontest.Contender)
		create(root+"/half", 0)
		inside := create(root+"/half/n_", electiontest.Contender)
		if err := c.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{root + "/secret", inside} {
			if _, err := c.SetACL(p, zk.DigestACL(zk.PermAll, "u", "p"), -1); err != nil {
				t.Fatal(err)
			}
		}
		conn := electiontest.Connected(t, electiontest.Config(t, addr))

		found, p := walk(t, conn, discover.Config{Root: root, PerSecond: quick, Depth: 20})
		if len(found) != 2 || p.Denied != 1 || p.Stopped != "" || p.Complete() {
			t.Errorf("got %d elections, progress %+v; want 2, 1 denied, no bound reached", len(found), p)
		}
		// The stat shows a candidate's session even if its data is forbidden.
		if f := found[root+"/half"]; f.Read == nil || len(f.Read.New) != 1 || !f.Read.New[0].Data.Denied || f.Read.New[0].Session == 0 {
			t.Errorf("with forbidden data: got read %+v, want one candidate with its session", f.Read)
		}
		if found, p := walk(t, conn, discover.Config{Root: root, PerSecond: quick, Depth: 5}); len(found) != 1 || p.Stopped != "depth" || p.Complete() {
			t.Errorf("depth 5: got %d elections, progress %+v; want 1, stopped by depth", len(found), p)
		}
		if _, p := walk(t, conn, discover.Config{Root: root, PerSecond: quick, Nodes: 3}); p.Visited != 3 || p.Stopped != "nodes" {
			t.Errorf("at most 3 znodes: got progress %+v, want 3 visits, stopped by nodes", p)
		}
		_, err := discover.Walk(t.Context(), conn, discover.Config{PerSecond: quick, Depth: 2, Progress: func(p discover.Progress) {
			if strings.HasPrefix(p.Path, "/zookeeper") {
				t.Errorf("got a visit of %s, want none", p.Path)
			}
		}})
		if err != nil {
			t.Error(err)
		}
		if _, p := walk(t, conn, discover.Config{Root: "/zookeeper", PerSecond: quick}); p.Visited < 2 {
			t.Errorf("from /zookeeper: got progress %+v, want at least 2 visits", p)
		}
		ctx, cancel := context.WithCancel(t.Context())
		p, err = discover.Walk(ctx, conn, discover.Config{Root: root, PerSecond: quick, Progress: func(p discover.Progress) {
			if p.Visited == 4 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || p.Visited < 4 || p.Visited > 5 {
			t.Errorf("cancelled at visit 4: got progress %+v, error %v; want 4 or 5 visits, %v", p, err, context.Canceled)
		}
	})
}

func TestWalkCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		create := electiontest.Creator(t, c)
		for _, p := range []string{"/registry", "/jobs", "/crowd", "/flat"} {
			create(p, 0)
		}
		const many = 3000
		for i := range many {
			create(fmt.Sprint("/registry/host-", i), zk.FlagEphemeral)
			create("/jobs/qn-", zk.FlagSequence)
			create("/crowd/n_", electiontest.Contender)
		}
		for i := range 100 { // each has a child, so a walk skips none
			create(fmt.Sprint("/flat/", i), 0)
			create(fmt.Sprint("/flat/", i, "/x"), 0)
		}
		cfg := electiontest.Conn(server, nil)
		cfg.SessionTimeout, cfg.BufferSize, cfg.MaxReply = time.Hour, 0, 0
		conn := electiontest.Connected(t, cfg)
		defer conn.Close()
		requests := func() (n int64) {
			for op, count := range server.Counters().Requests {
				if op != wire.OpPing {
					n += count
				}
			}
			return n
		}
		before, began := server.Counters().Requests, time.Now()
		start := requests()
		const rate = 50
		found, p := walk(t, conn, discover.Config{PerSecond: rate})
		sent, took := requests()-start, time.Since(began)
		if limit := took.Seconds()*rate + 5; float64(sent) > limit {
			t.Errorf("got %d requests in %v, want at most %.0f", sent, took, limit)
		}
		if sent > 1000 {
			t.Errorf("got %d requests for %d znodes, want at most 1000", sent, 3*many)
		}
		for op, n := range server.Counters().Requests {
			switch op {
			case wire.OpExists, wire.OpGetData, wire.OpGetChildren2, wire.OpPing:
			default:
				if n != before[op] {
					t.Errorf("got %d requests of %v, want 0", n-before[op], op)
				}
			}
		}
		if n := electiontest.Watches(t, server); n != 0 {
			t.Errorf("got %d watches, want 0", n)
		}
		f := found["/crowd"]
		if len(found) != 3 || found["/registry"].Dialect.Kind() != dialect.KindGroup || found["/jobs"].Dialect.Kind() != dialect.KindQueue || !f.Partial || f.Contenders != many || p.Skipped != many-64 || !p.Complete() {
			t.Errorf("got %d results, %s, %s, /crowd partial %v with %d contenders, progress %+v; want 3, group, queue, true, %d, %d skipped",
				len(found), found["/registry"].Dialect.Kind(), found["/jobs"].Dialect.Kind(), f.Partial, f.Contenders, p, many, many-64)
		}
		if first := slices.MinFunc(f.Read.New, func(a, b znode.Znode) int { return strings.Compare(a.Name, b.Name) }); first.Name != "n_0000000000" {
			t.Errorf("got first candidate %s, want n_0000000000", first.Name)
		}
	})
}

func TestWalkSkipsTooLargeLists(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		root := electiontest.ElectionPath(t)
		create := electiontest.Creator(t, zktest.Client(t, addr))
		create(root, 0)
		for _, p := range []string{"/long", "/many", "/z"} {
			create(root+p, 0)
		}
		for i := range 10 {
			create(fmt.Sprint(root, "/long/", i, strings.Repeat("x", 300)), 0)
		}
		for i := range 40 {
			create(fmt.Sprint(root, "/many/", i), 0)
		}
		create(root+"/z/n_", electiontest.Contender)
		cfg := electiontest.Config(t, addr)
		cfg.MaxReply = 2 << 10
		conn := electiontest.Connected(t, cfg)
		session := conn.Status().SessionID
		found, p := walk(t, conn, discover.Config{Root: root, PerSecond: quick})
		if len(found) != 1 || p.Skipped != 1+40 || p.Complete() {
			t.Errorf("got %d elections, progress %+v; want 1, 41 skipped", len(found), p)
		}
		want := []discover.Skip{
			{Path: root + "/long", Znodes: 1, Why: discover.TooLarge, Limit: cfg.MaxReply},
			{Path: root + "/many", Znodes: 40, Why: discover.TooLarge, Limit: cfg.MaxReply},
		}
		if !slices.Equal(p.Skips, want) {
			t.Errorf("got skips %+v, want %+v", p.Skips, want)
		}
		if s := conn.Status(); s.SessionID != session {
			t.Errorf("got session %#x, want %#x, the same", s.SessionID, session)
		}
	})
}

func TestWalkKeepsItsRateAfterASlowReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{}
		var mu sync.Mutex
		var times []time.Time
		p.Answer = func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.Opcode == wire.OpPing {
				return false
			}
			mu.Lock()
			times = append(times, time.Now())
			n := len(times)
			mu.Unlock()
			if n == 20 {
				time.Sleep(3 * time.Second)
			}
			switch f.Opcode {
			case wire.OpExists:
				stat := make([]byte, 68)
				stat[59] = 2 // numChildren
				reply(xid, 0, stat)
			case wire.OpGetChildren2:
				body := []byte{0, 0, 0, 2, 0, 0, 0, 1, 'a', 0, 0, 0, 1, 'b'}
				reply(xid, 0, append(body, make([]byte, 68)...))
			default:
				reply(xid, -101, nil)
			}
			return true
		}
		c := p.Session(t, func(cfg *client.Config) { cfg.SessionTimeout = time.Hour })
		if _, err := discover.Walk(t.Context(), c, discover.Config{PerSecond: 10, Nodes: 100}); err != nil {
			t.Fatal(err)
		}
		if len(times) < 100 {
			t.Fatalf("got %d requests, want at least 100", len(times))
		}
		for i := range times {
			j := i
			for j < len(times) && times[j].Sub(times[i]) < time.Second {
				j++
			}
			if j-i > 14 {
				t.Fatalf("got %d requests within a second from request %d on, want at most 14", j-i, i)
			}
		}
	})
}

func TestDeletedZnodeIsNoBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
			switch f.Opcode {
			case wire.OpExists:
				reply(xid, 0, make([]byte, 68))
			case wire.OpGetData:
				reply(xid, int32(wire.NoNode), nil)
			}
			return f.Opcode == wire.OpExists || f.Opcode == wire.OpGetData
		}}
		if found, _ := walk(t, p.Session(t), discover.Config{Root: "/b", PerSecond: quick, Leaves: true}); len(found) != 0 {
			t.Errorf("got %v, want nothing: the znode was deleted before the read", found)
		}
	})
}

func TestWalkThroughAChangingTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seed := zktest.Seed(t)
		random := rand.New(rand.NewPCG(seed, 0))
		server, c := electiontest.Embedded(t)
		names := []string{"a", "b", "leases", "locks", "controller", "n_", uuid + "0-lock-", uuid + "0-lease-", hex + "0__lock__", "\u202e", "{}", "-", "member_"}
		var paths []string
		grow := func() {
			path := ""
			if len(paths) > 0 && random.IntN(4) > 0 {
				path = paths[random.IntN(len(paths))]
			}
			name := names[random.IntN(len(names))]
			flags := []int32{0, 0, zk.FlagEphemeral, electiontest.Contender, zk.FlagSequence}[random.IntN(5)]
			if p, err := c.Create(path+"/"+name, []byte(name), flags, electiontest.Open); err == nil {
				paths = append(paths, p)
			}
		}
		for range 300 {
			grow()
		}
		conn := electiontest.Connected(t, electiontest.Conn(server, nil))
		defer conn.Close()
		for round := range 5 {
			p, err := discover.Walk(t.Context(), conn, discover.Config{PerSecond: 200, Progress: func(p discover.Progress) {
				if p.Visited%20 == 0 {
					for range 10 {
						grow()
						if len(paths) > 0 {
							c.Delete(paths[random.IntN(len(paths))], -1)
						}
					}
				}
				if p.Visited%70 == 0 {
					electiontest.Restart(server, time.Second)
				}
			}})
			if err != nil {
				t.Fatalf("seed %d, round %d: got progress %+v, error %v", seed, round, p, err)
			}
		}
	})
}

func TestWalkBoundsTheSizeOfQueuedNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 200<<10)
		stat := func(children uint32) []byte {
			b := make([]byte, 68)
			binary.BigEndian.PutUint32(b[56:], children)
			return b
		}
		p := &electiontest.Peer{Answer: func(f electiontest.Request, reply func(xid, code int32, body []byte), xid int32) bool {
			if f.Opcode != wire.OpExists && f.Opcode != wire.OpGetChildren2 {
				return false
			}
			path := string(f.Body[4 : 4+binary.BigEndian.Uint32(f.Body)])
			children, name := uint32(0), ""
			switch strings.Count(path, "/") {
			case 1:
				children, name = 20, "d"
			case 2:
				children, name = 10, long
			}
			if f.Opcode == wire.OpExists {
				reply(xid, 0, stat(children))
				return true
			}
			names := binary.BigEndian.AppendUint32(nil, children)
			for i := range children {
				s := fmt.Sprintf("%s%c", name, 'a'+i)
				names = append(binary.BigEndian.AppendUint32(names, uint32(len(s))), s...)
			}
			reply(xid, 0, append(names, stat(children)...))
			return true
		}}
		c := electiontest.Connected(t, client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, SessionTimeout: 9 * time.Second, Dial: p.Dial})
		found, progress := walk(t, c, discover.Config{Root: "/root"})
		if len(found) != 0 || progress.Stopped != "nodes" || progress.Visited < 100 || progress.Visited >= 1+20+200 {
			progress.Path = ""
			t.Errorf("got %d elections, progress %+v; want none, stopped by nodes after 100 to 220 visits", len(found), progress)
		}
	})
}

func TestMain(m *testing.M) { zktest.Main(m) }
