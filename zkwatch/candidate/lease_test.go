package candidate_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/internal/electiontest"
)

func TestFrozenLeaderBelievesUntilItThaws(t *testing.T) {
	t.Parallel()
	electiontest.Virtual(t, 3, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, _ []*electiontest.Wires) {
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
		_, i := s[0].Await(t, 0, "leading", electiontest.Leads)
		s[0].Thaw()
		_, i = s[0].Await(t, i, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		m, _ := s[0].Await(t, i, "waiting again", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.Session == before.Session || m.Watches != s[2].Now().Znode {
			t.Errorf("volunteered again as %+v, want another session and the last place", m)
		}
	})
}

func TestShortFreezeChangesNothing(t *testing.T) {
	electiontest.Virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, _ []*electiontest.Wires) {
		before := s[0].Now()
		s[0].Freeze()
		time.Sleep(electiontest.LeaseTimeout / 3)
		s[0].Thaw()
		time.Sleep(10 * electiontest.LeaseTimeout)
		if m := s[0].Now(); m.Belief != model.Leading || m.Fence != before.Fence {
			t.Errorf("after a short freeze: %+v", m)
		}
	})
}

func TestKilledWhileFrozen(t *testing.T) {
	electiontest.Virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, _ []*electiontest.Wires) {
		s[0].Freeze()
		s[0].Kill()
		if err := <-s[0].Done; err != nil {
			t.Errorf("Run after Kill: %v", err)
		}
		s[1].Believes(t, model.Leading)
	})
}

func TestLeaderLosesItsConnectionForAMoment(t *testing.T) {
	electiontest.Virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, w []*electiontest.Wires) {
		before, i := s[0].Await(t, 0, "leading", func(m model.Member) bool { return m.Belief == model.Leading })
		w[0].Cut()
		_, i = s[0].Await(t, i, "suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		w[0].Mend()
		after, _ := s[0].Await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if after.Fence != before.Fence || after.Session != before.Session || after.Znode != before.Znode {
			t.Errorf("leads again as %+v, was %+v", after, before)
		}
		time.Sleep(3 * electiontest.LeaseTimeout)
		if m := s[1].Now(); m.Belief != model.Waiting {
			t.Errorf("the other came to believe %q", m.Belief)
		}
	})
}

func TestLeaderStopsBeforeItsSessionCanExpire(t *testing.T) {
	for _, how := range []string{"cut", "silence"} {
		t.Run(how, func(t *testing.T) {
			electiontest.Virtual(t, 2, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, w []*electiontest.Wires) {
				var stopped, led atomic.Int64 // virtual ns
				start := time.Now()
				go func() {
					s[0].Await(t, 0, "no longer leading", func(m model.Member) bool {
						return m.Belief == model.Suspended || m.Belief == model.Lost
					})
					stopped.Store(int64(time.Since(start)))
				}()
				go func() {
					s[1].Await(t, 0, "leading", electiontest.Leads)
					led.Store(int64(time.Since(start)))
				}()
				time.Sleep(electiontest.LeaseTimeout / 2)
				if how == "cut" {
					w[0].Cut()
				} else {
					w[0].Silence()
				}
				time.Sleep(3 * electiontest.LeaseTimeout)
				if stopped.Load() == 0 || led.Load() == 0 || stopped.Load() >= led.Load() {
					t.Errorf("the old leader stopped at %v, the new one led at %v", time.Duration(stopped.Load()), time.Duration(led.Load()))
				}
				w[0].Mend()
				w[0].Speak()
				_, i := s[0].Await(t, 0, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
				s[0].Await(t, i, "waiting again", func(m model.Member) bool { return m.Belief == model.Waiting })
			})
		})
	}
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
	electiontest.Virtual(t, 5, func(t *testing.T, _ *zkserver.Server, s []*electiontest.Stander, w []*electiontest.Wires) {
		frozen := make([]bool, len(s))
		check := func() {
			t.Helper()
			n := 0
			for i := range s {
				if !frozen[i] && electiontest.Leads(s[i].Now()) {
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
			switch random.IntN(9) {
			case 0:
				w[i].Cut()
			case 1, 2:
				w[i].Mend()
			case 3:
				frozen[i] = true
				s[i].Freeze()
			case 4:
				// It may believe for as long as it takes to look at its clock.
				s[i].Thaw()
				synctest.Wait()
				frozen[i] = false
			case 5, 6:
				w[i].Line.Partition()
			case 7, 8:
				w[i].Line.Heal()
			}
			for range 4 {
				time.Sleep(time.Duration(random.Int64N(int64(electiontest.LeaseTimeout))))
				check()
			}
		}
		for i := range s {
			w[i].Mend()
			w[i].Line.Heal()
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
