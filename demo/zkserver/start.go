package zkserver

import (
	"errors"
	"net"
	"sync"
)

// TB is the part of testing.TB that [Start] needs, so that programs that embed
// a server do not link package testing.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start serves a new server on a free loopback port until the test ends and
// returns it with its address.
func Start(t TB, opts Options) (s *Server, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("zkserver: listen: %v", err)
	}
	s = New(opts)
	var serve sync.WaitGroup
	var failed error
	serve.Go(func() { failed = s.Serve(l) })
	t.Cleanup(func() {
		s.Close()
		// A test may be over before the server has begun to serve.
		if serve.Wait(); failed != nil && !errors.Is(failed, ErrClosed) {
			t.Fatalf("zkserver: serve %s: %v", addr, failed)
		}
	})
	return s, l.Addr().String()
}
