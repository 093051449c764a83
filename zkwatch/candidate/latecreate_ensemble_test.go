package candidate_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// A mover is a client's way to one server at a time.
type mover struct {
	mu    sync.Mutex
	to    string
	conns []net.Conn
}

func (m *mover) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if addr != m.to {
		return nil, errors.New("no way to this server")
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	m.conns = append(m.conns, c)
	return c, nil
}

// move leaves the present server for another.
func (m *mover) move(addr string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.to = addr
	for _, c := range m.conns {
		c.Close()
	}
	m.conns = nil
}

// open returns the number of connections to the present server.
func (m *mover) open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.conns)
}

// TestCreateHeldBetweenServers: a follower has passed a create on, and it is held
// on the way to the ensemble leader while the candidate moves there and back.
// Then it arrives together with the news that the session is at the follower
// again, so nothing says that it is old. It must not give any session a second
// znode.
func TestCreateHeldBetweenServers(t *testing.T) {
	t.Parallel()
	e := zktest.NewEnsemble(t, 3, zktest.WithLinks(), zktest.WithTick(250*time.Millisecond), zktest.WithLimits(80, 80))
	leader := e.Leader(t)
	follower := e.Members[0]
	if follower == leader {
		follower = e.Members[1]
	}
	path, c := clienttest.ElectionPath(t), zktest.ClientOver(t, follower.Addr, time.Minute, net.DialTimeout)
	clienttest.Creator(t, c)(path, 0)
	outstanding := func(n int) {
		t.Helper()
		clienttest.Until(t, "the follower has passed requests on", func() error {
			var has int
			for line := range strings.Lines(follower.Ask(t, "srvr")) {
				fmt.Sscanf(line, "Outstanding: %d", &has)
			}
			if has < n {
				return fmt.Errorf("%d of %d", has, n)
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
	cfg := clienttest.Config(t, follower.Addr+","+leader.Addr)
	cfg.SessionTimeout, cfg.Dial = 5*time.Second, m.dial
	cfg.Shuffle = func(int, func(i, j int)) {}
	clienttest.OnRequest(&cfg, wire.OpCreate, func(net.Conn, []byte) bool { once(); return false })
	s := electiontest.Stand(t, candidate.Config{Conn: cfg, Path: path})
	release := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(func() { // first, or the candidate could not close its session
		release()
		e.Heal()
	})

	<-creating
	e.Hold(follower, leader)
	// This keeps the ensemble leader busy while it receives what comes next.
	busy := make(chan error, 1)
	go func() {
		_, err := c.Multi(slices.Repeat([]any{&zk.CheckVersionRequest{Path: path, Version: -1}}, 20_000)...)
		busy <- err
	}()
	outstanding(1)
	release()
	outstanding(2)
	m.move(leader.Addr)
	s.Believes(t, model.Leading)
	m.move(follower.Addr)
	clienttest.Until(t, "the candidate is on its way back", func() error {
		if n := m.open(); n != 1 {
			return fmt.Errorf("%d connections", n)
		}
		return nil
	})
	follower.Ask(t, "srvr") // by its answer the follower is likely to have passed that on
	e.Heal()
	if err := <-busy; err != nil {
		t.Fatal(err)
	}
	clienttest.Until(t, "the candidate is back", func() error {
		if st := s.Status(); st.State != client.Connected || st.Server != follower.Addr {
			return fmt.Errorf("%v at %s", st.State, st.Server)
		}
		return nil
	})

	if _, err := c.Sync(path); err != nil {
		t.Fatal(err)
	}
	children, _, err := c.Children(path)
	if err != nil || len(children) == 0 {
		t.Fatalf("children %q, %v", children, err)
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
			t.Errorf("session %#x has %s and %s", stat.EphemeralOwner, other, name)
		}
		owns[stat.EphemeralOwner] = name
	}
}
