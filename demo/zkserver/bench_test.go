package zkserver_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// BenchmarkVersusApache does the same by turns with the embedded server and
// with Apache ZooKeeper, both over loopback TCP, and reports the time of each
// and how many times faster the embedded one is, all as the median of the
// turns. Clients have a session and a goroutine each and wait for every reply.
// The time is that of all clients together divided by the number of requests:
// a latency where there is one client, a throughput where there are 50. For
// notify it is the time from a write being sent to the last client having the
// event.
//
// Apache runs with the compiler and the garbage collector that Java chooses,
// and is warmed up before each measurement. It logs its writes but does not
// wait for the disk, so that the comparison is not one with the disk.
//
//	go test -run '^$' -bench 'VersusApache|Start' ./demo/zkserver
func BenchmarkVersusApache(b *testing.B) {
	_, embedded := zkserver.Start(b, zkserver.Options{})
	servers := [2]string{embedded, zktest.NewApache(b, zktest.ForSpeed()).Addr}
	for _, clients := range []int{1, 50} {
		for _, load := range []benchLoad{
			{name: "create", request: func(dir string, client, i int) (wire.Op, wire.Appender) {
				return wire.OpCreate, &wire.CreateRequest{Path: fmt.Sprintf("%s/%d-%d", dir, client, i), Data: make([]byte, 100), ACL: world(31)}
			}},
			{name: "get", request: func(dir string, _, _ int) (wire.Op, wire.Appender) {
				return wire.OpGetData, &wire.PathWatchRequest{Path: dir + "/data"}
			}},
			{name: "exists", request: func(dir string, _, _ int) (wire.Op, wire.Appender) {
				return wire.OpExists, &wire.PathWatchRequest{Path: dir + "/data"}
			}},
			{name: "getChildren-100", request: func(dir string, _, _ int) (wire.Op, wire.Appender) {
				return wire.OpGetChildren, &wire.PathWatchRequest{Path: dir + "/many"}
			}},
			{name: "notify"},
		} {
			b.Run(fmt.Sprintf("%s/clients=%d", load.name, clients), func(b *testing.B) { load.run(b, servers, clients) })
		}
	}
}

// A benchLoad is what clients do; without a request they wait for an event.
type benchLoad struct {
	name    string
	request func(dir string, client, i int) (wire.Op, wire.Appender)
}

const (
	benchRequests = 200 // in a round of all clients together
	benchEvents   = 10
	benchWarmUp   = 60 // rounds
)

func (load benchLoad) run(b *testing.B, servers [2]string, clients int) {
	var rounds [2]func() time.Duration
	each := benchRequests / clients * clients
	for i, addr := range servers {
		if load.request == nil {
			rounds[i], each = load.events(b, addr, clients), benchEvents
		} else {
			rounds[i] = load.requests(b, addr, clients)
		}
		for range benchWarmUp {
			rounds[i]()
		}
	}
	var took [2][]time.Duration
	for b.Loop() {
		for i := range rounds {
			took[i] = append(took[i], rounds[i]())
		}
	}
	var median [2]float64 // µs
	for i, t := range took {
		slices.Sort(t)
		median[i] = float64(t[len(t)/2].Nanoseconds()) / float64(each) / 1e3
	}
	b.ReportMetric(median[0], "embedded-µs")
	b.ReportMetric(median[1], "apache-µs")
	b.ReportMetric(median[1]/median[0], "times-faster")
	b.ReportMetric(0, "ns/op") // of a round on both; says nothing
}

// crowd connects clients to a server and makes the nodes that the loads need.
// The nodes stay.
func (load benchLoad) crowd(b *testing.B, addr string, clients int) (all []*rawClient, dir string) {
	for range clients {
		c := connectRaw(b, dialTCP(b, addr), wire.ConnectRequest{Timeout: 60_000})
		b.Cleanup(func() { c.must(wire.OpCloseSession, nil, nil) })
		all = append(all, c)
	}
	dir = fmt.Sprintf("/bench-%d", time.Now().UnixNano())
	c := all[0]
	c.create(dir, 0)
	c.create(dir+"/many", 0)
	for range 100 {
		c.create(dir+"/many/_c_0123456789abcdef0123456789abcdef-n_", wire.FlagSequential)
	}
	c.must(wire.OpCreate, &wire.CreateRequest{Path: dir + "/data", Data: make([]byte, 100), ACL: world(31)}, &wire.PathResponse{})
	return all, dir
}

// requests returns a round in which all clients make requests at once.
func (load benchLoad) requests(b *testing.B, addr string, clients int) func() time.Duration {
	all, dir := load.crowd(b, addr, clients)
	made := 0
	return func() time.Duration {
		errs := make([]error, clients)
		var wg sync.WaitGroup
		begin := time.Now()
		for n, c := range all {
			wg.Go(func() {
				for i := range benchRequests / clients {
					op, req := load.request(dir, n, made+i)
					if errs[n] = c.exchange(op, req); errs[n] != nil {
						return
					}
				}
			})
		}
		wg.Wait()
		took := time.Since(begin)
		made += benchRequests / clients
		if err := errors.Join(errs...); err != nil {
			b.Fatal(err)
		}
		return took
	}
}

// exchange is call for goroutines that must not end the test.
func (c *rawClient) exchange(op wire.Op, req wire.Appender) error {
	c.xid++
	c.nc.SetDeadline(time.Now().Add(patience))
	if _, err := c.nc.Write(wire.AppendFrame(nil, &wire.RequestHeader{Xid: c.xid, Op: op}, req)); err != nil {
		return fmt.Errorf("%v: %w", op, err)
	}
	frame, err := wire.ReadFrame(c.in, 1<<20)
	if err != nil {
		return fmt.Errorf("%v: %w", op, err)
	}
	var h wire.ReplyHeader
	d := wire.NewDecoder(frame)
	h.Decode(d)
	switch {
	case d.Err() != nil:
		return fmt.Errorf("reply to %v: %w", op, d.Err())
	case h.Err != wire.OK || h.Xid != c.xid:
		return fmt.Errorf("reply to %v, xid %d: %v, xid %d", op, c.xid, h.Err, h.Xid)
	}
	return nil
}

// events returns a round in which a node that all clients watch changes, again
// and again.
func (load benchLoad) events(b *testing.B, addr string, clients int) func() time.Duration {
	all, dir := load.crowd(b, addr, clients)
	writer := connectRaw(b, dialTCP(b, addr), wire.ConnectRequest{Timeout: 60_000})
	b.Cleanup(func() { writer.must(wire.OpCloseSession, nil, nil) })
	path := dir + "/data"
	return func() time.Duration {
		var took time.Duration
		for range benchEvents {
			for _, c := range all {
				c.must(wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: true}, &wire.DataResponse{})
			}
			errs := make([]error, clients)
			var wg sync.WaitGroup
			for n, c := range all {
				c.nc.SetDeadline(time.Now().Add(patience))
				wg.Go(func() { _, errs[n] = wire.ReadFrame(c.in, 1<<20) })
			}
			begin := time.Now()
			writer.send(wire.OpSetData, &wire.SetDataRequest{Path: path, Version: -1})
			wg.Wait()
			took += time.Since(begin)
			if _, err := writer.receive(&wire.Stat{}); err != nil {
				b.Fatal(err)
			}
			if err := errors.Join(errs...); err != nil {
				b.Fatal(err)
			}
		}
		return took
	}
}

// BenchmarkStart is the time from nothing to the first answer over TCP: a
// server made, its port opened, a session established, a request answered.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s := zkserver.New(zkserver.Options{})
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		nc, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		c := connectRaw(b, nc, wire.ConnectRequest{})
		c.must(wire.OpExists, &wire.PathWatchRequest{Path: "/"}, &wire.Stat{})
		b.StopTimer()
		nc.Close()
		s.Close()
		if err := <-served; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
