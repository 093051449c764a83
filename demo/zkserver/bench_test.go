package zkserver_test

import (
	"net"
	"testing"

	"electop/demo/zkserver"
	"electop/zkwatch/wire"
)

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
