package observer_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

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

// lookOn observes the election by a persistent watch, and by reads besides.
func (c *churn) lookOn(t *testing.T) (*electiontest.Watched, *links) {
	t.Helper()
	cfg := clienttest.Config(t, c.e.ConnectString())
	cfg.DialTimeout = time.Second
	l := &links{}
	w := electiontest.Observe(t, cfg, model.Config{Path: c.path}, func(cfg *observer.Config) {
		put := cfg.Put
		cfg.Put = func(ctx context.Context, o model.Observation) {
			if c, ok := o.(*model.Connection); ok {
				l.mu.Lock()
				l.said = append(l.said, c)
				l.mu.Unlock()
			}
			put(ctx, o)
		}
	})
	c.reads = electiontest.Observe(t, cfg, model.Config{Path: c.path}, byReads)
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
	accounts(c.t, w, c.creates, c.deletes, false)
	accounts(c.t, c.reads, c.creates, c.deletes, false)
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
		clienttest.Creator(t, zktest.Client(t, e.Leader(t).Addr))(path, 0)
		return &churn{t: t, e: e, path: path}
	}

	t.Run("without quorum", func(t *testing.T) {
		c := setup(t)
		w, l := c.lookOn(t)
		c.seen(w)
		c.some(4)
		c.seen(w)
		before := len(l.since(0))
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
		w, _ := c.lookOn(t)
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
}
