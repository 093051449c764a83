package zkserver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// A patient asks for one thing after the other, a few at a time, and waits for
// as long as it takes. It pings, and checks that answers come in order.
type patient struct {
	*rawClient
	t   *testing.T
	rng *rand.Rand

	mu      sync.Mutex
	waiting []asked
	own     []string // its nodes
	others  []string // nodes it has seen
}

type asked struct {
	xid int32
	op  wire.Op
}

// crowdCount is what all patients were told of others' nodes and of their own,
// and what they asked for.
type crowdCount struct{ told, own, asked atomic.Int64 }

// live has a session, makes n requests, and closes it. It returns when the last
// of them was answered.
func (p *patient) live(n int, count *crowdCount) {
	room := make(chan struct{}, 8)
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.read(room, count)
	}()
	pings := time.NewTicker(time.Second)
	defer pings.Stop()
	for n >= 0 {
		select {
		case <-pings.C:
			p.send(wire.OpPing, nil)
			continue
		case <-time.After(time.Duration(p.rng.IntN(60)) * time.Millisecond):
		}
		select {
		case room <- struct{}{}:
		default:
			continue // everything is slow
		}
		op, req := p.next()
		if n--; n < 0 {
			op, req = wire.OpCloseSession, nil
		}
		p.mu.Lock()
		p.waiting = append(p.waiting, asked{p.xid + 1, op})
		p.mu.Unlock()
		count.asked.Add(1)
		p.send(op, req)
	}
	for {
		select {
		case <-read:
			return
		case <-pings.C: // until the server reads no more
			p.nc.SetDeadline(time.Now().Add(patience))
			p.nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: wire.XidPing, Op: wire.OpPing}))
		}
	}
}

func (p *patient) next() (wire.Op, wire.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	take := func(from []string) string {
		if len(from) == 0 {
			return "/e/none"
		}
		return from[p.rng.IntN(len(from))]
	}
	switch p.rng.IntN(6) {
	case 0:
		return wire.OpCreate, &wire.CreateRequest{Path: "/e/n_", ACL: world(31), Flags: wire.FlagEphemeral | wire.FlagSequential}
	case 1:
		return wire.OpDelete, &wire.PathVersionRequest{Path: take(p.own), Version: -1}
	case 2:
		return wire.OpGetData, &wire.PathWatchRequest{Path: take(p.others), Watch: true}
	case 3, 4:
		if path := take(p.others); path != "/e/none" {
			return wire.OpExists, &wire.PathWatchRequest{Path: path, Watch: true}
		}
	}
	return wire.OpGetChildren, &wire.PathWatchRequest{Path: "/e"}
}

// read checks what comes until the session is closed.
func (p *patient) read(room <-chan struct{}, count *crowdCount) {
	for {
		frame, err := wire.ReadFrame(p.in, 1<<20)
		if err != nil {
			p.t.Errorf("%#x: %v", id(p.rawClient), err)
			return
		}
		d := wire.NewDecoder(frame)
		var h wire.ReplyHeader
		switch h.Fields(d); h.Xid {
		case wire.XidPing:
			continue
		case wire.XidWatch:
			var ev wire.WatcherEvent
			if ev.Fields(d); ev.Type == wire.EventNodeDeleted {
				p.mu.Lock()
				if slices.Contains(p.own, ev.Path) {
					count.own.Add(1)
				} else {
					count.told.Add(1)
				}
				p.mu.Unlock()
			}
			continue
		}
		p.mu.Lock()
		first := p.waiting[0]
		p.waiting = p.waiting[1:]
		if h.Xid != first.xid {
			p.t.Errorf("%#x: an answer to %d where that to %d is due", id(p.rawClient), h.Xid, first.xid)
		}
		if h.Err == wire.OK {
			p.learn(first.op, d)
		}
		p.mu.Unlock()
		if first.op == wire.OpCloseSession {
			return
		}
		<-room
	}
}

func (p *patient) learn(op wire.Op, d *wire.Coder) {
	switch op {
	case wire.OpCreate:
		var rsp wire.PathResponse
		rsp.Fields(d)
		p.own = append(p.own, rsp.Path)
	case wire.OpGetChildren:
		var rsp wire.StringsResponse
		rsp.Fields(d)
		p.others = p.others[:0]
		for _, name := range rsp.Strings {
			p.others = append(p.others, "/e/"+name)
		}
	}
}

// TestSlownessAtRandom slows, stops, steps and partitions a crowd that only
// waits. Everything is answered in the end, in order; nobody expires; and the
// tallies know of each notification but those of nodes to their owners.
func TestSlownessAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed) // shown on failure
	bubble(t, zkserver.Options{}, func(t *testing.T, s *zkserver.Server) {
		rng := rand.New(rand.NewPCG(seed, 0))
		first := pipeRaw(t, s, wire.ConnectRequest{Timeout: 60_000})
		first.create("/e", 0)
		first.must(wire.OpCloseSession, nil, nil)
		a := tally(t, s, "/e")
		var count crowdCount
		var nets [6]*network
		stop := make(chan struct{})
		var crowd sync.WaitGroup
		for i := range nets {
			nets[i] = networkTo(t, s)
			crowd.Go(func() {
				for life := uint64(0); ; life++ {
					select {
					case <-stop:
						return
					default:
					}
					p := &patient{rawClient: nets[i].connect(t, wire.ConnectRequest{Timeout: 4000}), t: t, rng: rand.New(rand.NewPCG(seed, uint64(i)<<32|life+1))}
					p.live(p.rng.IntN(200), &count)
					p.nc.Close()
				}
			})
		}
		parted := make(map[*network]time.Time)
		heal := func(after time.Duration) {
			for n, since := range parted {
				if time.Since(since) >= after {
					n.line.Heal()
					delete(parted, n)
				}
			}
		}
		steps := 0
		for range 500 {
			switch rng.IntN(4) {
			case 0:
				s.SetPace(zkserver.Pace{Delay: time.Duration(rng.IntN(4)) * 400 * time.Millisecond, Steps: rng.IntN(3) == 0})
			case 1, 2:
				for range rng.IntN(20) {
					if m, ok := s.Step(); ok {
						steps++
					} else if m != (zkserver.Paced{}) {
						t.Errorf("no step, but %+v", m)
					}
				}
			case 3:
				n := nets[rng.IntN(len(nets))]
				if _, ok := parted[n]; !ok {
					n.line.Partition()
					parted[n] = time.Now()
				}
			}
			time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
			heal(time.Second)
		}
		heal(0)
		s.SetPace(zkserver.Pace{})
		close(stop)
		crowd.Wait()
		time.Sleep(time.Second)
		c := s.Counters()
		if c.Expired+c.CutOff+c.Panics > 0 {
			t.Errorf("%d expired, %d cut off, %d panics", c.Expired, c.CutOff, c.Panics)
		}
		if _, held, n := s.Paced(9); n > 0 {
			t.Errorf("%d are held in the end: %+v", n, held)
		}
		sum, notified, deletions := a.sum()
		told, own := count.told.Load(), count.own.Load()
		if told != int64(notified) || told+own != c.Notifications || own == 0 || !sum.Settled {
			t.Errorf("%d notified in %d deletions, they heard of %d and %d of their own, the server of %d; settled %t",
				notified, deletions, told, own, c.Notifications, sum.Settled)
		}
		if asked := count.asked.Load(); int64(sum.Requests) > asked || sum.BytesIn > c.BytesIn || sum.BytesOut > c.BytesOut {
			t.Errorf("%d requests were made, the tallies have %d", asked, sum.Requests)
		}
		if deletions < 50 || notified < 50 || sum.Requests < 50 || steps < 50 {
			t.Errorf("hardly anything happened: %s", fmt.Sprint(deletions, notified, sum.Requests, steps))
		}
		for _, one := range a.all() {
			if !strings.HasPrefix(one.Path, "/e/n_") {
				t.Errorf("deleted: %s", one.Path)
			}
		}
	})
}
