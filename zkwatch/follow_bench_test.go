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
// until the state of the feed shows it (bare: until the notification, or the data, is
// there). Each follows an election of its own, and blocks of changes alternate in one
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
	n     int                   // znodes
	meter *meter                // nil: nobody follows
	await func(n int) time.Time // returns when n znodes were shown
	ping  func()
	pause time.Duration // between changes

	creates, deletes kindOfChange
	cpu              []time.Duration // of the server, per change
}

type kindOfChange struct {
	all    []time.Duration
	blocks map[int]time.Duration // medians, by round
	bytes  int64
	asked  int64
	n      int64
}

func newKind() kindOfChange { return kindOfChange{blocks: make(map[int]time.Duration)} }

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
			f.await = func(int) time.Time { return receiveTime(b, w.seen) }
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
	live := feed.New(feed.Config{Election: model.Config{Path: f.path}})
	o := observer.New(observer.Config{
		Conn: client.Config{Servers: servers, SessionTimeout: bareTimeout, Dial: f.meter.dial},
		Path: f.path, Follow: by, Put: live.PutSlowly, Now: feed.Now,
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
	f.await = func(n int) time.Time {
		timeout := time.After(electiontest.WaitFor)
		for {
			select {
			case s := <-states:
				if s.n == n {
					return s.at
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
	var took []time.Duration
	var bytes, asked int64
	if f.meter != nil {
		bytes, asked = f.meter.read()
	}
	for i := range followBlock {
		time.Sleep(f.pause)
		begin := time.Now()
		n := change(i)
		if f.await != nil {
			took = append(took, f.await(n).Sub(begin))
		}
	}
	if f.meter == nil {
		return
	}
	bytesAfter, askedAfter := f.meter.read()
	k.bytes += bytesAfter - bytes
	k.asked += askedAfter - asked
	k.n += followBlock
	k.all = append(k.all, took...)
	k.blocks[round] = median(took)
}

func (f *follower) report(b *testing.B, nobody, bare *follower) {
	for _, k := range []struct {
		name      string
		own, bare *kindOfChange
	}{{"create", &f.creates, &bare.creates}, {"delete", &f.deletes, &bare.deletes}} {
		name := f.name + "-" + k.name
		b.ReportMetric(float64(median(k.own.all))/1e3, name+"-µs")
		b.ReportMetric(float64(k.own.bytes)/float64(k.own.n), name+"-bytes")
		b.ReportMetric(float64(k.own.asked)/float64(k.own.n), name+"-requests")
		if f != bare {
			var ratios []float64
			for round, d := range k.own.blocks {
				ratios = append(ratios, float64(d)/float64(k.bare.blocks[round]))
			}
			ratio, lo, hi := medianInterval(ratios)
			b.ReportMetric(ratio, name+"-ratio")
			b.ReportMetric(lo, name+"-lo95")
			b.ReportMetric(hi, name+"-hi95")
		}
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
