package zkwatch_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

type benchElection struct {
	*zk.Conn
	b          *testing.B
	addr, path string
}

func newBenchElection(b *testing.B, addr string) *benchElection {
	return &benchElection{zktest.Client(b, addr), b, addr, fmt.Sprintf("/e%x", time.Now().UnixNano())}
}

func (r *benchElection) create(path string, flags int32) string {
	created, err := r.Create(path, []byte("bare"), flags, electiontest.Open)
	if err != nil {
		r.b.Fatalf("create %s: %v", path, err)
	}
	return created
}

func (r *benchElection) delete(path string) {
	if err := r.Delete(path, -1); err != nil {
		r.b.Fatalf("delete %s: %v", path, err)
	}
}

func (r *benchElection) config() client.Config {
	servers, err := client.ParseConnectString(r.addr)
	if err != nil {
		r.b.Fatal(err)
	}
	return client.Config{Servers: servers, SessionTimeout: 10 * time.Second}
}

func receive[T any](b *testing.B, ch <-chan T) T {
	select {
	case v := <-ch:
		return v
	case <-time.After(electiontest.WaitFor):
		b.Fatalf("the successor reported nothing within %v", electiontest.WaitFor)
		panic("unreachable")
	}
}

// BenchmarkHandoff compares electop's candidate with floor: a client that only watches, and then lists the children.
func BenchmarkHandoff(b *testing.B) {
	addr := zktest.NewApache(b, zktest.ForSpeed()).Addr
	for _, n := range []int{3, 50, 500} {
		b.Run(fmt.Sprintf("candidates=%d", n), func(b *testing.B) {
			r := newBenchElection(b, addr)
			r.create(r.path, 0)
			for i := range n - 2 {
				r.create(fmt.Sprintf("%s/guid-n_%d", r.path, math.MaxInt32-n+i), zk.FlagEphemeral)
			}
			var candidates, floor []time.Duration
			for range 20 {
				r.handoff(r.candidate)
				r.handoff(r.floor)
			}
			for b.Loop() {
				candidates = append(candidates, r.handoff(r.candidate))
				floor = append(floor, r.handoff(r.floor))
			}
			slices.Sort(candidates)
			slices.Sort(floor)
			candidateMedian, floorMedian := candidates[len(candidates)/2], floor[len(floor)/2]
			b.ReportMetric(0, "ns/op") // hides ns/op, which includes the preparations
			b.ReportMetric(float64(candidateMedian.Microseconds()), "candidate-µs")
			b.ReportMetric(float64(candidateMedian)/float64(floorMedian), "x-floor")
		})
	}
}

// handoff returns the time from the delete request until the time that the successor sends to elected.
func (r *benchElection) handoff(join func(leader string, elected chan<- time.Time) (end func())) time.Duration {
	leader := r.create(r.path+"/guid-n_", electiontest.Contender)
	elected := make(chan time.Time, 1)
	end := join(leader, elected)
	defer end()
	if _, _, err := r.Exists(leader); err != nil { // a round trip gives the successor time to become idle
		r.b.Fatal(err)
	}
	began := time.Now()
	r.delete(leader)
	return receive(r.b, elected).Sub(began)
}

func (r *benchElection) candidate(_ string, elected chan<- time.Time) func() {
	waiting, ended := make(chan bool, 1), make(chan bool)
	last := model.Member{}
	c := candidate.New(candidate.Config{
		Conn: r.config(), Path: r.path, Data: []byte("bare"), Recipe: dialect.Election(),
		Report: func(_ time.Time, m model.Member) {
			switch {
			case m.Belief == model.Waiting && m.Watches != "" && last.Watches == "":
				waiting <- true
			case m.Belief == model.Elected && last.Belief != model.Elected:
				elected <- time.Now()
			}
			last = m
		},
	})
	ctx, cancel := context.WithCancel(r.b.Context())
	go func() {
		defer close(ended)
		c.Run(ctx)
	}()
	receive(r.b, waiting)
	return func() {
		cancel()
		<-ended
	}
}

func (r *benchElection) floor(leader string, elected chan<- time.Time) func() {
	c := newBenchElection(r.b, r.addr)
	c.create(r.path+"/"+strings.Repeat("f", 32)+"-n_", electiontest.Contender)
	_, _, gone, err := c.GetW(leader)
	if err != nil {
		r.b.Fatalf("getData %s: %v", leader, err)
	}
	go func() {
		<-gone
		c.Children(r.path)
		elected <- time.Now()
	}()
	return c.Close
}

func BenchmarkFollow(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("candidates=%d", n), func(b *testing.B) {
			_, addr := zkserver.Start(b, zkserver.Options{})
			r := newBenchElection(b, addr)
			r.create(r.path, 0)
			for range n {
				r.create(r.path+"/n_", electiontest.Contender)
			}
			var m meter
			live := feed.New(feed.Config{Election: model.Config{Path: r.path}})
			conn := r.config()
			conn.Dial = m.dial
			o := observer.New(observer.Config{Conn: conn, Path: r.path, Now: feed.Now, Put: live.PutSlowly})
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan error, 2)
			go func() { ended <- live.Run(ctx) }()
			go func() { o.Run(ctx); ended <- nil }()
			defer func() { cancel(); <-ended; <-ended }()
			shows := func(n int) {
				if _, err := live.Await(ctx, electiontest.QueueOf(n)); err != nil {
					b.Fatal(err)
				}
			}
			shows(n)
			var created, deleted int64
			before := m.requests.Load()
			for b.Loop() {
				began := m.bytes.Load()
				path := r.create(r.path+"/n_", electiontest.Contender)
				shows(n + 1)
				between := m.bytes.Load()
				r.delete(path)
				shows(n)
				created, deleted = created+between-began, deleted+m.bytes.Load()-between
			}
			b.ReportMetric(float64(created)/float64(b.N), "bytes/create")
			b.ReportMetric(float64(deleted)/float64(b.N), "bytes/delete")
			b.ReportMetric(float64(m.requests.Load()-before)/float64(2*b.N), "requests/change")
		})
	}
}

// A meter counts a client's bytes and requests. It ignores pings, but counts the bytes of their replies.
type meter struct{ bytes, requests atomic.Int64 }

func (m *meter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	return &metered{c, m}, err
}

type metered struct {
	net.Conn
	m *meter
}

func (c *metered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.m.bytes.Add(int64(n))
	return n, err
}

func (c *metered) Write(p []byte) (int, error) {
	if len(p) < 8 || int32(binary.BigEndian.Uint32(p[4:])) != wire.XidPing {
		c.m.requests.Add(1)
		c.m.bytes.Add(int64(len(p)))
	}
	return c.Conn.Write(p)
}
