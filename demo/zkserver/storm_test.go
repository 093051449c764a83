package zkserver_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

// BenchmarkStorm is a herd: all clients watch one node, which goes, and each of
// them looks for it and then for another one. It reports the time that it takes
// for one client, which is to be the same however many there are, at full speed
// and step by step, with a [zkserver.Tally] and without.
//
//	go test -run '^$' -bench Storm ./demo/zkserver
func BenchmarkStorm(b *testing.B) {
	for _, clients := range []int{200, 1000} {
		for _, paced := range []bool{false, true} {
			for _, tallied := range []bool{false, true} {
				b.Run(fmt.Sprintf("clients=%d/paced=%t/tally=%t", clients, paced, tallied), func(b *testing.B) {
					storm(b, clients, paced, tallied)
				})
			}
		}
	}
}

func storm(b *testing.B, clients int, paced, tallied bool) {
	s := zkserver.New(zkserver.Options{})
	defer s.Close()
	dial := func() *rawClient {
		nc, err := s.Dial()
		try(b, err)
		return connectRaw(b, nc, wire.ConnectRequest{Timeout: 60_000})
	}
	main := dial()
	main.create("/e", 0)
	var reports, notified int
	if tallied {
		defer s.Tally("/e", func(t zkserver.Tally) {
			if reports++; t.Requests == 0 && t.BytesOut == 0 {
				notified += len(t.Notified)
			}
		})()
	}
	var all []*rawClient
	for range clients {
		all = append(all, dial())
	}
	const messages = 3 // the event and two replies, each after the one before
	for b.Loop() {
		b.StopTimer()
		s.SetPace(zkserver.Pace{})
		main.create("/e/n", 0)
		for _, c := range all {
			c.must(wire.OpExists, &wire.PathWatchRequest{Path: "/e/n", Watch: true}, &wire.Stat{})
		}
		if paced {
			s.SetPace(steps)
		}
		b.StartTimer()
		main.send(wire.OpDelete, &wire.PathVersionRequest{Path: "/e/n", Version: -1})
		for i := range messages {
			if paced {
				want := clients
				if i == 0 {
					want++ // the reply of the delete
				}
				for {
					if _, _, n := s.Paced(0); n == want {
						break
					}
					time.Sleep(10 * time.Microsecond)
				}
				for range want {
					s.Step()
				}
			}
			if i == 0 {
				if _, err := main.receive(nil); err != nil {
					b.Fatal(err)
				}
			}
			var wg sync.WaitGroup
			for _, c := range all {
				wg.Go(func() {
					if _, err := wire.ReadFrame(c.in, 1<<20); err != nil {
						b.Error(err)
						return
					}
					if i < messages-1 {
						c.send(wire.OpExists, &wire.PathWatchRequest{Path: "/e"})
					}
				})
			}
			wg.Wait()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*clients)/1e3, "µs/client")
	b.ReportMetric(0, "ns/op")
	if tallied {
		b.ReportMetric(float64(reports)/float64(b.N), "reports")
		if notified < clients {
			b.Errorf("%d were notified", notified)
		}
	}
}
