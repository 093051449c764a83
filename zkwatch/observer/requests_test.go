package observer_test

import (
	"testing"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// TestRequests: a group counts its requests as the server does, over several sessions.
func TestRequests(t *testing.T) {
	t.Parallel()
	server, addr := zkserver.Start(t, zkserver.Options{})
	path := clienttest.ElectionPath(t)
	create := clienttest.Creator(t, zktest.Client(t, addr))
	create(path, 0)
	counted := func() (n uint64) {
		for op, c := range server.Counters().Requests {
			if op != wire.OpPing && op != wire.OpCloseSession {
				n += uint64(c)
			}
		}
		return n
	}
	before := counted()
	s := newStage(t, clienttest.Config(t, addr))
	w := s.watch(path, "")
	w.Await(t, "none", electiontest.QueueOf(0))
	first := s.Conn()
	zktest.Await(t, "the same count", func() bool { return s.Requests() == counted()-before })
	one := s.Requests()
	if one < 2 {
		t.Errorf("%d requests for the first read", one)
	}
	first.Cut()
	zktest.Await(t, "another session", func() bool { c := s.Conn(); return c != nil && c != first })
	zktest.Await(t, "more requests, as many as the server counts", func() bool {
		return s.Requests() > one && s.Requests() == counted()-before
	})
}
