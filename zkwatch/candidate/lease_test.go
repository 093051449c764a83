package candidate_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
)

func TestFrozenLeaderBelievesUntilItThaws(t *testing.T) {
	t.Parallel()
	virtual(t, 3, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, _ []*fault.Line) {
		before := s[0].Now()
		s[0].Freeze()
		next := s[1].Believes(t, model.Leading)
		if next.Fence <= before.Fence {
			t.Errorf("the next leader's fence %x is not above %x", next.Fence, before.Fence)
		}
		time.Sleep(time.Hour) // virtual
		if m := s[0].Now(); m.Belief != model.Leading {
			t.Errorf("frozen for an hour it believes %q", m.Belief)
		}
		_, i := s[0].Await(t, 0, "leading", leads)
		s[0].Thaw()
		_, i = s[0].Await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		m, _ := s[0].Await(t, i, "waiting again", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.Session == before.Session || m.Watches != s[2].Now().Znode {
			t.Errorf("volunteered again as %+v, want another session and the last place", m)
		}
	})
}

func TestKilledWhileFrozen(t *testing.T) {
	virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, _ []*fault.Line) {
		s[0].Freeze()
		s[0].Kill()
		if err := <-s[0].Done; err != nil {
			t.Errorf("Run after Kill: %v", err)
		}
		s[1].Believes(t, model.Leading)
	})
}

// TestAtMostOneLeader runs days of random trouble in virtual time. At no
// moment do two candidates that are not frozen believe that they lead.
func TestAtMostOneLeader(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	virtual(t, 5, func(t *testing.T, server *zkserver.Server, s []*electiontest.Stander, lines []*fault.Line) {
		frozen := make([]bool, len(s))
		check := func() {
			t.Helper()
			n := 0
			for i := range s {
				if !frozen[i] && leads(s[i].Now()) {
					n++
				}
			}
			if n > 1 {
				t.Fatalf("%d believe that they lead", n)
			}
		}
		rounds := 2000
		if testing.Short() {
			rounds = 200
		}
		for range rounds {
			i := random.IntN(len(s))
			switch random.IntN(7) {
			case 0:
				clienttest.Restart(server, time.Duration(random.Int64N(int64(electiontest.LeaseTimeout))))
			case 1:
				frozen[i] = true
				s[i].Freeze()
			case 2:
				// It may believe for as long as it takes to look at its clock.
				s[i].Thaw()
				synctest.Wait()
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
			t.Errorf("after the trouble %d lead, want 1", n)
		}
	})
}
