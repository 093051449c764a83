package electiontest

import (
	"testing"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
)

// A Site is the path of an election that no other test uses, and a bare client beside it.
type Site struct {
	*zk.Conn
	Addr, Path string
	T          *testing.T
}

// Each runs a test on each kind of server.
func Each(t *testing.T, f func(t *testing.T, on Site)) {
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		f(t, Site{clienttest.Raw(t, addr), addr, clienttest.ElectionPath(t), t})
	})
}

// Config is how a candidate connects.
func (s *Site) Config() client.Config { return clienttest.Config(s.T, s.Addr) }

// Make creates a znode and returns its path.
func (s *Site) Make(path string, flags int32) string {
	s.T.Helper()
	return clienttest.Creator(s.T, s.Conn)(path, flags)
}

// Remove deletes znodes.
func (s *Site) Remove(paths ...string) {
	s.T.Helper()
	for _, path := range paths {
		if err := s.Delete(path, -1); err != nil {
			s.T.Fatal(err)
		}
	}
}
