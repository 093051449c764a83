package candidate_test

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
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

// alone runs one candidate in virtual time, and a bare client beside it.
func alone(t *testing.T, prepare func(c *zk.Conn, w *electiontest.Wires, cfg *candidate.Config), f func(c *zk.Conn, s *electiontest.Stander, w *electiontest.Wires)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		c, events, err := zk.Connect([]string{"127.0.0.1:1"}, electiontest.LeaseTimeout, zk.WithLogger(clienttest.Silent{}),
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
		w := &electiontest.Wires{Server: server}
		cfg := candidate.Config{
			Conn: client.Config{Servers: client.ConnectString{Servers: []string{"127.0.0.1:1"}}, SessionTimeout: electiontest.LeaseTimeout, Dial: w.Dial, BufferSize: 16 << 10, MaxReply: 64 << 10},
			Path: "/election", Create: true,
		}
		if prepare != nil {
			prepare(c, w, &cfg)
		}
		f(c, electiontest.Stand(t, cfg), w)
	})
}

// behindUnreadable runs a candidate whose predecessor may not be read.
func behindUnreadable(t *testing.T, f func(c *zk.Conn, leader string, s *electiontest.Stander, w *electiontest.Wires, requests *atomic.Int64)) {
	var leader string
	var requests atomic.Int64
	alone(t, func(c *zk.Conn, w *electiontest.Wires, cfg *candidate.Config) {
		clienttest.Must(c.Create("/election", nil, 0, clienttest.Open))
		if err := c.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		leader = clienttest.Must(c.Create("/election/n_", nil, clienttest.Contender, zk.AuthACL(zk.PermAll)))
		cfg.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := w.Dial(ctx, network, addr)
			return &clienttest.Counted{Conn: conn, Op: wire.OpExists, N: &requests}, err
		}
	}, func(c *zk.Conn, s *electiontest.Stander, w *electiontest.Wires) {
		s.Await(t, 0, "waiting, and says what it cannot read", func(m model.Member) bool {
			return m.Belief == model.Waiting && strings.Contains(m.Obstacle, "no permission to read")
		})
		f(c, leader, s, w, &requests)
	})
}

func TestUnreadablePredecessorBecomesReadable(t *testing.T) {
	behindUnreadable(t, func(c *zk.Conn, leader string, s *electiontest.Stander, w *electiontest.Wires, requests *atomic.Int64) {
		clienttest.Must(c.SetACL(leader, clienttest.Open, -1))
		clienttest.Must(c.Set(leader, []byte("x"), -1))
		before := requests.Load()
		s.Await(t, 0, "waiting for one that it can read", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Obstacle == ""
		})
		time.Sleep(time.Minute)
		if n := requests.Load() - before; n > 5 {
			t.Errorf("%d times it asked whether it is there", n)
		}
	})
}

func TestUnreadablePredecessorAndALostConnection(t *testing.T) {
	behindUnreadable(t, func(c *zk.Conn, leader string, s *electiontest.Stander, w *electiontest.Wires, _ *atomic.Int64) {
		w.Cut()
		time.Sleep(3 * time.Second)
		w.Mend()
		time.Sleep(time.Minute)
		if m := s.Now(); m.Belief != model.Waiting {
			t.Errorf("connected for a minute it is %+v", m)
		}
	})
}

// TestNoFalseReason: a leader that stops because it is told to, or because its
// znode is gone, has no trouble with its connection or its lease.
func TestNoFalseReason(t *testing.T) {
	for _, how := range []string{"deleted", "resigned"} {
		t.Run(how, func(t *testing.T) {
			alone(t, func(_ *zk.Conn, _ *electiontest.Wires, cfg *candidate.Config) {
				cfg.Lead = func(ctx context.Context, _ int64) error {
					context.AfterFunc(ctx, func() {})
					return nil
				}
			}, func(c *zk.Conn, s *electiontest.Stander, _ *electiontest.Wires) {
				m := s.Believes(t, model.Leading)
				if how == "resigned" {
					s.Resign()
				} else if err := c.Delete("/election/"+m.Znode, -1); err != nil {
					t.Fatal(err)
				}
				time.Sleep(30 * time.Second)
				for _, m := range s.Reports() {
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
	alone(t, func(c *zk.Conn, w *electiontest.Wires, cfg *candidate.Config) {
		clienttest.Must(c.Create("/election-leader", nil, zk.FlagEphemeral, clienttest.Open))
		cfg.Ack = "/election-leader"
		cfg.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := w.Dial(ctx, network, addr)
			return &breaking{conn, wire.OpGetData, &armed}, err
		}
	}, func(c *zk.Conn, s *electiontest.Stander, w *electiontest.Wires) {
		elected := func(m model.Member) bool { return m.Belief == model.Elected && m.Obstacle != "" }
		m, i := s.Await(t, 0, "behind somebody's acknowledgement", elected)
		armed.Store(true)
		clienttest.Must(c.Set("/election/"+m.Znode, []byte("x"), -1))
		_, i = s.Await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		_, i = s.Await(t, i, "behind it again", elected)
		if err := c.Delete("/election/"+m.Znode, -1); err != nil {
			t.Fatal(err)
		}
		s.Await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		if err := c.Delete("/election-leader", -1); err != nil {
			t.Fatal(err)
		}
		if now, _ := s.Await(t, i, "leading", unobstructed); now.Znode == m.Znode {
			t.Errorf("leads as %s, which is not there", now.Znode)
		}
	})
}

// TestSuspensionsLeaveNothing: with a chroot each watch has a goroutine.
func TestSuspensionsLeaveNothing(t *testing.T) {
	alone(t, func(c *zk.Conn, _ *electiontest.Wires, cfg *candidate.Config) {
		clienttest.Must(c.Create("/chroot", nil, 0, clienttest.Open))
		cfg.Conn.Servers.Chroot, cfg.Ack = "/chroot", "/election-leader"
	}, func(_ *zk.Conn, s *electiontest.Stander, w *electiontest.Wires) {
		s.Believes(t, model.Leading)
		time.Sleep(time.Minute)
		before := runtime.NumGoroutine()
		for range 20 {
			from := s.Reported()
			w.Cut()
			_, i := s.Await(t, from, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
			w.Mend()
			s.Await(t, i, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
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
	alone(t, func(c *zk.Conn, _ *electiontest.Wires, cfg *candidate.Config) {
		clienttest.Must(c.Create("/election", nil, 0, clienttest.Open))
		leader = clienttest.Must(c.Create("/election/n_", nil, clienttest.Contender, clienttest.Open))
	}, func(c *zk.Conn, s *electiontest.Stander, _ *electiontest.Wires) {
		s.Believes(t, model.Waiting)
		time.Sleep(time.Hour)
		if err := c.Delete(leader, -1); err != nil {
			t.Fatal(err)
		}
		s.Believes(t, model.Leading)
		reports := s.Reports()
		i := slices.IndexFunc(reports, func(m model.Member) bool { return m.Belief == model.Elected })
		if m := reports[i]; !m.LeaseEnd.IsZero() {
			t.Errorf("elected with %+v", m)
		}
	})
}
