package zkwatch_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch"
)

// waitFor is how long a condition may take on a busy machine.
const waitFor = 20 * time.Second

// stander is a running candidate and all that it reported.
type stander struct {
	*zkwatch.Candidate
	cancel context.CancelFunc
	done   chan error

	mu      sync.Mutex
	reports []model.Member
	changed chan struct{}
}

func config(t *testing.T, addr string) zkwatch.Config {
	t.Helper()
	servers, err := zkwatch.ParseConnectString(addr)
	if err != nil {
		t.Fatal(err)
	}
	return zkwatch.Config{Servers: servers, SessionTimeout: 2 * time.Second, BufferSize: 16 << 10, MaxReply: 256 << 10}
}

// stand runs a candidate until the test ends.
func stand(t *testing.T, cfg zkwatch.CandidateConfig) *stander {
	t.Helper()
	s := newStander(cfg)
	s.run(t)
	return s
}

func newStander(cfg zkwatch.CandidateConfig) *stander {
	s := &stander{changed: make(chan struct{}), done: make(chan error, 1)}
	cfg.Report = func(_ time.Time, m model.Member) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reports = append(s.reports, m)
		close(s.changed)
		s.changed = make(chan struct{})
	}
	s.Candidate = zkwatch.NewCandidate(cfg)
	return s
}

func (s *stander) run(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.done <- s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		s.Thaw()
		<-ended
	})
}

func (s *stander) first() model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reports[0]
}

// await returns the first report, from the from-th on, that holds.
func (s *stander) await(t *testing.T, from int, what string, holds func(model.Member) bool) (model.Member, int) {
	t.Helper()
	deadline := time.After(waitFor)
	for {
		s.mu.Lock()
		for i := from; i < len(s.reports); i++ {
			if holds(s.reports[i]) {
				m := s.reports[i]
				s.mu.Unlock()
				return m, i
			}
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s: not within %v; last report %+v", what, waitFor, s.now())
		}
	}
}

func (s *stander) now() model.Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.reports) == 0 {
		return model.Member{}
	}
	return s.reports[len(s.reports)-1]
}

func (s *stander) believes(t *testing.T, b model.Belief) model.Member {
	t.Helper()
	m, _ := s.await(t, 0, "belief "+string(b), func(m model.Member) bool { return m.Belief == b })
	return m
}

// raw returns a bare client, for looking behind the scenes.
func raw(t *testing.T, addr string) *zk.Conn {
	t.Helper()
	c, events, err := zk.Connect([]string{addr, addr}, 10*time.Second, zk.WithLogger(silent{}))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range events {
		}
	}()
	t.Cleanup(c.Close)
	return c
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// electionPath is a path that no other test uses.
func electionPath(t *testing.T) string {
	return fmt.Sprintf("/t%x", time.Now().UnixNano())
}

func TestElectionByTheRecipe(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		var standers []*stander
		for i := range 4 {
			s := stand(t, zkwatch.CandidateConfig{
				Conn: config(t, addr), Path: path, Create: true, Data: fmt.Appendf(nil, "n%d", i), Ack: path + "-leader",
			})
			want := model.Waiting
			if i == 0 {
				want = model.Leading
			}
			m := s.believes(t, want)
			if i > 0 && m.Watches != standers[i-1].now().Znode {
				t.Errorf("candidate %d watches %q, its predecessor is %q", i, m.Watches, standers[i-1].now().Znode)
			}
			standers = append(standers, s)
		}
		acked := func(s *stander) {
			t.Helper()
			m := s.believes(t, model.Leading)
			data, stat, err := c.Get(path + "-leader")
			if err != nil {
				t.Fatal(err)
			}
			node, fence := model.ParseAck(data)
			if node != znode.Join(path, m.Znode) || fence != m.Fence || uint64(stat.EphemeralOwner) != m.Session {
				t.Errorf("acknowledgement %s of session %x, leader is %+v", data, stat.EphemeralOwner, m)
			}
		}
		acked(standers[0])

		// The middle one leaves: nobody leads but the first, and the last watches
		// the one before the one that left.
		standers[2].Resign()
		if err := <-standers[2].done; err != nil {
			t.Errorf("Run after Resign: %v", err)
		}
		standers[3].await(t, 0, "watching the new predecessor", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Watches == standers[1].now().Znode
		})

		// The leader resigns: the second leads, by one notification.
		standers[0].Resign()
		acked(standers[1])

		// The leader dies: its session has to expire first.
		standers[1].Kill()
		acked(standers[3])
	})
}

func TestDeletedLeaderStepsDown(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		over := make(chan struct{})
		s := stand(t, zkwatch.CandidateConfig{
			Conn: config(t, addr), Path: path, Create: true, Ack: path + "-leader",
			Lead: func(ctx context.Context, _ int64) error {
				go func() {
					<-ctx.Done()
					select {
					case <-over:
					default:
						close(over)
					}
				}()
				return nil
			},
		})
		first := s.believes(t, model.Leading)
		if err := c.Delete(znode.Join(path, first.Znode), -1); err != nil {
			t.Fatal(err)
		}
		_, i := s.await(t, 0, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		<-over // the leader procedure's context ended
		again, _ := s.await(t, i, "leading anew", func(m model.Member) bool { return m.Belief == model.Leading })
		if again.Znode == first.Znode || again.Session == first.Session || again.Fence <= first.Fence {
			t.Errorf("leads anew as %+v after %+v", again, first)
		}
	})
}

func TestWaiterWhoseZnodeWasDeletedNeverLeads(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		a := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Create: true})
		a.believes(t, model.Leading)
		b := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path})
		first := b.believes(t, model.Waiting)
		if err := c.Delete(znode.Join(path, first.Znode), -1); err != nil {
			t.Fatal(err)
		}
		a.Resign()
		m, i := b.await(t, 0, "lost or leading", func(m model.Member) bool {
			return m.Belief == model.Lost || m.Belief == model.Leading
		})
		if m.Belief != model.Lost {
			t.Fatalf("led without a znode: %+v", m)
		}
		b.await(t, i, "leading anew", func(m model.Member) bool { return m.Belief == model.Leading })
	})
}

func TestForeignAcknowledgementIsLeftAlone(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		if _, err := c.Create(path+"-leader", []byte("somebody"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		s := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Create: true, Ack: path + "-leader"})
		_, i := s.await(t, 0, "acknowledging", func(m model.Member) bool { return m.Step == model.StepAcknowledge })
		// A setData re-arms the watch and changes nothing. The step is reported
		// before the watch is set, so one that came too early is followed by another.
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for looked := 0; looked < 2; {
			if _, err := c.Set(path+"-leader", []byte("still here"), -1); err != nil {
				t.Fatal(err)
			}
			<-tick.C
			s.mu.Lock()
			for ; i+1 < len(s.reports); i++ {
				if s.reports[i+1].Step == model.StepAcknowledge {
					looked++
				}
			}
			s.mu.Unlock()
		}
		if m := s.now(); m.Belief != model.Elected {
			t.Errorf("with another's acknowledgement in place it believes %q", m.Belief)
		}
		if data, _, err := c.Get(path + "-leader"); err != nil || string(data) != "still here" {
			t.Errorf("the other's acknowledgement: %q, %v", data, err)
		}
		if err := c.Delete(path+"-leader", -1); err != nil {
			t.Fatal(err)
		}
		s.believes(t, model.Leading)
	})
}

func TestPersistentNumberedChildIsNobodysPredecessor(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		c := raw(t, addr)
		for _, p := range []string{path, path + "/n_0000000000", path + "/election-config"} {
			if _, err := c.Create(p, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
		}
		s := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path})
		s.believes(t, model.Leading)
	})
}

func TestMissingParentIsSaid(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		c := zkwatch.NewCandidate(zkwatch.CandidateConfig{Conn: config(t, addr), Path: electionPath(t)})
		err := c.Run(t.Context())
		if err == nil || !errors.Is(err, zkwatch.ErrNoParent) {
			t.Errorf("Run = %v, want ErrNoParent", err)
		}
	})
}

func TestHerdWatchesTheLeader(t *testing.T) {
	zktest.Each(t, func(t *testing.T, addr string) {
		path := electionPath(t)
		var head string
		for i := range 4 {
			s := stand(t, zkwatch.CandidateConfig{Conn: config(t, addr), Path: path, Create: true, Recipe: dialect.Herd()})
			if i == 0 {
				head = s.believes(t, model.Leading).Znode
				continue
			}
			if m := s.believes(t, model.Waiting); m.Watches != head {
				t.Errorf("candidate %d of the herd watches %q, the leader is %q", i, m.Watches, head)
			}
		}
	})
}

func TestHandoffCost(t *testing.T) {
	// Counted at the embedded server: it knows every request and notification.
	for _, n := range []int{3, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) { handoffCost(t, n) })
	}
}

func TestUnusableConfigurationIsSaid(t *testing.T) {
	c := zkwatch.NewCandidate(zkwatch.CandidateConfig{Path: "/election"})
	if err := c.Run(t.Context()); err == nil || t.Context().Err() != nil {
		t.Errorf("Run with no server = %v", err)
	}
}
