package candidate_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo/zkserver"
	"electop/model"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
)

// A partitioned leader notices the partition by itself and stops before another candidate
// can lead, wherever between two pings the partition begins.
func TestPartitionedLeaderStopsBeforeAnotherLeads(t *testing.T) {
	t.Parallel()
	for phase := range 8 {
		t.Run(fmt.Sprint(phase), func(t *testing.T) {
			virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
				time.Sleep(time.Minute + time.Duration(phase)*electiontest.LeaseTimeout/24) // pings are leaseTimeout/3 apart
				before, from := s[0].Now(), len(s[0].All())
				lines[0].Partition()
				suspended := when(t, s[0], from, "suspended", believing(model.Suspended))
				lost := when(t, s[0], from, "lost", believing(model.Lost))
				led := when(t, s[1], 0, "leading", leads)
				a, b, c := <-suspended, <-lost, <-led
				if a > b || b >= c {
					t.Errorf("suspended after %v, lost after %v; the next led after %v", a, b, c)
				}
				if c > electiontest.LeaseTimeout+2*time.Second {
					t.Errorf("the next led only after %v", c)
				}
				if got, want := beliefs(s[0], from), []model.Belief{model.Suspended, model.Lost}; !slices.Equal(got, want) {
					t.Errorf("partitioned it believed %q, want %q", got, want)
				}
				time.Sleep(10 * time.Minute)
				if m := s[0].Now(); m.Belief != model.Lost {
					t.Errorf("partitioned for ten minutes: %+v", m)
				}
				lines[0].Heal()
				_, i := s[0].Await(t, from, "lost", believing(model.Lost))
				after, _ := s[0].Await(t, i, "waiting again", believing(model.Waiting))
				if after.Session == before.Session || after.Znode == before.Znode {
					t.Errorf("healed: %+v, before: %+v", after, before)
				}
			})
		})
	}
}

func TestPartitionedLeaderHealsInTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		want  []model.Belief // from the moment the line goes down
	}{
		{"unnoticed", electiontest.LeaseTimeout / 5, []model.Belief{model.Leading}},
		// An answer has just come: after two thirds of the timeout the next one is overdue.
		{"suspended", electiontest.LeaseTimeout * 3 / 4, []model.Belief{model.Leading, model.Suspended, model.Waiting, model.Elected, model.Leading}},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
				ping(s[0])
				before, from := s[0].Now(), len(s[0].All())
				lines[0].Partition()
				time.Sleep(c.after)
				lines[0].Heal()
				time.Sleep(10 * electiontest.LeaseTimeout)
				after := s[0].Now()
				if after.Belief != model.Leading || after.Session != before.Session || after.Znode != before.Znode || after.Fence != before.Fence {
					t.Errorf("leads again as %+v, was %+v", after, before)
				}
				got := slices.DeleteFunc(beliefs(s[0], from-1), func(b model.Belief) bool { return b == model.Waiting })
				want := slices.DeleteFunc(slices.Clone(c.want), func(b model.Belief) bool { return b == model.Waiting })
				if !slices.Equal(got, want) {
					t.Errorf("it believed %q, want %q", got, want)
				}
				if got := beliefs(s[1], 0); slices.Contains(got, model.Elected) {
					t.Errorf("the other believed %q", got)
				}
			})
		})
	}
}

// Between the end of its lease and the end of its session, a partitioned leader reconnects
// to close the session: the next candidate leads at once.
func TestPartitionedLeaderHealsTooLate(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		ping(s[0])
		from := len(s[0].All())
		lines[0].Partition()
		s[0].Await(t, from, "lost", believing(model.Lost))
		lines[0].Heal()
		healed := time.Now()
		s[1].Believes(t, model.Leading)
		if took := time.Since(healed); took > 100*time.Millisecond {
			t.Errorf("the next candidate led %v after the healing: the old session expired", took)
		}
		_, i := s[0].Await(t, from, "lost", believing(model.Lost))
		s[0].Await(t, i, "waiting again", believing(model.Waiting))
	})
}

func TestPartitionedWaiter(t *testing.T) {
	for _, c := range []struct {
		name string
		down time.Duration
		same bool // it keeps its session
	}{
		{"healed in time", electiontest.LeaseTimeout * 3 / 4, true},
		{"healed after the expiry", 3 * electiontest.LeaseTimeout, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtual(t, 3, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
				ping(s[1])
				before, from := s[1].Now(), len(s[1].All())
				lines[1].Partition()
				s[1].Await(t, from, "suspended", believing(model.Suspended))
				time.Sleep(c.down - electiontest.LeaseTimeout*2/3)
				lines[1].Heal()
				time.Sleep(10 * electiontest.LeaseTimeout)
				after := s[1].Now()
				if after.Belief != model.Waiting || (after.Session == before.Session) != c.same || (after.Znode == before.Znode) != c.same {
					t.Errorf("healed: %+v, before: %+v", after, before)
				}
				// The candidate behind it watches its new predecessor, and the leader is not
				// affected.
				if m, want := s[2].Now(), s[1].Now().Znode; c.same && m.Watches != want || !c.same && m.Watches != s[0].Now().Znode {
					t.Errorf("the last one watches %s; before it are %s and %s", m.Watches, s[0].Now().Znode, want)
				}
				if got := beliefs(s[0], 0); slices.Contains(got, model.Suspended) {
					t.Errorf("the leader believed %q", got)
				}
			})
		})
	}
}

// A partitioned candidate learns of its predecessor's deletion after the healing: it sets
// its watch again.
func TestPredecessorResignsWhilePartitioned(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		ping(s[1])
		before := s[1].Now()
		lines[1].Partition()
		s[0].Resign()
		if err := <-s[0].Done; err != nil {
			t.Fatal(err)
		}
		time.Sleep(electiontest.LeaseTimeout * 3 / 4)
		if m := s[1].Now(); m.Belief != model.Suspended {
			t.Errorf("partitioned: %+v", m)
		}
		lines[1].Heal()
		if m := s[1].Believes(t, model.Leading); m.Session != before.Session || m.Znode != before.Znode {
			t.Errorf("leads as %+v, waited as %+v", m, before)
		}
	})
}

// A frozen leader does not notice a partition. When it thaws during the partition, it does.
func TestPartitionedWhileFrozen(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		from := len(s[0].All())
		s[0].Freeze()
		lines[0].Partition()
		next := s[1].Believes(t, model.Leading)
		time.Sleep(time.Minute)
		if got := beliefs(s[0], from); len(got) > 0 {
			t.Errorf("while frozen it believed %q", got)
		}
		s[0].Thaw()
		synctest.Wait()
		if m := s[0].Now(); leads(m) {
			t.Errorf("after the thaw it believes %q", m.Belief)
		}
		s[0].Await(t, from, "lost", believing(model.Lost))
		time.Sleep(time.Minute)
		lines[0].Heal()
		after, _ := s[0].Await(t, from, "waiting again", believing(model.Waiting))
		if after.Watches != next.Znode {
			t.Errorf("healed: %+v", after)
		}
		s[0].Freeze()
		lines[0].Partition()
		time.Sleep(time.Minute)
		lines[0].Heal()
		from = len(s[0].All())
		s[0].Thaw()
		_, i := s[0].Await(t, from, "lost", believing(model.Lost))
		s[0].Await(t, i, "waiting again", believing(model.Waiting))
	})
}

// A partitioned candidate ends as soon as it knows that it cannot close its session.
func TestPartitionedEnds(t *testing.T) {
	t.Parallel()
	for _, down := range []time.Duration{0, electiontest.LeaseTimeout / 2, electiontest.LeaseTimeout * 3 / 4, electiontest.LeaseTimeout * 2, 10 * time.Minute} {
		for _, how := range []struct {
			name string
			do   func(*electiontest.Candidate)
			most time.Duration
		}{
			{"killed", func(s *electiontest.Candidate) { s.Kill() }, 0},
			{"context ended", func(s *electiontest.Candidate) { s.Cancel() }, time.Second},
			// It notices the lost connection, and then tries to close its session until
			// the session has expired.
			{"resigned", func(s *electiontest.Candidate) { s.Resign() }, 2 * electiontest.LeaseTimeout},
		} {
			for who, role := range []string{"leader", "waiter"} {
				t.Run(fmt.Sprintf("%s %s after %v", role, how.name, down), func(t *testing.T) {
					virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
						lines[who].Partition()
						time.Sleep(down)
						began := time.Now()
						how.do(s[who])
						<-s[who].Done
						if took := time.Since(began); took > how.most {
							t.Errorf("it took %v, want at most %v", took, how.most)
						}
						lines[who].Heal()
					})
				})
			}
		}
	}
}
