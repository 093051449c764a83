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

func TestPartitionedLeaderStopsBeforeAnotherLeads(t *testing.T) {
	t.Parallel()
	for phase := range 8 {
		t.Run(fmt.Sprint(phase), func(t *testing.T) {
			withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
				time.Sleep(time.Minute + time.Duration(phase)*electiontest.LeaseTimeout/24) // a ping every third of the timeout
				before, from := s[0].Now(), len(s[0].All())
				lines[0].Partition()
				suspended := timeUntil(t, s[0], from, "suspended", believing(model.Suspended))
				lost := timeUntil(t, s[0], from, "lost", believing(model.Lost))
				led := timeUntil(t, s[1], 0, "leading", believesToLead)
				a, b, c := <-suspended, <-lost, <-led
				if a > b || b >= c {
					t.Errorf("got suspension after %v, loss after %v, the next leader after %v; want this order", a, b, c)
				}
				if most := electiontest.LeaseTimeout + 2*time.Second; c > most {
					t.Errorf("got the next leader after %v, want at most %v", c, most)
				}
				if got, want := beliefs(s[0], from), []model.Belief{model.Suspended, model.Lost}; !slices.Equal(got, want) {
					t.Errorf("in the partition: got beliefs %q, want %q", got, want)
				}
				time.Sleep(10 * time.Minute)
				if m := s[0].Now(); m.Belief != model.Lost {
					t.Errorf("after ten minutes: got report %+v, want Lost", m)
				}
				lines[0].Heal()
				_, i := s[0].Await(t, from, "lost", believing(model.Lost))
				after, _ := s[0].Await(t, i, "waiting again", believing(model.Waiting))
				if after.Session == before.Session || after.Znode == before.Znode {
					t.Errorf("after the partition: got report %+v, want another session and znode than %+v", after, before)
				}
			})
		})
	}
}

func TestPartitionHealsBeforeTheLeaderIsLost(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		want  []model.Belief
	}{
		{"unnoticed", electiontest.LeaseTimeout / 5, []model.Belief{model.Leading}},
		// The lease has ended, and the connection is lost (after two thirds of the timeout).
		{"suspended", electiontest.LeaseTimeout * 3 / 4, []model.Belief{model.Leading, model.Suspended, model.Elected, model.Leading}},
	} {
		t.Run(c.name, func(t *testing.T) {
			withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
				awaitAnswer(s[0])
				before, from := s[0].Now(), len(s[0].All())
				lines[0].Partition()
				time.Sleep(c.after)
				lines[0].Heal()
				time.Sleep(10 * electiontest.LeaseTimeout)
				after := s[0].Now()
				if after.Belief != model.Leading || after.Session != before.Session || after.Znode != before.Znode || after.Fence != before.Fence {
					t.Errorf("after the partition: got report %+v, want Leading with the session, znode and fence of %+v", after, before)
				}
				if got := beliefs(s[0], from-1); !slices.Equal(got, c.want) {
					t.Errorf("got beliefs %q, want %q", got, c.want)
				}
				if got := beliefs(s[1], 0); slices.Contains(got, model.Elected) {
					t.Errorf("got beliefs %q of the waiting candidate, want never Elected", got)
				}
			})
		})
	}
}

func TestPartitionHealsAfterTheLeaderIsLost(t *testing.T) {
	withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		awaitAnswer(s[0])
		from := len(s[0].All())
		lines[0].Partition()
		_, i := s[0].Await(t, from, "lost", believing(model.Lost))
		lines[0].Heal()
		healed := time.Now()
		s[1].AwaitBelief(t, model.Leading)
		if took := time.Since(healed); took > 100*time.Millisecond {
			t.Errorf("got the next leader %v after the partition, want at most 100ms", took)
		}
		s[0].Await(t, i, "waiting again", believing(model.Waiting))
	})
}

func TestPartitionedWaitingCandidate(t *testing.T) {
	for _, c := range []struct {
		name         string
		down         time.Duration
		keepsSession bool
		predecessor  int
	}{
		{"healed in time", electiontest.LeaseTimeout * 3 / 4, true, 1},
		{"healed after the expiry", 3 * electiontest.LeaseTimeout, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			withCandidates(t, 3, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
				awaitAnswer(s[1])
				before, from := s[1].Now(), len(s[1].All())
				lines[1].Partition()
				s[1].Await(t, from, "suspended", believing(model.Suspended))
				time.Sleep(c.down - electiontest.LeaseTimeout*2/3)
				lines[1].Heal()
				time.Sleep(10 * electiontest.LeaseTimeout)
				after := s[1].Now()
				if after.Belief != model.Waiting || (after.Session == before.Session) != c.keepsSession || (after.Znode == before.Znode) != c.keepsSession {
					t.Errorf("after the partition: got report %+v, before it %+v; want Waiting, session and znode kept: %t", after, before, c.keepsSession)
				}
				if m, want := s[2].Now(), s[c.predecessor].Now().Znode; m.Watches != want {
					t.Errorf("got watch of the third candidate on %s, want on its predecessor %s", m.Watches, want)
				}
				if got := beliefs(s[0], 0); slices.Contains(got, model.Suspended) {
					t.Errorf("got beliefs %q of the leader, want no suspension", got)
				}
			})
		})
	}
}

func TestPredecessorOfAPartitionedCandidateResigns(t *testing.T) {
	withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		awaitAnswer(s[1])
		before := s[1].Now()
		lines[1].Partition()
		s[0].Resign()
		if err := <-s[0].Done; err != nil {
			t.Fatal(err)
		}
		time.Sleep(electiontest.LeaseTimeout * 3 / 4)
		if m := s[1].Now(); m.Belief != model.Suspended {
			t.Errorf("in the partition: got report %+v, want Suspended", m)
		}
		lines[1].Heal()
		if m := s[1].AwaitBelief(t, model.Leading); m.Session != before.Session || m.Znode != before.Znode {
			t.Errorf("got leader %+v, want the session and znode of %+v", m, before)
		}
	})
}

func TestPartitionedWhileFrozen(t *testing.T) {
	withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		from := len(s[0].All())
		s[0].Freeze()
		lines[0].Partition()
		next := s[1].AwaitBelief(t, model.Leading)
		time.Sleep(time.Minute)
		if got := beliefs(s[0], from); len(got) > 0 {
			t.Errorf("frozen: got new beliefs %q, want none", got)
		}
		s[0].Thaw()
		synctest.Wait()
		if m := s[0].Now(); believesToLead(m) {
			t.Errorf("after the thaw: got belief %q, want not leading", m.Belief)
		}
		s[0].Await(t, from, "lost", believing(model.Lost))
		time.Sleep(time.Minute)
		lines[0].Heal()
		after, _ := s[0].Await(t, from, "waiting again", believing(model.Waiting))
		if after.Watches != next.Znode {
			t.Errorf("after the partition: got watch on %s, want on the leader %s", after.Watches, next.Znode)
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

func TestRunEndsDuringAPartition(t *testing.T) {
	t.Parallel()
	for _, down := range []time.Duration{0, electiontest.LeaseTimeout / 2, electiontest.LeaseTimeout * 3 / 4, electiontest.LeaseTimeout * 2, 10 * time.Minute} {
		for _, how := range []struct {
			name string
			do   func(*electiontest.Candidate)
			most time.Duration
		}{
			{"killed", func(s *electiontest.Candidate) { s.Kill() }, 0},
			{"context ended", func(s *electiontest.Candidate) { s.Cancel() }, time.Second},
			// Run waits for a connection to close the session, at most until the latest expected expiry.
			{"resigned", func(s *electiontest.Candidate) { s.Resign() }, 2 * electiontest.LeaseTimeout},
		} {
			for who, role := range []string{"leader", "waiting candidate"} {
				t.Run(fmt.Sprintf("%s %s after %v", role, how.name, down), func(t *testing.T) {
					withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
						lines[who].Partition()
						time.Sleep(down)
						began := time.Now()
						how.do(s[who])
						<-s[who].Done
						if took := time.Since(began); took > how.most {
							t.Errorf("got the end of Run after %v, want at most %v", took, how.most)
						}
						lines[who].Heal()
					})
				})
			}
		}
	}
}
