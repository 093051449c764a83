package electiontest

import (
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
)

// LeaseTimeout is the session timeout in virtual time.
const LeaseTimeout = 6 * time.Second

// Conn is how somebody connects to an embedded server, over a line unless it is nil.
func Conn(server *zkserver.Server, line *fault.Line) client.Config {
	return client.Config{
		Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: LeaseTimeout,
		Dial: clienttest.Dial(server), Line: line, BufferSize: 16 << 10, MaxReply: 64 << 10,
	}
}

// Virtual runs an election of n candidates in virtual time, each over a line of its own.
// It calls f when all have done what they do before they wait for the election to change.
func Virtual(t *testing.T, n int, f func(t *testing.T, server *zkserver.Server, s []*Stander, lines []*fault.Line)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var standers []*Stander
		var lines []*fault.Line
		for i := range n {
			line := new(fault.Line)
			s := Stand(t, candidate.Config{Conn: Conn(server, line), Path: "/election", Create: true, Ack: "/election-leader"})
			if i == 0 {
				s.Believes(t, model.Leading)
			} else {
				s.Believes(t, model.Waiting)
			}
			standers, lines = append(standers, s), append(lines, line)
		}
		synctest.Wait() // a leader believes before it has set its last watch
		f(t, server, standers, lines)
	})
}
