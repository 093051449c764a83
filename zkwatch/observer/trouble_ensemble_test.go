package observer_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// network is TCP that can be cut.
type network struct {
	mu    sync.Mutex
	down  bool
	conns []net.Conn
}

func (n *network) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n.mu.Lock()
	down := n.down
	n.mu.Unlock()
	if down {
		return nil, errors.New("the network is cut")
	}
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, c)
	return c, nil
}

func (n *network) cut(down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
	for _, c := range n.conns {
		c.Close()
	}
	n.conns = nil
}

// links is what an observer said of its connection.
type links struct {
	mu   sync.Mutex
	said []*model.Connection
}

func (l *links) since(i int) []*model.Connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said[i:]
}

func (l *links) len() int { return len(l.since(0)) }

// lookOn observes the election by a persistent watch, and by reads besides.
func (c *churn) lookOn(t *testing.T, change func(*client.Config)) (*electiontest.Watched, *links) {
	t.Helper()
	w, l := lookOn(t, c.e, c.path, observer.FollowWatch, change)
	c.reads, _ = lookOn(t, c.e, c.path, observer.FollowReads, change)
	return w, l
}

// lookOn observes an election of an ensemble.
func lookOn(t *testing.T, e *zktest.Ensemble, path string, by observer.Follow, change func(*client.Config)) (*electiontest.Watched, *links) {
	t.Helper()
	cfg := clienttest.Config(t, e.ConnectString())
	cfg.BufferSize, cfg.MaxReply, cfg.DialTimeout = 0, 0, time.Second
	if change != nil {
		change(&cfg)
	}
	w, l := electiontest.NewWatched(model.Config{Path: path}), &links{}
	w.Observer = observer.New(observer.Config{Conn: cfg, Path: path, Follow: by, Now: feed.Now, Put: func(ctx context.Context, o model.Observation) {
		if c, ok := o.(*model.Connection); ok {
			l.mu.Lock()
			l.said = append(l.said, c)
			l.mu.Unlock()
		}
		w.Feed.PutSlowly(ctx, o)
	}})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { w.Feed.Run(ctx) })
	wg.Go(func() { w.Observer.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return w, l
}

// churn makes and deletes persistent children under path, which outlive any
// trouble with sessions, and counts them.
type churn struct {
	t                *testing.T
	e                *zktest.Ensemble
	path             string
	creates, deletes int
	reads            *electiontest.Watched // the observer by reads
}

// some makes so many children and deletes one of each two, over a connection of
// its own to the ensemble.
func (c *churn) some(n int) {
	c.t.Helper()
	cfg := clienttest.Config(c.t, c.e.ConnectString())
	cfg.SessionTimeout = electiontest.WaitFor // servers that are slow to answer are no trouble here: none is made twice
	conn := clienttest.Connect(c.t, cfg)
	defer conn.Close()
	clienttest.WaitState(c.t, conn, client.Connected)
	for i := range n {
		p, err := conn.Create(c.t.Context(), c.path+"/n_", nil, zk.FlagSequence, clienttest.Open)
		if err != nil {
			c.t.Fatal(err)
		}
		c.creates++
		if i%2 == 1 {
			if err := conn.Delete(c.t.Context(), p, -1); err != nil {
				c.t.Fatal(err)
			}
			c.deletes++
		}
	}
}

// seen waits until the observer has seen as many children as there are.
func (c *churn) seen(w *electiontest.Watched) *doctor.State {
	c.t.Helper()
	if w != c.reads {
		c.seen(c.reads)
	}
	return w.Await(c.t, fmt.Sprint(c.creates-c.deletes, " children"), func(s *doctor.State) bool {
		return s.Phase == model.Live && s.Link.Link == model.Connected && len(s.Ignored) == c.creates-c.deletes
	})
}

// accounts holds the events of both observers to the truth.
func (c *churn) accounts(w *electiontest.Watched) {
	c.t.Helper()
	w.Accounts(c.t, c.creates, c.deletes, false)
	c.reads.Accounts(c.t, c.creates, c.deletes, false)
}

func poll(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.After(electiontest.WaitFor), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: not within %v", what, electiontest.WaitFor)
		}
	}
}

// TestTroubleWithAnEnsemble: whatever happens to the servers and the network,
// the picture is said to be stale while it is, comes back, and each change is
// either seen or counted as missed.
func TestTroubleWithAnEnsemble(t *testing.T) {
	t.Parallel()
	e := zktest.NewEnsemble(t, 3)
	setup := func(t *testing.T) *churn {
		path := clienttest.ElectionPath(t)
		clienttest.Creator(t, clienttest.Raw(t, e.Leader(t).Addr))(path, 0)
		return &churn{t: t, e: e, path: path}
	}

	t.Run("without quorum", func(t *testing.T) {
		c := setup(t)
		w, l := c.lookOn(t, nil)
		c.seen(w)
		c.some(4)
		c.seen(w)
		before := l.len()
		killed := []*zktest.Server{e.Leader(t)}
		for _, s := range e.Members {
			if s != killed[0] && len(killed) < 2 {
				killed = append(killed, s)
			}
		}
		for _, s := range killed {
			s.Kill(t)
		}
		s := w.Await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link != model.Connected && s.Link.Err != "" })
		if s.DownSince.IsZero() || len(s.Ignored) != 2 {
			t.Errorf("while disconnected: down since %v, %d children", s.DownSince, len(s.Ignored))
		}
		// Each server is named while it is tried, with the reason why the last
		// one was not it.
		poll(t, "every server tried", func() bool {
			tried := make(map[string]bool)
			for _, c := range l.since(before) {
				if c.Link != model.Connected && c.Err != "" {
					tried[c.Server] = true
				}
			}
			return len(tried) == 3
		})
		if s := w.Feed.State(); s.Link.Link == model.Connected || s.Link.Err == "" || s.Link.Server == "" {
			t.Errorf("without quorum the link is %+v", s.Link)
		}
		for _, s := range killed {
			s.Start(t)
		}
		e.Leader(t)
		c.some(4)
		if s := c.seen(w); s.Link.Err != "" || !s.DownSince.IsZero() || s.Reconnects == 0 {
			t.Errorf("back: link %+v, down since %v, %d reconnects", s.Link, s.DownSince, s.Reconnects)
		}
		c.accounts(w)
	})

	t.Run("rolling restart", func(t *testing.T) {
		c := setup(t)
		w, _ := c.lookOn(t, nil)
		c.seen(w)
		for _, s := range e.Members {
			s.Stop(t)
			e.Leader(t)
			c.some(2) // while one is away
			s.Start(t)
		}
		e.Leader(t)
		c.some(2)
		if s := c.seen(w); s.Reconnects == 0 {
			t.Errorf("all servers were restarted and the observer says %d reconnects", s.Reconnects)
		}
		c.accounts(w)
	})

	t.Run("cut for longer than the session", func(t *testing.T) {
		c := setup(t)
		var n network
		w, l := c.lookOn(t, func(cfg *client.Config) {
			cfg.Dial, cfg.SessionTimeout = n.dial, time.Second
			cfg.DialTimeout = 10 * time.Second // patient: it is to hear of the expiry, and not give up before
		})
		session := c.seen(w).Link.Session
		c.some(2)
		c.seen(w)
		n.cut(true)
		w.Await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link == model.Disconnected })
		c.some(4) // which nobody sees
		leader := e.Leader(t)
		// A dump lacks a session that is heard of while it is made, so one
		// without it is no evidence; many in a row for as long as it lasts are.
		seen, without := time.Now(), 0
		poll(t, "the session's expiry", func() bool {
			without++
			if strings.Contains(leader.Ask(t, "dump"), fmt.Sprintf("0x%x", session)) {
				seen, without = time.Now(), 0
			}
			return without > 10 && time.Since(seen) > time.Second
		})
		if s := w.Feed.State(); s.Link.Link == model.Connected || s.DownSince.IsZero() || len(s.Ignored) != 1 {
			t.Errorf("while cut off: link %+v, down since %v, %d children", s.Link, s.DownSince, len(s.Ignored))
		}
		before := l.len()
		n.cut(false)
		if s := c.seen(w); s.Link.Session == session || s.Link.Session == 0 {
			t.Errorf("session %#x after %#x expired", s.Link.Session, session)
		}
		expired := false
		for _, c := range l.since(before) {
			expired = expired || c.Link == model.Expired
		}
		if !expired {
			t.Error("nothing said that the session expired")
		}
		c.accounts(w)
	})

	t.Run("deleted and created again", func(t *testing.T) {
		for _, away := range []bool{false, true} {
			c := setup(t)
			var n network
			w, _ := c.lookOn(t, func(cfg *client.Config) { cfg.Dial = n.dial })
			c.seen(w)
			c.some(1)
			c.seen(w)
			conn := clienttest.Raw(t, e.Leader(t).Addr)
			if away {
				n.cut(true)
				w.Await(t, "disconnected", func(s *doctor.State) bool { return s.Link.Link == model.Disconnected })
			}
			children, _, err := conn.Children(c.path)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range children {
				if err := conn.Delete(znode.Join(c.path, name), -1); err != nil {
					t.Fatal(err)
				}
			}
			if err := conn.Delete(c.path, -1); err != nil {
				t.Fatal(err)
			}
			if !away {
				w.Await(t, "absent", func(s *doctor.State) bool { return s.Phase == model.NoParent && len(s.Ignored) == 0 })
			}
			clienttest.Creator(t, conn)(c.path, 0)
			for range 3 {
				clienttest.Creator(t, conn)(c.path+"/n_", zk.FlagSequence)
			}
			n.cut(false)
			for _, w := range []*electiontest.Watched{w, c.reads} {
				w.Await(t, "the new one", func(s *doctor.State) bool { return s.Phase == model.Live && len(s.Ignored) == 3 })
				w.Accounts(t, 1+3, 1, true) // what else happened under the old parent nobody can tell, and that is said
			}
		}
	})
}
