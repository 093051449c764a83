package candidate_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// A lateCreate withholds one create, and sends it just before or after the next create, multi or closeSession.
type lateCreate struct {
	after bool

	mu      sync.Mutex
	frame   []byte
	arrived bool
}

type lateConn struct {
	net.Conn
	late *lateCreate
	hide []byte // the xid of the late create, whose reply is dropped; nil for none
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

func (c *lateConn) drops(frame []byte) bool {
	c.late.mu.Lock()
	defer c.late.mu.Unlock()
	return c.hide != nil && bytes.Equal(frame[4:8], c.hide)
}

func TestCreateExecutedLate(t *testing.T) {
	for name, after := range map[string]bool{"before the next transaction": false, "after the next transaction": true} {
		t.Run(name, func(t *testing.T) {
			late := &lateCreate{after: after}
			withOneCandidate(t, func(c *zk.Conn, cfg *candidate.Config) {
				zktest.Must(c.Create("/election", nil, 0, electiontest.Open))
				electiontest.WrapConns(&cfg.Conn, func(conn net.Conn) net.Conn {
					c := &lateConn{late: late}
					c.Conn = electiontest.Dropping(conn, c.drops)
					return c
				})
			}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
				time.Sleep(10 * electiontest.LeaseTimeout)
				late.mu.Lock()
				arrived := late.arrived
				late.mu.Unlock()
				if !arrived {
					t.Fatal("got no late create: the test checks nothing")
				}
				children, _, err := c.Children("/election")
				if m := s.Now(); err != nil || len(children) != 1 || children[0] != m.Znode || m.Belief != model.Leading {
					t.Errorf("got children %q, error %v, candidate %+v; want only its znode, Leading", children, err, m)
				}
			})
		})
	}
}

type mover struct {
	mu    sync.Mutex
	to    string
	conns []net.Conn
}

func (m *mover) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if addr != m.to {
		return nil, errors.New("this server is not reachable")
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	m.conns = append(m.conns, c)
	return c, nil
}

func (m *mover) move(addr string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.to = addr
	for _, c := range m.conns {
		c.Close()
	}
	m.conns = nil
}

func (m *mover) open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.conns)
}

// TestCreateHeldBetweenServers holds a create at a follower. Meanwhile the candidate moves to the ensemble
// leader and back.
func TestCreateHeldBetweenServers(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(250*time.Millisecond), zktest.WithLimits(80, 80))
	leader := e.Leader(t)
	follower := e.Members[0]
	if follower == leader {
		follower = e.Members[1]
	}
	path, c := electiontest.ElectionPath(t), zktest.ClientOver(t, follower.Addr, time.Minute, net.DialTimeout)
	electiontest.Creator(t, c)(path, 0)
	outstanding := func(n int) {
		t.Helper()
		electiontest.Until(t, "requests forwarded by the follower", func() error {
			var has int
			for line := range strings.Lines(follower.FourLetterWord(t, "srvr")) {
				fmt.Sscanf(line, "Outstanding: %d", &has)
			}
			if has < n {
				return fmt.Errorf("got %d outstanding requests, want %d", has, n)
			}
			return nil
		})
	}

	creating, proceed := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() {
		close(creating)
		<-proceed
	})
	m := &mover{to: follower.Addr}
	cfg := electiontest.Config(t, follower.Addr+","+leader.Addr)
	cfg.SessionTimeout, cfg.Dial = 5*time.Second, m.dial
	cfg.Shuffle = func(int, func(i, j int)) {}
	electiontest.OnRequest(&cfg, wire.OpCreate, func(net.Conn, []byte) bool { once(); return false })
	s := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: path})
	release := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(func() { // runs before the candidate closes its session
		release()
		e.Heal()
	})

	<-creating
	e.Hold(follower, leader)
	// After Heal, the ensemble leader is busy with this multi while the later held messages arrive.
	busy := make(chan error, 1)
	go func() {
		_, err := c.Multi(slices.Repeat([]any{&zk.CheckVersionRequest{Path: path, Version: -1}}, 20_000)...)
		busy <- err
	}()
	outstanding(1)
	release()
	outstanding(2)
	m.move(leader.Addr)
	s.AwaitBelief(t, model.Leading)
	m.move(follower.Addr)
	electiontest.Until(t, "a connection to the follower", func() error {
		if n := m.open(); n != 1 {
			return fmt.Errorf("got %d connections, want 1", n)
		}
		return nil
	})
	follower.FourLetterWord(t, "srvr") // after this reply the follower has probably forwarded the session's reconnection
	e.Heal()
	if err := <-busy; err != nil {
		t.Fatal(err)
	}
	electiontest.Until(t, "the candidate connected to the follower", func() error {
		if st := s.Status(); st.State != client.Connected || st.Server != follower.Addr {
			return fmt.Errorf("got state %v at server %s, want %s", st.State, st.Server, follower.Addr)
		}
		return nil
	})
	checkOneZnodePerSession(t, c, path)
}

func checkOneZnodePerSession(t *testing.T, c *zk.Conn, path string) {
	t.Helper()
	if _, err := c.Sync(path); err != nil {
		t.Fatal(err)
	}
	children, _, err := c.Children(path)
	if err != nil || len(children) == 0 {
		t.Fatalf("got children %q, error %v; want at least one child", children, err)
	}
	owns := make(map[int64]string)
	for _, name := range children {
		ok, stat, err := c.Exists(znode.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		if other := owns[stat.EphemeralOwner]; other != "" {
			t.Errorf("got znodes %s and %s of session %#x, want one", other, name, stat.EphemeralOwner)
		}
		owns[stat.EphemeralOwner] = name
	}
}

func creates(s *electiontest.Candidate) (n int, last model.Member) {
	reports := s.All()
	for i, m := range reports {
		if m.Step == model.StepCreate && m.Znode == "" && (i == 0 || reports[i-1].Step != model.StepCreate || !reports[i-1].StepAt.Equal(m.StepAt)) {
			n, last = n+1, m
		}
	}
	return n, last
}

func TestLoseReplyWithAGuid(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		s := electiontest.NewCandidate(candidate.Config{Conn: on.Config(), Path: on.Path})
		s.LoseReply()
		s.Start(t)
		m := s.AwaitBelief(t, model.Leading)
		if first := s.All()[0]; !first.LosesReply || m.LosesReply {
			t.Errorf("got LosesReply %v at the start, %v at the end; want true, false", first.LosesReply, m.LosesReply)
		}
		s.Await(t, 0, "its znode found again", func(m model.Member) bool { return m.StepOn.Found })
		if names := owned(t, on.Conn, on.Path, m); len(names) != 1 || names[0] != m.Znode {
			t.Errorf("got znodes %q of the candidate, want only %q", names, m.Znode)
		}
		if n, _ := creates(s); n != 1 {
			t.Errorf("got %d creates, want 1", n)
		}
	})
}

func TestLoseReplyWithoutAGuid(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		s := electiontest.NewCandidate(candidate.Config{Conn: on.Config(), Path: on.Path, NoGuid: func() bool { return true }})
		s.LoseReply()
		s.Start(t)
		m := s.AwaitBelief(t, model.Waiting)
		names := owned(t, on.Conn, on.Path, m)
		if want := []string{"n_0000000000", "n_0000000001"}; !slices.Equal(names, want) || m.Znode != want[1] || m.Watches != want[0] || m.LosesReply {
			t.Fatalf("got znodes %q, candidate %+v; want %q, and the second watches the first", names, m, want)
		}
		if n, last := creates(s); n != 2 || last.StepOn.Name != "n_" {
			t.Errorf("got %d creates, the last %+v; want 2 without a guid", n, last)
		}
		after := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path})
		if m := after.AwaitBelief(t, model.Waiting); m.Watches != names[1] {
			t.Errorf("got watch of the next candidate on %q, want on %q", m.Watches, names[1])
		}
		s.Resign()
		after.AwaitBelief(t, model.Leading)
		if got := beliefs(s, 0); slices.Contains(got, model.Elected) || slices.Contains(got, model.Leading) {
			t.Errorf("got beliefs %q behind its forgotten znode, want neither Elected nor Leading", got)
		}
		children, _, err := on.Children(on.Path)
		if err != nil || len(children) != 1 {
			t.Errorf("got children %q, error %v; want one child", children, err)
		}
	})
}

func TestLoseReplyOnlyOfTheOwnZnode(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		path := on.Path + "/deep/down"
		s := electiontest.NewCandidate(candidate.Config{Conn: on.Config(), Path: path, Create: true, Ack: on.Path + "/leader", NoGuid: func() bool { return true }})
		s.LoseReply()
		s.Start(t)
		m := s.AwaitBelief(t, model.Waiting)
		if names := owned(t, on.Conn, path, m); len(names) != 2 {
			t.Errorf("got znodes %q of the candidate, want 2", names)
		}
		// The candidate notices the deletion and ends its session, so its first znode disappears.
		on.Remove(znode.Join(path, m.Znode))
		m = s.AwaitBelief(t, model.Leading)
		if names := owned(t, on.Conn, path, m); len(names) != 1 || names[0] != m.Znode {
			t.Errorf("got znodes %q of the candidate, want only %q", names, m.Znode)
		}
	})
}

func owned(t *testing.T, c *zk.Conn, path string, m model.Member) (names []string) {
	t.Helper()
	children, _, err := c.Children(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range children {
		ok, stat, err := c.Exists(znode.Join(path, name))
		if err != nil {
			t.Fatal(err)
		}
		if ok && uint64(stat.EphemeralOwner) == m.Session {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		m, _ := znode.Sequence(a)
		n, _ := znode.Sequence(b)
		return int(m - n)
	})
	return names
}
