package zkserver_test

import (
	"fmt"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/wire"
)

// BenchmarkVersusApache does the same by turns with the embedded server and
// with Apache ZooKeeper, both over loopback TCP, and reports the time of each
// and how many times faster the embedded one is. The Apache of zktest logs its
// writes but does not wait for the disk, so that the comparison is not one with
// the disk.
func BenchmarkVersusApache(b *testing.B) {
	apache := zktest.NewApache(b).Addr
	_, embedded := zkserver.Start(b, zkserver.Options{})

	// versus runs rounds of f, which returns how long the part that counts
	// took, with each server in turn. Each kind has a node of its own.
	versus := func(name string, each int, prepare func(c *rawClient, dir string), f func(c, other *rawClient, dir string, i int) time.Duration) {
		b.Run(name, func(b *testing.B) {
			dir := fmt.Sprintf("/%s-%d", name, time.Now().UnixNano())
			var clients, others [2]*rawClient
			for i, addr := range []string{embedded, apache} {
				long := wire.ConnectRequest{Timeout: 60_000}
				clients[i], others[i] = connectRaw(b, dialTCP(b, addr), long), connectRaw(b, dialTCP(b, addr), long)
				defer clients[i].must(wire.OpCloseSession, nil, nil)
				defer others[i].must(wire.OpCloseSession, nil, nil)
				clients[i].create(dir, 0)
				if prepare != nil {
					prepare(clients[i], dir)
				}
			}
			var took [2]time.Duration
			rounds := 0
			for b.Loop() {
				for i := range clients {
					took[i] += f(clients[i], others[i], dir, rounds)
				}
				rounds++
			}
			n := float64(rounds * each)
			b.ReportMetric(float64(took[0].Nanoseconds())/n/1e3, "embedded-µs")
			b.ReportMetric(float64(took[1].Nanoseconds())/n/1e3, "apache-µs")
			b.ReportMetric(float64(took[1])/float64(took[0]), "times-faster")
		})
	}
	const depth = 64
	// pipelined sends depth requests at once and awaits the replies.
	pipelined := func(c *rawClient, o wire.Op, req func(i int) wire.Appender) time.Duration {
		begin := time.Now()
		var out []byte
		for i := range depth {
			c.xid++
			out = wire.AppendFrame(out, &wire.RequestHeader{Xid: c.xid, Op: o}, req(i))
		}
		c.nc.SetDeadline(time.Now().Add(patience))
		if _, err := c.nc.Write(out); err != nil {
			b.Fatal(err)
		}
		for range depth {
			if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(begin)
	}
	single := func(c *rawClient, o wire.Op, req wire.Appender, rsp wire.Record) time.Duration {
		begin := time.Now()
		c.must(o, req, rsp)
		return time.Since(begin)
	}
	hundred := func(c *rawClient, dir string) {
		for range 100 {
			c.create(dir+"/_c_0123456789abcdef0123456789abcdef-n_", eph|seq)
		}
	}
	data := make([]byte, 100)
	newNode := func(dir string, i int) *wire.CreateRequest {
		return &wire.CreateRequest{Path: fmt.Sprintf("%s/%d", dir, i), Data: data, ACL: world(31)}
	}

	versus("create", 1, nil, func(c, _ *rawClient, dir string, i int) time.Duration {
		return single(c, wire.OpCreate, newNode(dir, i), &wire.PathResponse{})
	})
	versus("create-64-at-once", depth, nil, func(c, _ *rawClient, dir string, i int) time.Duration {
		return pipelined(c, wire.OpCreate, func(j int) wire.Appender { return newNode(dir, i*depth+j) })
	})
	versus("get", 1, nil, func(c, _ *rawClient, dir string, _ int) time.Duration {
		return single(c, wire.OpGetData, &wire.PathWatchRequest{Path: dir}, &wire.DataResponse{})
	})
	versus("get-64-at-once", depth, nil, func(c, _ *rawClient, dir string, _ int) time.Duration {
		return pipelined(c, wire.OpGetData, func(int) wire.Appender { return &wire.PathWatchRequest{Path: dir} })
	})
	versus("getChildren-100", 1, hundred, func(c, _ *rawClient, dir string, _ int) time.Duration {
		return single(c, wire.OpGetChildren, &wire.PathWatchRequest{Path: dir}, &wire.StringsResponse{})
	})
	// From a delete being sent to the event of it being with another client.
	versus("handoff", 1, nil, func(c, other *rawClient, dir string, _ int) time.Duration {
		path := other.create(dir+"/n_", eph|seq)
		c.must(wire.OpGetData, &wire.PathWatchRequest{Path: path, Watch: true}, &wire.DataResponse{})
		begin := time.Now()
		other.send(wire.OpDelete, &wire.PathVersionRequest{Path: path, Version: -1})
		if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
			b.Fatal(err)
		}
		took := time.Since(begin)
		if _, err := other.receive(nil); err != nil {
			b.Fatal(err)
		}
		return took
	})
}
