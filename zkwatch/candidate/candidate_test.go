package candidate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/internal/clienttest"
	"electop/zkwatch/internal/electiontest"
)

func TestElectionByTheRecipe(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		var standers []*electiontest.Stander
		for i := range 4 {
			s := electiontest.Stand(t, candidate.Config{
				Conn: on.Config(), Path: on.Path, Create: true, Data: fmt.Appendf(nil, "n%d", i), Ack: on.Path + "-leader",
			})
			want := model.Waiting
			if i == 0 {
				want = model.Leading
			}
			m := s.Believes(t, want)
			if i > 0 && m.Watches != standers[i-1].Now().Znode {
				t.Errorf("candidate %d watches %q, its predecessor is %q", i, m.Watches, standers[i-1].Now().Znode)
			}
			standers = append(standers, s)
		}
		acked := func(s *electiontest.Stander) {
			t.Helper()
			m := s.Believes(t, model.Leading)
			data, stat, err := on.Get(on.Path + "-leader")
			if err != nil {
				t.Fatal(err)
			}
			leads, fence := model.ParseAck(data)
			if leads != znode.Join(on.Path, m.Znode) || fence != m.Fence || uint64(stat.EphemeralOwner) != m.Session {
				t.Errorf("acknowledgement %s of session %x, leader is %+v", data, stat.EphemeralOwner, m)
			}
		}
		acked(standers[0])

		// The middle one leaves: nobody leads but the first, and the last watches
		// the one before the one that left.
		standers[2].Resign()
		if err := <-standers[2].Done; err != nil {
			t.Errorf("Run after Resign: %v", err)
		}
		standers[3].Await(t, 0, "watching the new predecessor", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Watches == standers[1].Now().Znode
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
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		over := make(chan struct{})
		s := electiontest.Stand(t, candidate.Config{
			Conn: on.Config(), Path: on.Path, Create: true, Ack: on.Path + "-leader",
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
		first := s.Believes(t, model.Leading)
		on.Remove(znode.Join(on.Path, first.Znode))
		_, i := s.Await(t, 0, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		<-over // the leader procedure's context ended
		again, _ := s.Await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if again.Znode == first.Znode || again.Session == first.Session || again.Fence <= first.Fence {
			t.Errorf("leads again as %+v after %+v", again, first)
		}
	})
}

// A waiting candidate notices that its znode is gone, also if the leader goes at once.
func TestWaiterWhoseZnodeWasDeletedNeverLeads(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		a := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true})
		a.Believes(t, model.Leading)
		b := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path})
		i := 0
		for _, resigns := range []bool{false, true} {
			var first model.Member
			first, i = b.Await(t, i, "waiting", believing(model.Waiting))
			// Written to, it is its znode still.
			if _, err := on.Set(znode.Join(on.Path, first.Znode), []byte("other data"), -1); err != nil {
				t.Fatal(err)
			}
			on.Remove(znode.Join(on.Path, first.Znode))
			if resigns {
				a.Resign()
			}
			var m model.Member
			m, i = b.Await(t, i, "lost or leading", func(m model.Member) bool {
				return m.Belief == model.Lost || m.Belief == model.Leading
			})
			if m.Belief != model.Lost {
				t.Fatalf("led without a znode: %+v", m)
			}
			again, _ := b.Await(t, i, "back", func(m model.Member) bool { return m.Belief == model.Waiting || m.Belief == model.Leading })
			if again.Session == first.Session || again.Znode == first.Znode {
				t.Errorf("back as %+v, was %+v", again, first)
			}
		}
		b.Await(t, i, "leading again", believing(model.Leading))
	})
}

func TestForeignAcknowledgementIsLeftAlone(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if _, err := on.Create(on.Path+"-leader", []byte("somebody"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		s := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Ack: on.Path + "-leader"})
		_, i := s.Await(t, 0, "acknowledging", func(m model.Member) bool { return m.Step == model.StepAcknowledge })
		// A setData re-arms the watch and changes nothing. The step is reported
		// before the watch is set, so one that came too early is followed by another.
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for looked := 0; looked < 2; {
			if _, err := on.Set(on.Path+"-leader", []byte("still here"), -1); err != nil {
				t.Fatal(err)
			}
			<-tick.C
			for reports := s.All(); i+1 < len(reports); i++ {
				if reports[i+1].Step == model.StepAcknowledge {
					looked++
				}
			}
		}
		if m := s.Now(); m.Belief != model.Elected {
			t.Errorf("with another's acknowledgement in place it believes %q", m.Belief)
		}
		if data, _, err := on.Get(on.Path + "-leader"); err != nil || string(data) != "still here" {
			t.Errorf("the other's acknowledgement: %q, %v", data, err)
		}
		on.Remove(on.Path + "-leader")
		s.Believes(t, model.Leading)
	})
}

func TestPersistentNumberedChildIsNobodysPredecessor(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		for _, p := range []string{on.Path, on.Path + "/n_0000000000", on.Path + "/election-config"} {
			if _, err := on.Create(p, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatal(err)
			}
		}
		s := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path})
		s.Believes(t, model.Leading)
	})
}

func TestMissingParentIsSaid(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := candidate.New(candidate.Config{Conn: clienttest.Config(t, addr), Path: clienttest.ElectionPath(t)})
		err := c.Run(t.Context())
		if err == nil || !errors.Is(err, candidate.ErrNoParent) {
			t.Errorf("Run = %v, want ErrNoParent", err)
		}
	})
}

func TestHerdWatchesTheLeader(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		var head string
		for i := range 4 {
			s := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Recipe: dialect.Herd()})
			if i == 0 {
				head = s.Believes(t, model.Leading).Znode
				continue
			}
			if m := s.Believes(t, model.Waiting); m.Watches != head {
				t.Errorf("candidate %d of the herd watches %q, the leader is %q", i, m.Watches, head)
			}
		}
	})
}

func TestUnusableConfigurationIsSaid(t *testing.T) {
	c := candidate.New(candidate.Config{Path: "/election"})
	if err := c.Run(t.Context()); err == nil || t.Context().Err() != nil {
		t.Errorf("Run with no server = %v", err)
	}
}
