package candidate_test

import (
	"strings"
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
)

// obstructed waits until the candidate is elected and says what keeps it from
// leading.
func obstructed(t *testing.T, s *electiontest.Stander, from int, what string) int {
	t.Helper()
	_, i := s.Await(t, from, "elected, with an obstacle: "+what, func(m model.Member) bool {
		return m.Belief == model.Elected && strings.Contains(m.Obstacle, what)
	})
	return i
}

func unobstructed(m model.Member) bool { return m.Belief == model.Leading && m.Obstacle == "" }

// TestAckIsRestored has somebody delete the acknowledgement of a leader.
func TestAckIsRestored(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		cfg := candidate.Config{Conn: on.Config(), Path: on.Path, Ack: on.Path + "-leader"}
		a, b := electiontest.Stand(t, cfg), electiontest.NewStander(cfg)
		a.Believes(t, model.Leading)
		b.Start(t)
		b.Believes(t, model.Waiting)
		on.Remove(on.Path + "-leader")
		a.Await(t, 0, "the acknowledgement is there again", func(model.Member) bool {
			there, _, err := on.Exists(on.Path + "-leader")
			return err == nil && there
		})
		if got := a.Now(); !unobstructed(got) {
			t.Errorf("it restored its acknowledgement and is %+v", got)
		}
	})
}

// TestAckOfOthers names what keeps a leader from acknowledging: a persistent znode, which
// does not go by itself, or somebody's that nobody else may read.
func TestAckOfOthers(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if err := on.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		for what, ack := range map[string]struct {
			flags int32
			acl   []zk.ACL
		}{"persistent znode": {0, clienttest.Open}, "belongs to session": {zk.FlagEphemeral, zk.AuthACL(zk.PermAll)}} {
			path := clienttest.ElectionPath(t)
			if _, err := on.Create(path+"-leader", nil, ack.flags, ack.acl); err != nil {
				t.Fatal(err)
			}
			s := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: path, Create: true, Ack: path + "-leader"})
			i := obstructed(t, s, 0, what)
			on.Remove(path + "-leader")
			s.Await(t, i, "leading", unobstructed)
		}
	})
}

// TestUnreadablePredecessor: exists is not forbidden, but servers do not tell
// who may not read a znode that it was deleted.
func TestUnreadablePredecessor(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		if err := on.AddAuth("digest", []byte("somebody:else")); err != nil {
			t.Fatal(err)
		}
		leader, err := on.Create(on.Path+"/n_", nil, clienttest.Contender, zk.AuthACL(zk.PermAll))
		if err != nil {
			t.Fatal(err)
		}
		s := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path, Ack: on.Path + "-leader"})
		s.Await(t, 0, "waiting, and says what it cannot read", func(m model.Member) bool {
			return m.Belief == model.Waiting && strings.Contains(m.Obstacle, "no permission to read") && m.Watches == znode.Base(leader)
		})
		on.Remove(leader)
		s.Await(t, 0, "leading", unobstructed)
	})
}

// TestFullQuotaIsNamed, kept to by one session, and goes on when there is room.
// The embedded server has no quotas.
func TestFullQuotaIsNamed(t *testing.T) {
	t.Parallel()
	server := zktest.NewApache(t, zktest.WithProperty("zookeeper.enforceQuota", "true"))
	c := zktest.Client(t, server.Addr)
	create := clienttest.Creator(t, c)
	create("/full", 0)
	create("/full/election", 0)
	create("/zookeeper/quota/full", 0)
	limit := "/zookeeper/quota/full/zookeeper_limits"
	if _, err := c.Create(limit, []byte("count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=2"), 0, clienttest.Open); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create("/zookeeper/quota/full/zookeeper_stats", []byte("count=0,bytes=0"), 0, clienttest.Open); err != nil {
		t.Fatal(err)
	}
	s := electiontest.Stand(t, candidate.Config{Conn: clienttest.Config(t, server.Addr), Path: "/full/election"})
	m, i := s.Await(t, 0, "it names the quota", func(m model.Member) bool { return strings.Contains(m.Obstacle, client.ErrQuota.Error()) })
	again, _ := s.Await(t, i+1, "and names it again", func(m model.Member) bool { return m.Obstacle != "" })
	if m.Belief != model.Volunteering || again.Session != m.Session {
		t.Errorf("first %+v, then %+v", m, again)
	}
	if _, err := c.Set(limit, []byte("count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=10"), -1); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Await(t, i, "leading", unobstructed); got.Session != m.Session {
		t.Errorf("leads as %+v, was %+v", got, m)
	}
}

// TestTooShortForALease: a session that lasts less than the ensemble leader may
// take to hear of it keeps no leader.
func TestTooShortForALease(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		cfg := clienttest.Config(t, addr)
		cfg.SessionTimeout, cfg.Tick = time.Second, 2*time.Second
		c := candidate.New(candidate.Config{Conn: cfg, Path: clienttest.ElectionPath(t), Create: true})
		if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "too short for a leader's lease") || !strings.Contains(err.Error(), "4s") {
			t.Errorf("Run = %v", err)
		}
		cfg.SessionTimeout = 4 * time.Second
		electiontest.Stand(t, candidate.Config{Conn: cfg, Path: clienttest.ElectionPath(t), Create: true}).Believes(t, model.Leading)
	})
}

// TestTooSlowForALease: where an answer takes as long as a good part of the
// session timeout, the leader says why it does not lead.
func TestTooSlowForALease(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		first := on.Make(on.Path+"/n_", clienttest.Contender)
		link := zktest.NewLink(t, on.Addr)
		cfg := clienttest.Config(t, link.Addr)
		cfg.SessionTimeout = time.Second
		s := electiontest.Stand(t, candidate.Config{Conn: cfg, Path: on.Path, Ack: on.Path + "-leader"})
		s.Believes(t, model.Waiting)
		link.SetLatency(150*time.Millisecond, 150*time.Millisecond)
		on.Remove(first)
		i := obstructed(t, s, 0, "no lease: answers take")
		link.SetLatency(0, 0)
		_, i = s.Await(t, i, "leading", unobstructed)

		// A leader whose link becomes as slow stops, and says the same. On a busy
		// machine its session may end before: then it says so when it is elected again.
		for range 10 {
			link.SetLatency(150*time.Millisecond, 150*time.Millisecond)
			var m model.Member
			m, i = s.Await(t, i, "suspended or elected again, and why", func(m model.Member) bool {
				return (m.Belief == model.Suspended || m.Belief == model.Elected) && strings.Contains(m.Obstacle, "no lease: answers take")
			})
			link.SetLatency(0, 0)
			_, i = s.Await(t, i, "leading", unobstructed)
			if m.Belief == model.Suspended {
				return
			}
		}
		t.Error("no leader was suspended: its session always ended before")
	})
}
