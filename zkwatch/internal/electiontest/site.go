package electiontest

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
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
		f(t, Site{zktest.Client(t, addr), addr, clienttest.ElectionPath(t), t})
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

// LeaseTimeout is the session timeout in virtual time.
const LeaseTimeout = 6 * time.Second

// Conn is how a client connects to an embedded server, over a line unless it is nil.
func Conn(server *zkserver.Server, line *fault.Line) client.Config {
	return client.Config{
		Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: LeaseTimeout,
		Dial: clienttest.Dial(server), Line: line, BufferSize: 16 << 10, MaxReply: 64 << 10,
	}
}
