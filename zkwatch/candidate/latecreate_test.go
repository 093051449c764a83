package candidate_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// A lateCreate is an ensemble in which the first create of a candidate's znode
// is on its way to the ensemble leader while its client loses the connection and
// asks another server. Reads and sync there do not wait for it. It is executed
// just before or after the next transaction of its session.
type lateCreate struct {
	after bool

	mu      sync.Mutex
	frame   []byte // on its way
	arrived bool
}

// A lateConn is a connection to one of the servers.
type lateConn struct {
	net.Conn
	late  *lateCreate
	reply bytes.Buffer // frames that the client has not read
	hide  []byte       // the xid of the late create, if it was executed over this connection
}

func (c *lateConn) Write(p []byte) (int, error) {
	c.late.mu.Lock()
	defer c.late.mu.Unlock()
	if c.late.arrived || len(p) < 12 {
		return c.Conn.Write(p)
	}
	op := wire.Op(int32(binary.BigEndian.Uint32(p[8:])))
	switch {
	case c.late.frame == nil && op == wire.OpCreate && strings.Contains(string(p), "-n_"):
		c.late.frame = bytes.Clone(p)
		c.Conn.Close()
		return 0, errors.New("lost")
	case c.late.frame == nil, op != wire.OpCreate && op != wire.OpMulti && op != wire.OpCloseSession:
		return c.Conn.Write(p)
	}
	c.late.arrived, c.hide = true, c.late.frame[4:8]
	frames := [][]byte{c.late.frame, p}
	if c.late.after {
		frames = [][]byte{p, c.late.frame}
	}
	for _, f := range frames {
		if _, err := c.Conn.Write(f); err != nil && &f[0] == &p[0] {
			return 0, err
		}
	}
	return len(p), nil
}

// Read leaves out the reply to the late create, whose connection is no more.
func (c *lateConn) Read(p []byte) (int, error) {
	for c.reply.Len() == 0 {
		frame := make([]byte, 4)
		if _, err := io.ReadFull(c.Conn, frame); err != nil {
			return 0, err
		}
		frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
		if _, err := io.ReadFull(c.Conn, frame[4:]); err != nil {
			return 0, err
		}
		c.late.mu.Lock()
		if c.hide == nil || !bytes.Equal(frame[4:8], c.hide) {
			c.reply.Write(frame)
		}
		c.late.mu.Unlock()
	}
	return c.reply.Read(p)
}

// TestCreateExecutedLate: a create that was not answered may be executed after
// the search for its znode, and even after later requests of its session. It
// must not give the candidate a second znode: behind one of its own it would
// wait for itself.
func TestCreateExecutedLate(t *testing.T) {
	for name, after := range map[string]bool{"before the next transaction": false, "after the next transaction": true} {
		t.Run(name, func(t *testing.T) {
			late := &lateCreate{after: after}
			alone(t, func(c *zk.Conn, cfg *candidate.Config) {
				zktest.Must(c.Create("/election", nil, 0, clienttest.Open))
				clienttest.Over(&cfg.Conn, func(conn net.Conn) net.Conn { return &lateConn{Conn: conn, late: late} })
			}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Stander) {
				time.Sleep(10 * electiontest.LeaseTimeout) // virtual
				late.mu.Lock()
				arrived := late.arrived
				late.mu.Unlock()
				if !arrived {
					t.Fatal("the create was not executed: the test shows nothing")
				}
				children, _, err := c.Children("/election")
				if m := s.Now(); err != nil || len(children) != 1 || children[0] != m.Znode || m.Belief != model.Leading {
					t.Errorf("children %q, %v; the candidate is %+v", children, err, m)
				}
			})
		})
	}
}
