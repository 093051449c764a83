package zkwatch_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

const (
	// followBlock is how many creates, and then deletes, of one election follow each
	// other.
	followBlock  = 25
	followRounds = 36
	// readsEvery is in which rounds changes are followed by reads, which takes longer.
	readsEvery = 6
)

// BenchmarkFollow measures what one change among 10, 1,000 and 10,000 candidates costs
// on Apache ZooKeeper, for each way to follow it:
//
//	watch  electop, by a persistent recursive watch
//	reads  electop, by a read of the list for each notification
//	bare   the floor: a connection with such a watch, that reads created znodes
//
// The time counts from the request of a bare client that creates or deletes a znode,
// until the observer has told the model (bare: until the notification, or the data, is
// there), and until the state of the feed shows it. Each follows an election of its own, and blocks of changes alternate in one
// run. The server's CPU time is without that of the same changes in an election that
// nobody follows. Reported are medians over all changes, and of the blocks the median
// ratio to bare of the same round, with its 95 % interval. The changes by reads keep a distance that the observer does not delay.
// Nothing is asserted about time.
func BenchmarkFollow(b *testing.B) {
	server := zktest.NewApache(b, zktest.ForSpeed())
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprintf("candidates=%d", n), func(b *testing.B) { benchmarkFollow(b, server, n) })
	}
}

// A follower is one way to follow an election.
type follower struct {
	name  string
	path  string
	n     int                                 // znodes
	meter *meter                              // nil: nobody follows
	await func(n int) (told, shown time.Time) // waits until n znodes are shown
	ping  func()
	pause time.Duration // between changes

	creates, deletes kindOfChange
	cpu              []time.Duration // of the server, per change
}

type kindOfChange struct {
	told, shown times
	bytes       int64
	asked       int64
	n           int64
}

type times struct {
	all    []time.Duration
	blocks map[int]time.Duration // medians, by round
}

func newKind() kindOfChange {
	return kindOfChange{told: times{blocks: make(map[int]time.Duration)}, shown: times{blocks: make(map[int]time.Duration)}}
}

func (t *times) add(round int, took []time.Duration) {
	t.all = append(t.all, took...)
	t.blocks[round] = median(took)
}

// ratio is that of the blocks to those of the same round in floor.
func (t *times) ratio(floor *times) (ratio, lo, hi float64) {
	var ratios []float64
	for round, d := range t.blocks {
		ratios = append(ratios, float64(d)/float64(floor.blocks[round]))
	}
	return medianInterval(ratios)
}

func benchmarkFollow(b *testing.B, server *zktest.Server, n int) {
	raw, _, err := zk.Connect([]string{server.Addr}, 40*time.Second, zk.WithLogger(clienttest.Silent{}))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(raw.Close)
	var followers []*follower
	for _, name := range []string{"nobody", "bare", "watch", "reads"} {
		f := &follower{creates: newKind(), deletes: newKind(), name: name, path: fmt.Sprintf("/f%x", time.Now().UnixNano()), n: n, ping: func() {}}
		f.fill(b, raw)
		switch name {
		case "bare":
			w := newBareWatch(b, server.Addr, f.path)
			f.meter, f.ping = &w.meter, func() { w.ping(b) }
			f.await = func(int) (told, shown time.Time) {
				at := receiveTime(b, w.seen)
				return at, at
			}
		case "watch":
			f.observe(b, server.Addr, observer.FollowWatch)
		case "reads":
			f.observe(b, server.Addr, observer.FollowReads)
			f.pause = 40 * time.Millisecond
		}
		followers = append(followers, f)
	}
	warmUp := 2
	if n == 10 {
		warmUp = 8 // a server that has just been started is slow
	}
	for range warmUp {
		for _, f := range followers {
			f.block(b, raw, server, 0)
		}
	}
	for _, f := range followers {
		f.creates, f.deletes, f.cpu = newKind(), newKind(), nil
	}
	rounds := 0
	round := func() {
		for i := range followers { // a drift favours none
			f := followers[(i+rounds)%len(followers)]
			if f.pause == 0 || rounds%readsEvery == 0 {
				f.block(b, raw, server, rounds)
			}
		}
		rounds++
	}
	for b.Loop() {
		round()
	}
	for rounds < followRounds {
		round()
	}
	b.ReportMetric(0, "ns/op") // of a round: says nothing
	nobody, bare := followers[0], followers[1]
	for _, f := range followers[1:] {
		f.report(b, nobody, bare)
	}
}

// fill creates the election.
func (f *follower) fill(b *testing.B, raw *zk.Conn) {
	if _, err := raw.Create(f.path, nil, 0, clienttest.Open); err != nil {
		b.Fatal(err)
	}
	for left := f.n; left > 0; left -= 500 {
		var ops []any
		for range min(left, 500) {
			ops = append(ops, &zk.CreateRequest{Path: f.path + "/n_", Data: []byte("bare"), Acl: clienttest.Open, Flags: clienttest.Contender})
		}
		if _, err := raw.Multi(ops...); err != nil {
			b.Fatal(err)
		}
	}
}

// observe follows with an observer and its feed.
func (f *follower) observe(b *testing.B, addr string, by observer.Follow) {
	servers, err := client.ParseConnectString(addr)
	if err != nil {
		b.Fatal(err)
	}
	f.meter = new(meter)
	var told atomic.Pointer[time.Time] // when the model got the last change
	live := feed.New(feed.Config{Election: model.Config{Path: f.path}})
	o := observer.New(observer.Config{
		Conn: client.Config{Servers: servers, SessionTimeout: bareTimeout, Dial: f.meter.dial},
		Path: f.path, Follow: by, Now: feed.Now,
		Put: func(ctx context.Context, o model.Observation) {
			switch o.(type) {
			case *model.Delta, *model.Read:
				now := time.Now()
				told.Store(&now)
			}
			live.PutSlowly(ctx, o)
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { live.Run(ctx) })
	running.Go(func() { o.Run(ctx) })
	type shown struct {
		n  int
		at time.Time
	}
	states := make(chan shown, 100)
	running.Go(func() { // as the pump of the dashboard reads it
		last := -1
		for {
			select {
			case <-live.Dirty():
			case <-ctx.Done():
				return
			}
			if s := live.State(); s.Phase == model.Live && s.Queue.Len() != last {
				last = s.Queue.Len()
				states <- shown{last, time.Now()}
			}
		}
	})
	b.Cleanup(func() {
		cancel()
		running.Wait()
	})
	f.await = func(n int) (time.Time, time.Time) {
		timeout := time.After(electiontest.WaitFor)
		for {
			select {
			case s := <-states:
				if s.n == n {
					return *told.Load(), s.at
				}
			case <-timeout:
				b.Fatalf("%s: no state of %d candidates within %v", f.name, n, electiontest.WaitFor)
			}
		}
	}
	f.await(f.n)
}

// block makes followBlock creates and as many deletes.
func (f *follower) block(b *testing.B, raw *zk.Conn, server *zktest.Server, round int) {
	f.ping()
	before := server.CPU(b)
	var created []string
	f.changes(b, &f.creates, round, func(i int) int {
		path, err := raw.Create(f.path+"/n_", []byte("bare"), clienttest.Contender, clienttest.Open)
		if err != nil {
			b.Fatal(err)
		}
		created = append(created, path)
		return f.n + i + 1
	})
	f.changes(b, &f.deletes, round, func(i int) int {
		if err := raw.Delete(created[i], -1); err != nil {
			b.Fatal(err)
		}
		return f.n + followBlock - i - 1
	})
	f.cpu = append(f.cpu, (server.CPU(b)-before)/(2*followBlock))
}

// changes makes followBlock changes; change returns how many znodes there are after it.
func (f *follower) changes(b *testing.B, k *kindOfChange, round int, change func(i int) int) {
	var told, shown []time.Duration
	var bytes, asked int64
	if f.meter != nil {
		bytes, asked = f.meter.read()
	}
	for i := range followBlock {
		time.Sleep(f.pause)
		begin := time.Now()
		n := change(i)
		if f.await != nil {
			known, seen := f.await(n)
			told, shown = append(told, known.Sub(begin)), append(shown, seen.Sub(begin))
		}
	}
	if f.meter == nil {
		return
	}
	bytesAfter, askedAfter := f.meter.read()
	k.bytes += bytesAfter - bytes
	k.asked += askedAfter - asked
	k.n += followBlock
	k.told.add(round, told)
	k.shown.add(round, shown)
}

func (f *follower) report(b *testing.B, nobody, bare *follower) {
	for _, k := range []struct {
		name      string
		own, bare *kindOfChange
	}{{"create", &f.creates, &bare.creates}, {"delete", &f.deletes, &bare.deletes}} {
		name := f.name + "-" + k.name
		b.ReportMetric(float64(median(k.own.told.all))/1e3, name+"-µs")
		b.ReportMetric(float64(k.own.bytes)/float64(k.own.n), name+"-bytes")
		b.ReportMetric(float64(k.own.asked)/float64(k.own.n), name+"-requests")
		if f == bare {
			continue
		}
		ratio, lo, hi := k.own.told.ratio(&k.bare.told)
		b.ReportMetric(ratio, name+"-ratio")
		b.ReportMetric(lo, name+"-lo95")
		b.ReportMetric(hi, name+"-hi95")
		ratio, _, _ = k.own.shown.ratio(&k.bare.shown)
		b.ReportMetric(ratio, name+"-shown-ratio")
	}
	b.ReportMetric(float64(median(f.cpu)-median(nobody.cpu))/1e3, f.name+"-server-cpu-µs")
}

func receiveTime(b *testing.B, ch <-chan time.Time) time.Time {
	select {
	case at := <-ch:
		return at
	case <-time.After(electiontest.WaitFor):
		b.Fatalf("no notification within %v", electiontest.WaitFor)
		panic("unreachable")
	}
}

// A meter counts what passes over connections: bytes in both directions, and frames to
// the server but pings.
type meter struct{ bytes, requests atomic.Int64 }

func (m *meter) read() (bytes, requests int64) { return m.bytes.Load(), m.requests.Load() }

func (m *meter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return m.over(c), nil
}

func (m *meter) over(c net.Conn) net.Conn { return &metered{c, m} }

type metered struct {
	net.Conn
	m *meter
}

func (c *metered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.m.bytes.Add(int64(n))
	return n, err
}

// Write gets one frame at a time.
func (c *metered) Write(p []byte) (int, error) {
	if pinging := []byte{0xff, 0xff, 0xff, 0xfe}; len(p) < 8 || !slices.Equal(p[4:8], pinging) {
		c.m.requests.Add(1)
		c.m.bytes.Add(int64(len(p)))
	}
	return c.Conn.Write(p)
}
