package candidate_test

import (
	"context"
	"errors"
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
	"electop/demo/zktest"
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func awaitObstacle(t *testing.T, s *electiontest.Candidate, from int, what string) int {
	t.Helper()
	_, i := s.Await(t, from, "elected, with an obstacle: "+what, func(m model.Member) bool {
		return m.Belief == model.Elected && strings.Contains(m.Obstacle, what)
	})
	return i
}

func unobstructed(m model.Member) bool { return m.Belief == model.Leading && m.Obstacle == "" }

func TestAckIsRestored(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		cfg := candidate.Config{Conn: on.Config(), Path: on.Path, Ack: on.Path + "-leader"}
		a, b := electiontest.RunCandidate(t, cfg), electiontest.NewCandidate(cfg)
		a.AwaitBelief(t, model.Leading)
		b.Start(t)
		b.AwaitBelief(t, model.Waiting)
		on.Remove(on.Path + "-leader")
		a.Await(t, 0, "the acknowledgement exists again", func(model.Member) bool {
			exists, _, err := on.Exists(on.Path + "-leader")
			return err == nil && exists
		})
		if got := a.Now(); !unobstructed(got) {
			t.Errorf("got report %+v, want Leading without an obstacle", got)
		}
	})
}

func TestAckPathIsTaken(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if err := on.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		for what, ack := range map[string]struct {
			flags int32
			acl   []zk.ACL
		}{"persistent znode": {0, electiontest.Open}, "belongs to session": {zk.FlagEphemeral, zk.AuthACL(zk.PermAll)}} {
			path := electiontest.ElectionPath(t)
			if _, err := on.Create(path+"-leader", nil, ack.flags, ack.acl); err != nil {
				t.Fatal(err)
			}
			s := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: path, Create: true, Ack: path + "-leader"})
			i := awaitObstacle(t, s, 0, what)
			on.Remove(path + "-leader")
			s.Await(t, i, "leading", unobstructed)
		}
	})
}

func TestUnreadablePredecessor(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		if err := on.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		leader := zktest.Must(on.Create(on.Path+"/n_", nil, electiontest.Contender, zk.AuthACL(zk.PermAll)))
		s := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path, Ack: on.Path + "-leader"})
		s.Await(t, 0, "waiting, with an obstacle about the permission", func(m model.Member) bool {
			return m.Belief == model.Waiting && strings.Contains(m.Obstacle, "no permission to read") && m.Watches == znode.Base(leader)
		})
		on.Remove(leader)
		s.Await(t, 0, "leading", unobstructed)
	})
}

// TestFullQuotaIsReported uses Apache's server, because the embedded server has no quotas.
func TestFullQuotaIsReported(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t, zktest.WithProperty("zookeeper.enforceQuota", "true"))
	c := zktest.Client(t, server.Addr)
	create := electiontest.Creator(t, c)
	create("/full", 0)
	create("/full/election", 0)
	create("/zookeeper/quota/full", 0)
	limit := "/zookeeper/quota/full/zookeeper_limits"
	zktest.Must(c.Create(limit, []byte("count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=2"), 0, electiontest.Open))
	zktest.Must(c.Create("/zookeeper/quota/full/zookeeper_stats", []byte("count=0,bytes=0"), 0, electiontest.Open))
	s := electiontest.RunCandidate(t, candidate.Config{Conn: electiontest.Config(t, server.Addr), Path: "/full/election"})
	m, i := s.Await(t, 0, "an obstacle about the quota", func(m model.Member) bool { return strings.Contains(m.Obstacle, client.ErrQuota.Error()) })
	again, _ := s.Await(t, i+1, "another report with an obstacle", func(m model.Member) bool { return m.Obstacle != "" })
	if m.Belief != model.Volunteering || again.Session != m.Session {
		t.Errorf("got reports %+v and %+v, want Volunteering in one session", m, again)
	}
	zktest.Must(c.Set(limit, []byte("count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=10"), -1))
	if got, _ := s.Await(t, i, "leading", unobstructed); got.Session != m.Session {
		t.Errorf("got leader %+v, want session %#x", got, m.Session)
	}
}

func TestSessionTimeoutTooShortForALease(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		cfg := electiontest.Config(t, addr)
		cfg.SessionTimeout, cfg.Tick = time.Second, 2*time.Second
		c := candidate.New(candidate.Config{Conn: cfg, Path: electiontest.ElectionPath(t), Create: true})
		if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "too short for a leader's lease") || !strings.Contains(err.Error(), "4s") {
			t.Errorf("Run: got error %v, want \"too short for a leader's lease\" and 4s", err)
		}
		cfg.SessionTimeout = 4 * time.Second
		electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: electiontest.ElectionPath(t), Create: true}).AwaitBelief(t, model.Leading)
	})
}

func TestConnectionTooSlowForALease(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		first := on.Make(on.Path+"/n_", electiontest.Contender)
		link := zktest.NewLink(t, on.Addr)
		cfg := electiontest.Config(t, link.Addr)
		cfg.SessionTimeout = time.Second
		s := electiontest.RunCandidate(t, candidate.Config{Conn: cfg, Path: on.Path, Ack: on.Path + "-leader"})
		s.AwaitBelief(t, model.Waiting)
		link.SetLatency(150*time.Millisecond, 150*time.Millisecond)
		on.Remove(first)
		i := awaitObstacle(t, s, 0, "no lease: answers take")
		link.SetLatency(0, 0)
		_, i = s.Await(t, i, "leading", unobstructed)

		// On a busy machine the session may end before the suspended leader reports the obstacle.
		for range 10 {
			link.SetLatency(150*time.Millisecond, 150*time.Millisecond)
			var m model.Member
			m, i = s.Await(t, i, "suspended or elected, with an obstacle: no lease", func(m model.Member) bool {
				return (m.Belief == model.Suspended || m.Belief == model.Elected) && strings.Contains(m.Obstacle, "no lease: answers take")
			})
			link.SetLatency(0, 0)
			_, i = s.Await(t, i, "leading", unobstructed)
			if m.Belief == model.Suspended {
				return
			}
		}
		t.Error("got no suspended leader with an obstacle in 10 attempts")
	})
}

func withOneCandidate(t *testing.T, prepare func(c *zk.Conn, cfg *candidate.Config), f func(server *zkserver.Server, c *zk.Conn, s *electiontest.Candidate)) {
	synctest.Test(t, func(t *testing.T) {
		server, c := electiontest.Embedded(t)
		cfg := candidate.Config{Conn: electiontest.Conn(server, nil), Path: "/election", Create: true}
		prepare(c, &cfg)
		f(server, c, electiontest.RunCandidate(t, cfg))
	})
}

func withUnreadablePredecessor(t *testing.T, f func(server *zkserver.Server, c *zk.Conn, leader string, s *electiontest.Candidate, requests *atomic.Int64)) {
	var leader string
	var requests atomic.Int64
	withOneCandidate(t, func(c *zk.Conn, cfg *candidate.Config) {
		zktest.Must(c.Create("/election", nil, 0, electiontest.Open))
		if err := c.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		leader = zktest.Must(c.Create("/election/n_", nil, electiontest.Contender, zk.AuthACL(zk.PermAll)))
		electiontest.OnRequest(&cfg.Conn, wire.OpExists, func(net.Conn, []byte) bool {
			if requests.Add(1) > 10_000 {
				panic("more than 10000 exists requests: the candidate polls without a pause")
			}
			return false
		})
	}, func(server *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
		s.Await(t, 0, "waiting, with an obstacle about the permission", func(m model.Member) bool {
			return m.Belief == model.Waiting && strings.Contains(m.Obstacle, "no permission to read")
		})
		f(server, c, leader, s, &requests)
	})
}

func TestUnreadablePredecessorBecomesReadable(t *testing.T) {
	withUnreadablePredecessor(t, func(_ *zkserver.Server, c *zk.Conn, leader string, s *electiontest.Candidate, requests *atomic.Int64) {
		zktest.Must(c.SetACL(leader, electiontest.Open, -1))
		zktest.Must(c.Set(leader, []byte("x"), -1))
		before := requests.Load()
		s.Await(t, 0, "waiting for a readable predecessor", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Obstacle == ""
		})
		time.Sleep(time.Minute)
		if n := requests.Load() - before; n > 5 {
			t.Errorf("got %d exists requests in a minute, want at most 5", n)
		}
	})
}

func TestUnreadablePredecessorAndALostConnection(t *testing.T) {
	withUnreadablePredecessor(t, func(server *zkserver.Server, _ *zk.Conn, _ string, s *electiontest.Candidate, _ *atomic.Int64) {
		electiontest.Restart(server, 3*time.Second)
		time.Sleep(time.Minute)
		if m := s.Now(); m.Belief != model.Waiting {
			t.Errorf("a minute after the restart: got report %+v, want Waiting", m)
		}
	})
}

func TestNoFalseObstacle(t *testing.T) {
	for _, how := range []string{"deleted", "resigned"} {
		t.Run(how, func(t *testing.T) {
			withOneCandidate(t, func(_ *zk.Conn, cfg *candidate.Config) {
				cfg.Lead = func(context.Context, int64) error { return nil }
			}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
				m := s.AwaitBelief(t, model.Leading)
				if how == "resigned" {
					s.Resign()
				} else {
					electiontest.Remove(t, c, "/election/"+m.Znode)
				}
				time.Sleep(30 * time.Second)
				for _, m := range s.All() {
					if m.Obstacle != "" {
						t.Errorf("%s, belief %s: got obstacle %q, want none", how, m.Belief, m.Obstacle)
					}
				}
			})
		})
	}
}

func closeOnce(cfg *candidate.Config, op wire.Op, armed *atomic.Bool) {
	electiontest.OnRequest(&cfg.Conn, op, func(c net.Conn, _ []byte) bool {
		breaks := armed.CompareAndSwap(true, false)
		if breaks {
			c.Close()
		}
		return breaks
	})
}

func TestStoppedAfterAnObstacle(t *testing.T) {
	var stopped atomic.Int64
	withOneCandidate(t, func(_ *zk.Conn, cfg *candidate.Config) {
		cfg.Ack, cfg.Stopped = "/leader", func() { stopped.Add(1) }
	}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
		s.AwaitBelief(t, model.Leading)
		zktest.Must(c.Multi(&zk.DeleteRequest{Path: "/leader", Version: -1}, &zk.CreateRequest{Path: "/leader", Acl: electiontest.Open, Flags: zk.FlagEphemeral}))
		awaitObstacle(t, s, 0, "belongs to session")
		s.Resign()
		if err := <-s.Done; err != nil || stopped.Load() != 1 {
			t.Errorf("Run: got error %v and %d calls of Stopped, want none and 1", err, stopped.Load())
		}
	})
}

func TestOwnAckIsUnreadable(t *testing.T) {
	var requests atomic.Int64
	withOneCandidate(t, func(_ *zk.Conn, cfg *candidate.Config) {
		cfg.Ack = "/leader"
		electiontest.OnRequest(&cfg.Conn, wire.OpExists, func(net.Conn, []byte) bool { return requests.Add(1) > 10_000 })
	}, func(server *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
		s.AwaitBelief(t, model.Leading)
		zktest.Must(c.SetACL("/leader", zk.WorldACL(zk.PermDelete), -1))
		electiontest.Restart(server, time.Second)
		time.Sleep(time.Minute)
		if n := requests.Load(); s.Now().Belief != model.Leading || n == 0 || n > 60 {
			t.Errorf("got report %+v and %d exists requests in a minute, want Leading and 1 to 60", s.Now(), n)
		}
	})
}

func TestWatchOnTheOwnZnodeIsSetAgain(t *testing.T) {
	var armed atomic.Bool
	withOneCandidate(t, func(c *zk.Conn, cfg *candidate.Config) {
		zktest.Must(c.Create("/election-leader", nil, zk.FlagEphemeral, electiontest.Open))
		cfg.Ack = "/election-leader"
		closeOnce(cfg, wire.OpGetData, &armed)
	}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
		elected := func(m model.Member) bool { return m.Belief == model.Elected && m.Obstacle != "" }
		m, i := s.Await(t, 0, "elected with an obstacle", elected)
		armed.Store(true)
		zktest.Must(c.Set("/election/"+m.Znode, []byte("x"), -1))
		_, i = s.Await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		_, i = s.Await(t, i, "elected with an obstacle again", elected)
		electiontest.Remove(t, c, "/election/"+m.Znode)
		s.Await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		electiontest.Remove(t, c, "/election-leader")
		if now, _ := s.Await(t, i, "leading", unobstructed); now.Znode == m.Znode {
			t.Errorf("got leader with the deleted znode %s, want a new znode", now.Znode)
		}
	})
}

func TestSuspensionsLeakNoGoroutines(t *testing.T) {
	withOneCandidate(t, func(c *zk.Conn, cfg *candidate.Config) {
		zktest.Must(c.Create("/chroot", nil, 0, electiontest.Open))
		cfg.Conn.Servers.Chroot, cfg.Ack = "/chroot", "/election-leader"
	}, func(server *zkserver.Server, _ *zk.Conn, s *electiontest.Candidate) {
		s.AwaitBelief(t, model.Leading)
		time.Sleep(time.Minute)
		before := runtime.NumGoroutine()
		for range 20 {
			from := len(s.All())
			electiontest.Restart(server, time.Second)
			_, i := s.Await(t, from, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
			s.Await(t, i, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
			time.Sleep(10 * time.Second)
		}
		if n := runtime.NumGoroutine() - before; n > 5 {
			t.Errorf("got %d more goroutines after 20 lost connections, want at most 5", n)
		}
	})
}

// TestElectedWithoutALease elects a candidate an hour after its create, which no longer proves a lease.
func TestElectedWithoutALease(t *testing.T) {
	var leader string
	withOneCandidate(t, func(c *zk.Conn, cfg *candidate.Config) {
		zktest.Must(c.Create("/election", nil, 0, electiontest.Open))
		leader = zktest.Must(c.Create("/election/n_", nil, electiontest.Contender, electiontest.Open))
	}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
		s.AwaitBelief(t, model.Waiting)
		time.Sleep(time.Hour)
		electiontest.Remove(t, c, leader)
		s.AwaitBelief(t, model.Leading)
		reports := s.All()
		i := slices.IndexFunc(reports, func(m model.Member) bool { return m.Belief == model.Elected })
		if m := reports[i]; !m.LeaseEnd.IsZero() {
			t.Errorf("got elected candidate %+v, want no lease", m)
		}
	})
}

func TestConnectionLostBeforeTheList(t *testing.T) {
	var armed atomic.Bool
	var leader string
	withOneCandidate(t, func(c *zk.Conn, cfg *candidate.Config) {
		zktest.Must(c.Create("/election", nil, 0, electiontest.Open))
		leader = zktest.Must(c.Create("/election/n_", nil, electiontest.Contender, electiontest.Open))
		closeOnce(cfg, wire.OpGetChildren2, &armed)
	}, func(_ *zkserver.Server, c *zk.Conn, s *electiontest.Candidate) {
		before := s.AwaitBelief(t, model.Waiting)
		armed.Store(true)
		electiontest.Remove(t, c, leader)
		after := s.AwaitBelief(t, model.Leading)
		if armed.Load() || after.Znode != before.Znode || after.Session != before.Session {
			t.Errorf("got armed %t, leader %s of session %#x; want false, %s of %#x", armed.Load(), after.Znode, after.Session, before.Znode, before.Session)
		}
	})
}

func TestServerRequiresAuthentication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &electiontest.Peer{Answer: func(_ electiontest.Request, reply func(int32, int32, []byte), xid int32) bool {
			reply(xid, int32(wire.AuthRequired), nil)
			return true
		}}
		c := candidate.New(candidate.Config{
			Path: "/e",
			Conn: client.Config{Servers: client.ConnectString{Servers: []string{"peer:2181"}}, Dial: p.Dial},
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := c.Run(ctx); !errors.Is(err, client.ErrAuthRequired) || !errors.Is(err, zk.ErrAuthFailed) || p.Dials() > 3 {
			t.Errorf("Run: got error %v after %d connections, want %v after at most 3", err, p.Dials(), client.ErrAuthRequired)
		}
		p.Served.Wait()
	})
}
