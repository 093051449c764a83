package candidate_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net"
	"sync"
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
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/wire"
)

func TestFrozenLeaderReportsNothingUntilItThaws(t *testing.T) {
	t.Parallel()
	withCandidates(t, 3, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Candidate, _ []*fault.Line) {
		before := s[0].Now()
		s[0].Freeze()
		i := len(s[0].All())
		next := s[1].AwaitBelief(t, model.Leading)
		if next.Fence <= before.Fence {
			t.Errorf("got fence %x of the next leader, want more than %x", next.Fence, before.Fence)
		}
		time.Sleep(time.Hour)
		if got := s[0].All()[i:]; len(got) > 0 {
			t.Errorf("frozen for an hour: got reports %+v, want none", got)
		}
		s[0].Thaw()
		_, i = s[0].Await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		m, _ := s[0].Await(t, i, "waiting again", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.Session == before.Session || m.Watches != s[2].Now().Znode {
			t.Errorf("got report %+v, want another session and the last place", m)
		}
	})
}

func TestKilledWhileFrozen(t *testing.T) {
	withCandidates(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Candidate, _ []*fault.Line) {
		s[0].Freeze()
		s[0].Kill()
		if err := <-s[0].Done; err != nil {
			t.Errorf("Run after Kill: got error %v, want none", err)
		}
		s[1].AwaitBelief(t, model.Leading)
	})
}

func TestAtMostOneLeader(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(zktest.Seed(t), 1))
	withCandidates(t, 5, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		frozen := make([]bool, len(s))
		check := func() {
			t.Helper()
			n := 0
			for i := range s {
				if !frozen[i] && believesToLead(s[i].Now()) {
					n++
				}
			}
			if n > 1 {
				t.Fatalf("got %d candidates that believe they lead, want at most 1", n)
			}
		}
		for range 2000 {
			i := random.IntN(len(s))
			switch random.IntN(7) {
			case 0:
				electiontest.Restart(server, time.Duration(random.Int64N(int64(electiontest.LeaseTimeout))))
			case 1:
				frozen[i] = true
				s[i].Freeze()
			case 2:
				s[i].Thaw()
				synctest.Wait() // until then the candidate may believe that it leads
				frozen[i] = false
			case 3, 4:
				lines[i].Partition()
			case 5, 6:
				lines[i].Heal()
			}
			for range 4 {
				time.Sleep(time.Duration(random.Int64N(int64(electiontest.LeaseTimeout))))
				check()
			}
		}
		for i := range s {
			lines[i].Heal()
			s[i].Thaw()
			frozen[i] = false
		}
		time.Sleep(10 * electiontest.LeaseTimeout)
		n := 0
		for i := range s {
			if s[i].Now().Belief == model.Leading {
				n++
			}
		}
		if n != 1 {
			t.Errorf("after all faults: got %d leaders, want 1", n)
		}
	})
}

func TestLostConnectionSuspendsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		var called, ended atomic.Int32
		started := make(chan struct{}, 10)
		s := electiontest.RunCandidate(t, candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Create: true, Ack: "/election-leader",
			Lead: func(ctx context.Context, _ int64) error {
				called.Add(1)
				started <- struct{}{}
				go func() {
					<-ctx.Done()
					ended.Add(1)
				}()
				select {
				case <-ctx.Done():
					time.Sleep(1500 * time.Millisecond)
				case <-time.After(time.Hour):
				}
				return nil
			},
		})
		<-started
		electiontest.Restart(server, 400*time.Millisecond)
		_, i := s.Await(t, 0, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		s.Await(t, i, "elected again", func(m model.Member) bool { return m.Belief == model.Elected && m.Step == model.StepLead })
		time.Sleep(3 * electiontest.LeaseTimeout)
		if called.Load() != 2 || ended.Load() != 1 {
			t.Errorf("got %d calls of Lead and %d ended contexts, want 2 and 1", called.Load(), ended.Load())
		}
	})
}

func TestLeaderWithoutRenewalsStops(t *testing.T) {
	var mu sync.Mutex
	var withheld bool
	var kept []func()
	withhold := func(on bool) {
		mu.Lock()
		defer mu.Unlock()
		withheld = on
		if !on {
			for _, write := range kept {
				write()
			}
		}
	}
	withOneCandidate(t, func(_ *zk.Conn, cfg *candidate.Config) {
		electiontest.OnRequest(&cfg.Conn, wire.OpMulti, func(c net.Conn, frame []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			if frame = bytes.Clone(frame); withheld {
				kept = append(kept, func() { c.Write(frame) })
			}
			return withheld
		})
	}, func(_ *zkserver.Server, _ *zk.Conn, s *electiontest.Candidate) {
		before, i := s.Await(t, 0, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
		time.Sleep(5 * electiontest.LeaseTimeout)
		if m := s.Now(); m.Belief != model.Leading || time.Until(m.LeaseEnd) < electiontest.LeaseTimeout/5 {
			t.Fatalf("after 5 timeouts: got report %+v, want Leading with a lease", m)
		}
		held := time.Now()
		withhold(true)
		m, i := s.Await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		if d := time.Since(held); d > electiontest.LeaseTimeout*6/10 || m.Obstacle == "" {
			t.Errorf("got a suspension %v after the last possible renewal, obstacle %q; want at most %v, an obstacle", d, m.Obstacle, electiontest.LeaseTimeout*6/10)
		}
		withhold(false)
		after, _ := s.Await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if after.Fence != before.Fence || after.Session != before.Session || after.Obstacle != "" {
			t.Errorf("got leader %+v, want no obstacle, and the fence and session of %+v", after, before)
		}
	})
}

func TestSuccessorWaitsUntilStopped(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		stopping, ended := make(chan struct{}), make(chan struct{})
		config := func(stopped func()) candidate.Config {
			return candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Ack: on.Path + "-leader", Stopped: stopped}
		}
		calls := 0
		first := electiontest.RunCandidate(t, config(func() {
			if calls++; calls == 1 {
				close(stopping)
				<-ended
			}
		}))
		own := first.AwaitBelief(t, model.Leading).Znode
		second := electiontest.RunCandidate(t, config(nil))
		second.AwaitBelief(t, model.Waiting)
		on.Remove(znode.Join(on.Path, own))
		<-stopping
		second.Await(t, 0, "elected with an obstacle", func(m model.Member) bool { return m.Belief == model.Elected && m.Obstacle != "" })
		if m := first.Now(); m.Belief != model.Suspended {
			t.Errorf("got belief %s of the leader without a znode, want Suspended", m.Belief)
		}
		from := len(second.All())
		close(ended)
		for _, m := range second.All()[:from] {
			if m.Belief == model.Leading {
				t.Error("got a leading successor before the first leader's work ended")
			}
		}
		second.Await(t, from, "leading", believing(model.Leading))
	})
}
