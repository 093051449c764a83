package zkwatch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

const (
	// handoffBlock is how many handoffs in a row are of the same kind. What else
	// the machine does meets all blocks of a round.
	handoffBlock = 7
	// expiryBlock is the same where sessions have to expire, which takes time.
	expiryBlock = 2

	// handoffRounds is the least number of rounds: enough for an interval that
	// does not hang on the two extremes.
	handoffRounds = 12
)

// BenchmarkHandoff measures handoffs between two contenders of the same kind,
// among 3, 50 and 500, from the end of the leader on: until its successor knows
// that it is the lowest, and, for a [candidate.Candidate], until its
// acknowledgement is created, and until it leads: until its lease is proved, too.
// The kinds are
//
//	candidate  candidate.Candidate
//	floor      the bare client library: one notification and one getChildren; the
//	           leader's znode is one of a client that does nothing
//	recipe     the same, with a leader that went through the recipe itself
//	lock       Lock of the client library, until it returns
//
// A leader ends in one of three ways
//
//	deleted    somebody else deletes its znode; the time counts from the request
//	resigned   it resigns (candidate), closes its session (floor), deletes its
//	           znode (recipe) or unlocks (lock); from the call
//	expired    its process dies and its session expires; from when a bare client
//	           that watches the znode too is notified
//
// Blocks of all kinds alternate in one run. Reported are the medians of all
// handoffs and, for each kind but the floor, the median over the rounds of the
// ratio of its block's median to the floor's, with its 95 % confidence interval
// by order statistics. Nothing is asserted about time.
func BenchmarkHandoff(b *testing.B) {
	for _, s := range []struct {
		name string
		addr func(b *testing.B) string
	}{
		{"embedded", func(b *testing.B) string { _, addr := zkserver.Start(b, zkserver.Options{}); return addr }},
		{"standalone", func(b *testing.B) string { return zktest.NewApache(b, zktest.ForSpeed()).Addr }},
		{"ensemble", func(b *testing.B) string { return zktest.NewEnsemble(b, 3, zktest.ForSpeed()).ConnectString() }},
	} {
		b.Run(s.name, func(b *testing.B) {
			addr := s.addr(b)
			for _, end := range []string{"deleted", "resigned", "expired"} {
				for _, n := range []int{3, 50, 500} {
					b.Run(fmt.Sprintf("%s/contenders=%d", end, n), func(b *testing.B) { benchmarkHandoff(b, addr, end, n) })
				}
			}
		})
	}
}

func benchmarkHandoff(b *testing.B, addr, end string, contenders int) {
	h := newHandoffs(b, addr, contenders)
	h.end = end
	kinds := []struct {
		name  string
		enter func() *successor
	}{{"floor", h.floor}, {"candidate", h.candidate}, {"recipe", h.recipe}, {"lock", h.lock}}
	for _, k := range kinds { // a server that has just been started is slow
		h.block(k.enter)
	}
	all, ratios := make(map[string][]time.Duration), make(map[string][]float64)
	round := func(n int) {
		blocks := make(map[string]time.Duration)
		for i := range kinds { // a drift favours none
			k := kinds[(i+n)%len(kinds)]
			took := h.block(k.enter)
			for what, d := range took {
				name := what
				switch {
				case what == "knew":
					name = k.name
				case k.name != "candidate":
					continue
				}
				all[name] = append(all[name], d...)
				blocks[name] = median(d)
			}
		}
		for name, d := range blocks {
			ratios[name] = append(ratios[name], float64(d)/float64(blocks["floor"]))
		}
	}
	rounds := 0
	for b.Loop() {
		round(rounds)
		rounds++
	}
	for ; rounds < handoffRounds; rounds++ {
		round(rounds)
	}
	b.ReportMetric(0, "ns/op") // of a round with all its preparations: says nothing
	for _, name := range []string{"floor", "candidate", "recipe", "lock", "acked", "led"} {
		b.ReportMetric(float64(median(all[name]))/1e3, name+"-µs")
		if name != "floor" {
			ratio, lo, hi := medianInterval(ratios[name])
			b.ReportMetric(ratio, name+"-ratio")
			b.ReportMetric(lo, name+"-lo95")
			b.ReportMetric(hi, name+"-hi95")
		}
	}
}

// BenchmarkHandoffHerd counts what a handoff among 50 costs when everybody
// watches the leader, for comparison: all are notified, all list the children
// and all but one set a watch again.
func BenchmarkHandoffHerd(b *testing.B) {
	const contenders = 50
	server, addr := zkserver.Start(b, zkserver.Options{})
	h := newHandoffs(b, addr, 0)
	// The first number of all, given by name: it leads whoever came before it.
	leader := znode.Join(h.path, strings.Repeat("0", 32)+"-n_0000000000")
	h.create(leader, zk.FlagEphemeral)
	var queue []*successor
	join := func() {
		c := h.stand(dialect.Herd())
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

// handoffs is an election in which one leader follows the other.
type handoffs struct {
	b          *testing.B
	addr, path string
	end        string   // of the leader
	bare       *zk.Conn // creates and deletes znodes
}

// newHandoffs returns an election with all of its contenders but the leader and
// its successor. Those are named with numbers above any that the server will
// give, so that they stand behind every successor to come, and such that Lock of
// the client library takes them for locks.
func newHandoffs(b *testing.B, addr string, contenders int) *handoffs {
	h := &handoffs{b: b, addr: addr, path: fmt.Sprintf("/h%x", time.Now().UnixNano())}
	h.bare, _ = h.connect()
	b.Cleanup(h.bare.Close)
	h.create(h.path, 0)
	for i := range contenders - 2 {
		h.create(fmt.Sprintf("%s/_c_%032x-lock-%d", h.path, i, math.MaxInt32-contenders+i), zk.FlagEphemeral)
	}
	return h
}

// connect returns a bare client with the buffers that a candidate gets, and what
// ends its connection as the death of its process would.
func (h *handoffs) connect() (c *zk.Conn, kill func()) {
	var mu sync.Mutex
	var dead bool
	var conn net.Conn
	dial := func(network, addr string, timeout time.Duration) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if dead {
			return nil, net.ErrClosed
		}
		var err error
		conn, err = net.DialTimeout(network, addr, timeout)
		return conn, err
	}
	addrs := strings.Split(h.addr, ",")
	c, events, err := zk.Connect(append(addrs, addrs[0]), h.timeout(), zk.WithLogger(clienttest.Silent{}), zk.WithDialer(dial),
		zk.WithMaxBufferSize(256<<10), zk.WithMaxConnBufferSize(16<<10))
	if err != nil {
		h.b.Fatal(err)
	}
	go func() { // ends with the client
		for range events {
		}
	}()
	return c, func() {
		mu.Lock()
		defer mu.Unlock()
		dead = true
		conn.Close()
	}
}

// timeout is short where a session has to expire.
func (h *handoffs) timeout() time.Duration {
	if h.end == "expired" {
		return 500 * time.Millisecond
	}
	return 10 * time.Second
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

// A successor is a contender, the leader of the next handoff.
type successor struct {
	znode   chan string
	waiting chan time.Time // its watch is set
	knew    chan time.Time
	acked   chan time.Time // its acknowledgement is created, likewise
	led     chan time.Time // it leads, or knew where there is nothing more to it
	resign  func()
	kill    func()
	leave   func() // and wait for its end
}

func newSuccessor() *successor {
	return &successor{
		znode: make(chan string, 1), waiting: make(chan time.Time, 1), knew: make(chan time.Time, 1),
		acked: make(chan time.Time, 1), led: make(chan time.Time, 1),
	}
}

func (h *handoffs) receive(ch <-chan time.Time) time.Time {
	select {
	case at := <-ch:
		return at
	case <-time.After(electiontest.WaitFor):
		h.b.Fatalf("no handoff within %v", electiontest.WaitFor)
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
func (h *handoffs) candidate() *successor { return h.stand(dialect.Election()) }

func (h *handoffs) stand(recipe dialect.Recipe) *successor {
	servers, err := client.ParseConnectString(h.addr)
	if err != nil {
		h.b.Fatal(err)
	}
	c := newSuccessor()
	ctx, cancel := context.WithCancel(context.Background())
	last, named := model.Member{}, false
	candidate := candidate.New(candidate.Config{
		Conn:   client.Config{Servers: servers, SessionTimeout: h.timeout(), Dial: c.dial, BufferSize: 16 << 10, MaxReply: 256 << 10},
		Path:   h.path,
		Data:   []byte("bare"),
		Ack:    h.path + "-leader",
		Recipe: recipe,
		Report: func(_ time.Time, m model.Member) {
			if m.Znode != "" && !named {
				named = true
				c.znode <- znode.Join(h.path, m.Znode)
			}
			switch {
			case m.Belief == last.Belief && m.Watches == last.Watches:
			case m.Step == model.StepLowest && m.Belief == model.Elected:
				c.knew <- time.Now()
			case m.Belief == model.Waiting && m.Watches != "" && (m.Step == model.StepWatch || m.Step == model.StepWatchAgain):
				c.waiting <- time.Now()
			case m.Belief == model.Leading:
				select {
				case c.led <- time.Now():
				default:
				}
			}
			last = m
		},
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		candidate.Run(ctx)
	}()
	c.resign, c.kill = candidate.Resign, func() { candidate.Kill() }
	c.leave = func() {
		cancel()
		<-ended
	}
	h.b.Cleanup(c.leave)
	return c
}

// dial connects a candidate whose acknowledgement is noticed.
func (c *successor) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	return &acknowledging{Conn: conn, acked: c.acked}, err
}

// acknowledging is a connection that tells when the create of an acknowledgement
// is answered: the last request that is not a renewal, so the last answer too.
type acknowledging struct {
	net.Conn
	acked chan time.Time
	mu    sync.Mutex
	xid   []byte // of the create that is not answered
}

func (a *acknowledging) Write(p []byte) (int, error) {
	if len(p) >= 12 && wire.Op(binary.BigEndian.Uint32(p[8:])) == wire.OpCreate && bytes.Contains(p, []byte("-leader")) {
		a.mu.Lock()
		a.xid = bytes.Clone(p[4:8])
		a.mu.Unlock()
	}
	return a.Conn.Write(p)
}

func (a *acknowledging) Read(p []byte) (int, error) {
	n, err := a.Conn.Read(p)
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.xid == nil {
		return n, err
	}
	for b := p[:n]; len(b) >= 20; { // frames that begin here are whole: they are small
		size := 4 + int(binary.BigEndian.Uint32(b))
		if bytes.Equal(b[4:8], a.xid) {
			a.xid = nil
			if binary.BigEndian.Uint32(b[16:]) == 0 {
				select {
				case a.acked <- now:
				default:
				}
			}
			break
		}
		b = b[min(size, len(b)):]
	}
	return n, err
}

// floor is the least that a contender can do, with a new client as a candidate
// has one.
func (h *handoffs) floor() *successor { return h.byTheRecipe(false) }

// recipe is the same, with a leader that has listed C and leads.
func (h *handoffs) recipe() *successor { return h.byTheRecipe(true) }

func (h *handoffs) byTheRecipe(whole bool) *successor {
	c := newSuccessor()
	client, kill := h.connect()
	c.leave, c.kill = client.Close, kill
	h.b.Cleanup(c.leave)
	own, err := client.Create(znode.Join(h.path, strings.Repeat("f", 32)+"-n_"), []byte("bare"), clienttest.Contender, zk.WorldACL(zk.PermAll))
	if err != nil {
		h.b.Fatalf("create in %s: %v", h.path, err)
	}
	c.znode <- own
	c.resign = func() { client.Delete(own, -1) }
	if !whole {
		c.resign = func() { go client.Close() } // ends with the session
	}
	children, _, err := client.Children(h.path)
	if err != nil {
		h.b.Fatalf("getChildren %s: %v", h.path, err)
	}
	number := func(name string) string { return name[len(name)-10:] }
	leader := slices.MinFunc(children, func(x, y string) int { return strings.Compare(number(x), number(y)) })
	knew := func() {
		now := time.Now()
		c.knew <- now
		c.acked <- now
		c.led <- now
	}
	if number(leader) == number(own) {
		knew()
		if whole { // a leader watches its znode, as electop's does
			client.GetW(own)
		}
		return c
	}
	_, _, gone, err := client.GetW(znode.Join(h.path, leader))
	if err != nil {
		h.b.Fatalf("getData %s: %v", leader, err)
	}
	go func() { // ends with the notification, which the client's end is too
		c.waiting <- time.Now()
		<-gone
		client.Children(h.path)
		knew()
	}()
	return c
}

// lock is Lock of the client library.
func (h *handoffs) lock() *successor {
	c := newSuccessor()
	client, kill := h.connect()
	c.leave, c.kill = client.Close, kill
	h.b.Cleanup(c.leave)
	before, _, err := client.Children(h.path)
	if err != nil {
		h.b.Fatalf("getChildren %s: %v", h.path, err)
	}
	lock := zk.NewLock(client, h.path, zk.WorldACL(zk.PermAll))
	c.resign = func() { lock.Unlock() }
	locked := make(chan struct{})
	go func() { // ends with the lock, which the client's end is too
		defer close(locked)
		if lock.Lock() == nil {
			now := time.Now()
			c.knew <- now
			c.acked <- now
			c.led <- now
		}
	}()
	for deadline := time.Now().Add(electiontest.WaitFor); ; { // it does not say what its znode is, nor that it waits
		children, _, err := h.bare.Children(h.path)
		if err != nil || time.Now().After(deadline) {
			h.b.Fatalf("%s has no lock: %v", h.path, err)
		}
		if i := slices.IndexFunc(children, func(name string) bool { return !slices.Contains(before, name) }); i >= 0 {
			c.znode <- znode.Join(h.path, children[i])
			break
		}
	}
	if _, _, err := client.Exists(h.path); err != nil { // what it asked before is answered
		h.b.Fatal(err)
	}
	c.waiting <- time.Now()
	return c
}

// once has one leader follow the other and returns for how long the other did
// not know of it, had not acknowledged, and did not lead.
func (h *handoffs) once(enter func() *successor) map[string]time.Duration {
	leader := enter()
	defer leader.leave()
	h.receive(leader.knew)
	h.receive(leader.led)
	next := enter()
	defer next.leave()
	h.receive(next.waiting)
	znode := <-leader.znode
	// A round trip later the successor is at rest, of whichever kind it is, and
	// the deleting client is not.
	_, _, gone, err := h.bare.GetW(znode)
	if err != nil {
		h.b.Fatalf("getData %s: %v", znode, err)
	}
	begin := time.Now()
	switch h.end {
	case "deleted":
		h.delete(znode)
	case "resigned":
		leader.resign()
	case "expired":
		leader.kill()
		<-gone
		begin = time.Now()
	}
	return map[string]time.Duration{
		"knew":  h.receive(next.knew).Sub(begin),
		"acked": h.receive(next.acked).Sub(begin),
		"led":   h.receive(next.led).Sub(begin),
	}
}

func (h *handoffs) block(enter func() *successor) map[string][]time.Duration {
	took := make(map[string][]time.Duration)
	n := handoffBlock
	if h.end == "expired" {
		n = expiryBlock
	}
	for range n {
		for what, d := range h.once(enter) {
			took[what] = append(took[what], d)
		}
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
