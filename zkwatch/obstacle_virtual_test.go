package zkwatch_test

import (
	"context"
	"encoding/binary"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch"
	"electop/zkwatch/wire"
)

// alone runs one candidate in virtual time, and a bare client beside it.
func alone(t *testing.T, prepare func(c *zk.Conn, w *wires, cfg *zkwatch.CandidateConfig), f func(c *zk.Conn, s *stander, w *wires)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		c, events, err := zk.Connect([]string{"127.0.0.1:1"}, leaseTimeout, zk.WithLogger(silent{}),
			zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) { return server.Dial() }))
		if err != nil {
			t.Fatal(err)
		}
		for e := range events {
			if e.State == zk.StateHasSession {
				break
			}
		}
		t.Cleanup(c.Close)
		w := &wires{server: server}
		cfg := zkwatch.CandidateConfig{
			Conn: zkwatch.Config{Servers: zkwatch.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: leaseTimeout, Dial: w.dial, BufferSize: 16 << 10, MaxReply: 64 << 10},
			Path: "/election", Create: true,
		}
		if prepare != nil {
			prepare(c, w, &cfg)
		}
		f(c, stand(t, cfg), w)
	})
}

// behindUnreadable runs a candidate whose predecessor may not be read.
func behindUnreadable(t *testing.T, f func(c *zk.Conn, leader string, s *stander, w *wires, requests *atomic.Int64)) {
	var leader string
	var requests atomic.Int64
	alone(t, func(c *zk.Conn, w *wires, cfg *zkwatch.CandidateConfig) {
		must(c.Create("/election", nil, 0, open))
		if err := c.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		leader = must(c.Create("/election/n_", nil, contender, zk.AuthACL(zk.PermAll)))
		cfg.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := w.dial(ctx, network, addr)
			return &counted{conn, wire.OpExists, &requests}, err
		}
	}, func(c *zk.Conn, s *stander, w *wires) {
		s.await(t, 0, "waiting, and says what it cannot read", func(m model.Member) bool {
			return m.Belief == model.Waiting && strings.Contains(m.Obstacle, "may not be read")
		})
		f(c, leader, s, w, &requests)
	})
}

// counted counts the requests of one kind, and stops a candidate that does
// nothing else.
type counted struct {
	net.Conn
	op wire.Op
	n  *atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	if len(b) >= 12 && wire.Op(binary.BigEndian.Uint32(b[8:])) == c.op && c.n.Add(1) > 10_000 {
		panic("ten thousand requests: virtual time stands still")
	}
	return c.Conn.Write(b)
}

func TestUnreadablePredecessorBecomesReadable(t *testing.T) {
	behindUnreadable(t, func(c *zk.Conn, leader string, s *stander, w *wires, requests *atomic.Int64) {
		must(c.SetACL(leader, open, -1))
		must(c.Set(leader, []byte("x"), -1))
		before := requests.Load()
		s.await(t, 0, "waiting for one that it can read", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Obstacle == ""
		})
		time.Sleep(time.Minute)
		if n := requests.Load() - before; n > 5 {
			t.Errorf("%d times it asked whether it is there", n)
		}
	})
}

func TestUnreadablePredecessorAndALostConnection(t *testing.T) {
	behindUnreadable(t, func(c *zk.Conn, leader string, s *stander, w *wires, _ *atomic.Int64) {
		w.cut()
		time.Sleep(3 * time.Second)
		w.mend()
		time.Sleep(time.Minute)
		if m := s.now(); m.Belief != model.Waiting {
			t.Errorf("connected for a minute it is %+v", m)
		}
	})
}

// TestNoFalseReason: a leader that stops because it is told to, or because its
// znode is gone, has no trouble with its connection or its lease.
func TestNoFalseReason(t *testing.T) {
	for _, how := range []string{"deleted", "resigned"} {
		t.Run(how, func(t *testing.T) {
			alone(t, func(_ *zk.Conn, _ *wires, cfg *zkwatch.CandidateConfig) {
				cfg.Lead = func(ctx context.Context, _ int64) error {
					context.AfterFunc(ctx, func() {})
					return nil
				}
			}, func(c *zk.Conn, s *stander, _ *wires) {
				m := s.believes(t, model.Leading)
				if how == "resigned" {
					s.Resign()
				} else if err := c.Delete("/election/"+m.Znode, -1); err != nil {
					t.Fatal(err)
				}
				time.Sleep(30 * time.Second)
				s.mu.Lock()
				defer s.mu.Unlock()
				for _, m := range s.reports {
					if m.Obstacle != "" {
						t.Errorf("%s, %s: %q", how, m.Belief, m.Obstacle)
					}
				}
			})
		})
	}
}

// breaking is a connection that ends in place of one request.
type breaking struct {
	net.Conn
	op    wire.Op
	armed *atomic.Bool
}

func (c *breaking) Write(b []byte) (int, error) {
	if len(b) >= 12 && wire.Op(binary.BigEndian.Uint32(b[8:])) == c.op && c.armed.CompareAndSwap(true, false) {
		c.Conn.Close()
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// TestOwnWatchIsSetAgain: the connection is lost while a candidate reads its
// znode again, so the watch on it is used up.
func TestOwnWatchIsSetAgain(t *testing.T) {
	var armed atomic.Bool
	alone(t, func(c *zk.Conn, w *wires, cfg *zkwatch.CandidateConfig) {
		must(c.Create("/election-leader", nil, zk.FlagEphemeral, open))
		cfg.Ack = "/election-leader"
		cfg.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := w.dial(ctx, network, addr)
			return &breaking{conn, wire.OpGetData, &armed}, err
		}
	}, func(c *zk.Conn, s *stander, w *wires) {
		elected := func(m model.Member) bool { return m.Belief == model.Elected && m.Obstacle != "" }
		m, i := s.await(t, 0, "behind somebody's acknowledgement", elected)
		armed.Store(true)
		must(c.Set("/election/"+m.Znode, []byte("x"), -1))
		_, i = s.await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		_, i = s.await(t, i, "behind it again", elected)
		if err := c.Delete("/election/"+m.Znode, -1); err != nil {
			t.Fatal(err)
		}
		s.await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		if err := c.Delete("/election-leader", -1); err != nil {
			t.Fatal(err)
		}
		if now, _ := s.await(t, i, "leading", unobstructed); now.Znode == m.Znode {
			t.Errorf("leads as %s, which is not there", now.Znode)
		}
	})
}

// TestSuspensionsLeaveNothing: with a chroot each watch has a goroutine.
func TestSuspensionsLeaveNothing(t *testing.T) {
	alone(t, func(c *zk.Conn, _ *wires, cfg *zkwatch.CandidateConfig) {
		must(c.Create("/chroot", nil, 0, open))
		cfg.Conn.Servers.Chroot, cfg.Ack = "/chroot", "/election-leader"
	}, func(_ *zk.Conn, s *stander, w *wires) {
		s.believes(t, model.Leading)
		time.Sleep(time.Minute)
		before := runtime.NumGoroutine()
		for range 20 {
			from := s.reported()
			w.cut()
			_, i := s.await(t, from, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
			w.mend()
			s.await(t, i, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
			time.Sleep(10 * time.Second)
		}
		if n := runtime.NumGoroutine() - before; n > 5 {
			t.Errorf("%d more goroutines after 20 lost connections", n)
		}
	})
}

// TestNoLeaseOfLongAgo: a lease that was proved when the candidate volunteered is
// none when it is elected.
func TestNoLeaseOfLongAgo(t *testing.T) {
	var leader string
	alone(t, func(c *zk.Conn, _ *wires, cfg *zkwatch.CandidateConfig) {
		must(c.Create("/election", nil, 0, open))
		leader = must(c.Create("/election/n_", nil, contender, open))
	}, func(c *zk.Conn, s *stander, _ *wires) {
		s.believes(t, model.Waiting)
		time.Sleep(time.Hour)
		if err := c.Delete(leader, -1); err != nil {
			t.Fatal(err)
		}
		s.believes(t, model.Leading)
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.IndexFunc(s.reports, func(m model.Member) bool { return m.Belief == model.Elected })
		if m := s.reports[i]; !m.LeaseEnd.IsZero() {
			t.Errorf("elected with %+v", m)
		}
	})
}
