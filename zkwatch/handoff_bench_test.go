package zkwatch_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch"
	"electop/zkwatch/wire"
)

const (
	// handoffBlock is how many handoffs in a row are of the same kind. A block
	// takes some tens of milliseconds: what else the machine does meets both
	// blocks of a pair.
	handoffBlock = 15

	// handoffPairs is the least number of pairs of blocks: enough for an interval
	// that does not hang on the two extremes.
	handoffPairs = 30
)

// BenchmarkHandoff measures from the sending of the delete that takes the
// leader's znode away until the successor knows that it leads, among 3, 50 and
// 500 contenders, and compares a [zkwatch.Candidate] with a floor: the bare
// client library, which does nothing but wait for the one notification and
// send the one getChildren. The deleting client is bare and the same for both.
//
// Blocks of both kinds alternate in one run. Reported are the medians of all
// handoffs, the median over the pairs of blocks of the ratio of their medians,
// with its 95 % confidence interval by order statistics, and the requests and
// notifications of a candidate's handoff until it is acknowledged, as counted
// by the embedded server. Nothing is asserted about time.
func BenchmarkHandoff(b *testing.B) {
	sizes := []int{3, 50, 500}
	b.Run("embedded", func(b *testing.B) {
		for _, n := range sizes {
			b.Run(fmt.Sprintf("contenders=%d", n), func(b *testing.B) {
				server, addr := zkserver.Start(b, zkserver.Options{})
				benchmarkHandoff(b, addr, server, n)
			})
		}
	})
	b.Run("apache", func(b *testing.B) {
		addr := zktest.Apache(b).Addr
		for _, n := range sizes {
			b.Run(fmt.Sprintf("contenders=%d", n), func(b *testing.B) { benchmarkHandoff(b, addr, nil, n) })
		}
	})
}

// benchmarkHandoff runs pairs of blocks. server is nil where nothing counts.
func benchmarkHandoff(b *testing.B, addr string, server *zkserver.Server, contenders int) {
	h := newHandoffs(b, addr, contenders)
	var cost handoffCosts
	candidate := func() time.Duration { return h.once(h.candidate, server, &cost) }
	floor := func() time.Duration { return h.once(h.floor, nil, nil) }

	h.block(candidate) // a server that has just been started is slow
	h.block(floor)
	var candidates, floors []time.Duration
	var ratios []float64
	pair := func() {
		var c, f []time.Duration
		if len(ratios)%2 == 0 { // a drift favours neither
			c, f = h.block(candidate), h.block(floor)
		} else {
			f, c = h.block(floor), h.block(candidate)
		}
		candidates, floors = append(candidates, c...), append(floors, f...)
		ratios = append(ratios, float64(median(c))/float64(median(f)))
	}
	for b.Loop() {
		pair()
	}
	for len(ratios) < handoffPairs {
		pair()
	}

	ratio, lo, hi := medianInterval(ratios)
	b.ReportMetric(0, "ns/op") // of a pair with all its preparations: says nothing
	b.ReportMetric(float64(median(floors))/1e3, "floor-µs")
	b.ReportMetric(float64(median(candidates))/1e3, "candidate-µs")
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(lo, "ratio-lo95")
	b.ReportMetric(hi, "ratio-hi95")
	cost.report(b)
}

// BenchmarkHandoffHerd counts what a handoff among 50 costs when everybody
// watches the leader, for comparison: all are notified, all list the children
// and all but one set a watch again.
func BenchmarkHandoffHerd(b *testing.B) {
	const contenders = 50
	server, addr := zkserver.Start(b, zkserver.Options{})
	h := newHandoffs(b, addr, 0)
	// The first number of all, given by name: it leads whoever came before it.
	leader := model.Join(h.path, strings.Repeat("0", 32)+"-n_0000000000")
	h.create(leader, zk.FlagEphemeral)
	var queue []*successor
	join := func() {
		c := h.stand(model.Herd())
		h.receive(c.waiting)
		queue = append(queue, c)
	}
	for range contenders - 1 {
		join()
	}

	var cost handoffCosts
	var took []time.Duration
	for b.Loop() {
		before := server.Counters()
		begin := time.Now()
		h.delete(leader)
		next := queue[0]
		queue = queue[1:]
		took = append(took, h.receive(next.knew).Sub(begin))
		h.receive(next.led)
		h.receiveAll(queue) // they wait behind it now
		cost.add(before, server.Counters())

		// A bare leader in front again, and another contender at the tail.
		h.create(leader, zk.FlagEphemeral)
		next.leave()
		h.receiveAll(queue)
		join()
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(took))/1e3, "candidate-µs")
	cost.report(b)
}

// handoffs is an election in which the leader is a bare znode each time.
type handoffs struct {
	b          *testing.B
	addr, path string
	bare       *zk.Conn // creates and deletes leaders
}

// newHandoffs returns an election with all of its contenders but the leader and
// its successor. Those are named with numbers above any that the server will
// give, so that they stand behind every successor to come.
func newHandoffs(b *testing.B, addr string, contenders int) *handoffs {
	h := &handoffs{b: b, addr: addr, path: fmt.Sprintf("/h%x", time.Now().UnixNano())}
	h.bare = h.connect()
	b.Cleanup(h.bare.Close)
	h.create(h.path, 0)
	for i := range contenders - 2 {
		h.create(fmt.Sprintf("%s/%032x-n_%d", h.path, i, math.MaxInt32-contenders+i), zk.FlagEphemeral)
	}
	return h
}

// connect returns a bare client with the buffers that a candidate gets.
func (h *handoffs) connect() *zk.Conn {
	c, events, err := zk.Connect([]string{h.addr, h.addr}, 10*time.Second, zk.WithLogger(silent{}),
		zk.WithMaxBufferSize(256<<10), zk.WithMaxConnBufferSize(16<<10))
	if err != nil {
		h.b.Fatal(err)
	}
	go func() { // ends with the client
		for range events {
		}
	}()
	return c
}

func (h *handoffs) create(path string, flags int32) string {
	created, err := h.bare.Create(path, []byte("bare"), flags, zk.WorldACL(zk.PermAll))
	if err != nil {
		h.b.Fatalf("create %s: %v", path, err)
	}
	return created
}

func (h *handoffs) delete(path string) {
	if err := h.bare.Delete(path, -1); err != nil {
		h.b.Fatalf("delete %s: %v", path, err)
	}
}

// A successor is one that has yet to learn of its luck.
type successor struct {
	waiting chan time.Time // its watch is set
	knew    chan time.Time
	led     chan time.Time // nothing more is to come
	leave   func()
}

func newSuccessor() *successor {
	return &successor{waiting: make(chan time.Time, 1), knew: make(chan time.Time, 1), led: make(chan time.Time, 1)}
}

func (h *handoffs) receive(ch <-chan time.Time) time.Time {
	select {
	case at := <-ch:
		return at
	case <-time.After(waitFor):
		h.b.Fatalf("no handoff within %v", waitFor)
		panic("unreachable")
	}
}

// receiveAll waits until each has set its watch.
func (h *handoffs) receiveAll(queue []*successor) {
	for _, c := range queue {
		h.receive(c.waiting)
	}
}

// candidate is the contender that is measured.
func (h *handoffs) candidate() *successor { return h.stand(model.Election()) }

func (h *handoffs) stand(recipe model.Recipe) *successor {
	servers, err := zkwatch.ParseConnectString(h.addr)
	if err != nil {
		h.b.Fatal(err)
	}
	c := newSuccessor()
	ctx, cancel := context.WithCancel(context.Background())
	candidate := zkwatch.NewCandidate(zkwatch.CandidateConfig{
		Conn:   zkwatch.Config{Servers: servers, BufferSize: 16 << 10, MaxReply: 256 << 10},
		Path:   h.path,
		Data:   []byte("bare"),
		Ack:    h.path + "-leader",
		Recipe: recipe,
		Report: func(_ time.Time, m model.Member) {
			switch {
			case m.Step == model.StepLowest && m.Belief == model.Elected:
				c.knew <- time.Now()
			case m.Belief == model.Waiting && m.Watches != "" && (m.Step == model.StepWatch || m.Step == model.StepWatchAgain):
				c.waiting <- time.Now()
			case m.Belief == model.Leading:
				c.led <- time.Now()
			}
		},
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		candidate.Run(ctx)
	}()
	c.leave = func() {
		cancel()
		<-ended
	}
	h.b.Cleanup(c.leave)
	return c
}

// floor is the least that a contender can do, with a new client as a candidate
// has one.
func (h *handoffs) floor() *successor {
	c := newSuccessor()
	client := h.connect()
	c.leave = client.Close
	h.b.Cleanup(c.leave)
	name := model.Join(h.path, strings.Repeat("f", 32)+"-n_")
	if _, err := client.Create(name, []byte("bare"), zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll)); err != nil {
		h.b.Fatalf("create %s: %v", name, err)
	}
	children, _, err := client.Children(h.path)
	if err != nil {
		h.b.Fatalf("getChildren %s: %v", h.path, err)
	}
	// The leader has the lowest number of all.
	leader := slices.MinFunc(children, func(x, y string) int { return strings.Compare(x[len(x)-10:], y[len(y)-10:]) })
	_, _, gone, err := client.GetW(model.Join(h.path, leader))
	if err != nil {
		h.b.Fatalf("getData %s: %v", leader, err)
	}
	go func() { // ends with the notification, which the client's end is too
		c.waiting <- time.Now()
		<-gone
		client.Children(h.path)
		now := time.Now()
		c.knew <- now
		c.led <- now
	}()
	return c
}

// once takes the leader away from before one contender and returns how long that
// was ignorant of it.
func (h *handoffs) once(enter func() *successor, server *zkserver.Server, cost *handoffCosts) time.Duration {
	leader := h.create(model.Join(h.path, strings.Repeat("0", 32)+"-n_"), zk.FlagEphemeral|zk.FlagSequence)
	c := enter()
	defer c.leave()
	h.receive(c.waiting)
	// A round trip later the successor is at rest, of whichever kind it is, and
	// the deleting client is not.
	if _, _, err := h.bare.Exists(leader); err != nil {
		h.b.Fatalf("exists %s: %v", leader, err)
	}
	var before zkserver.Counters
	if server != nil {
		before = server.Counters()
	}
	begin := time.Now()
	h.delete(leader)
	took := h.receive(c.knew).Sub(begin)
	h.receive(c.led)
	if server != nil {
		cost.add(before, server.Counters())
	}
	return took
}

func (h *handoffs) block(once func() time.Duration) []time.Duration {
	took := make([]time.Duration, handoffBlock)
	for i := range took {
		took[i] = once()
	}
	return took
}

// handoffCosts adds up what the server was asked and what it said, the delete
// and pings apart.
type handoffCosts struct{ handoffs, requests, notifications int64 }

func (k *handoffCosts) add(before, after zkserver.Counters) {
	k.handoffs++
	k.notifications += after.Notifications - before.Notifications
	for op, count := range after.Requests {
		if op != wire.OpPing && op != wire.OpDelete {
			k.requests += count - before.Requests[op]
		}
	}
}

func (k *handoffCosts) report(b *testing.B) {
	if k.handoffs == 0 {
		return
	}
	b.ReportMetric(float64(k.requests)/float64(k.handoffs), "requests/handoff")
	b.ReportMetric(float64(k.notifications)/float64(k.handoffs), "notifications/handoff")
}

func median(took []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(took))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// medianInterval returns the median of a sample and its 95 % confidence
// interval. How many of n independent values lie below the true median is
// binomially distributed, whatever the values are, so the k-th lowest and the
// k-th highest enclose it but for twice the probability of fewer than k.
func medianInterval(sample []float64) (median, lo, hi float64) {
	s := slices.Sorted(slices.Values(sample))
	n := len(s)
	p := math.Pow(0.5, float64(n)) // of exactly k below
	k := 0
	for sum := p; sum <= 0.025; sum += p {
		k++
		p *= float64(n-k+1) / float64(k)
	}
	k = max(k, 1)
	return (s[(n-1)/2] + s[n/2]) / 2, s[k-1], s[n-k]
}
