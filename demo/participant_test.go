package demo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/zkwatch/client"
)

func inRecipe(t *testing.T, kind dialect.Kind, n int, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	withCast(t, func(c *demo.Config) { c.Kind, c.Size = kind, n+1 }, func(t *testing.T, w *world) {
		if got := w.cast.Kind(); got != kind {
			t.Errorf("kind of the cast: got %q, want %q", got, kind)
		}
		must(t, w.cast.SpawnInOrder(t.Context(), n))
		time.Sleep(time.Second)
		f(t, w)
	})
}

func (w *world) steps(id string) (all []model.Step) {
	for _, s := range w.feed.State().Steps {
		if s.Member == id {
			all = append(all, s.Step)
		}
	}
	return slices.Compact(all)
}

func (w *world) awaitSteps(t *testing.T, id string, want ...model.Step) {
	t.Helper()
	w.await(t, fmt.Sprintf("the last steps of %s are %d", id, want), func(*doctor.State) bool {
		all := w.steps(id)
		return len(all) >= len(want) && slices.Equal(all[len(all)-len(want):], want)
	})
}

func (w *world) newClient(t *testing.T) *client.Conn {
	t.Helper()
	return connected(t, connection(t, w.server))
}

func TestGroup(t *testing.T) {
	inRecipe(t, dialect.KindGroup, 3, func(t *testing.T, w *world) {
		st := w.await(t, "all are members", func(st *doctor.State) bool { return st.Kind() == dialect.KindGroup && st.Queue.Len() == 3 })
		if got := labels(st); !slices.Equal(got, []string{"amber", "birch", "cedar"}) {
			t.Errorf("got members %q, want amber, birch and cedar", got)
		}
		if m := st.Member(st.Queue.At(1)); m == nil || m.ID != "birch" || m.Znode != "birch" || m.Belief != model.Active || m.Recipe != "group" {
			t.Errorf("got member %+v, want an active birch", m)
		}
		w.awaitSteps(t, "amber", 1, 2, 3)
		w.awaitSteps(t, "cedar", 1, 2)
		killed := time.Now()
		must(t, w.cast.Fault("birch", demo.Kill, true))
		w.await(t, "birch has left the group", func(st *doctor.State) bool { return st.Queue.Len() == 2 })
		if d := time.Since(killed); d < timeout-2*time.Second {
			t.Errorf("birch left %v after it was killed, want at least %v", d, timeout-2*time.Second)
		}
		w.awaitSteps(t, "cedar", 1, 2, 3)

		before := w.memberNow(t, "cedar").Session
		must(t, w.cast.Fault("cedar", demo.Freeze, true))
		w.await(t, "cedar has left the group", func(st *doctor.State) bool { return st.Queue.Len() == 1 })
		if m := w.memberNow(t, "cedar"); m.Fault != model.Frozen || m.Belief != model.Active || m.Session != before {
			t.Errorf("frozen cedar: got %+v, want an active member of the old session", m)
		}
		must(t, w.cast.Fault("cedar", demo.Freeze, false))
		w.await(t, "cedar is back", func(st *doctor.State) bool { return st.Queue.Len() == 2 })
		if m := w.awaitMember(t, "cedar", "is active", func(m model.Member) bool { return m.Belief == model.Active }); m.Fault != model.NoFault || m.Session == before {
			t.Errorf("thawed cedar: got %+v, want no fault and another session", m)
		}

		before = w.memberNow(t, "cedar").Session
		must(t, w.cast.Fault("cedar", demo.Expire, true))
		w.await(t, "cedar has yet another session", func(st *doctor.State) bool {
			m, _ := byID(st, "cedar")
			return m.Session != before && m.Belief == model.Active && st.Queue.Len() == 2
		})
		left := time.Now()
		must(t, w.cast.Fault("amber", demo.Resign, true))
		w.awaitGone(t, "amber")
		w.await(t, "amber has left the group", func(st *doctor.State) bool { return st.Queue.Len() == 1 })
		if d := time.Since(left); d > time.Second {
			t.Errorf("amber left %v after it resigned, want at most a second", d)
		}
		if m := w.lastReport(t, "amber").Member; m.Belief != model.Resigned || m.Ending != model.Resigning {
			t.Errorf("last report of amber: got %+v, want resigned", m)
		}
	})
}

func TestBarrier(t *testing.T) {
	inRecipe(t, dialect.KindBarrier, 3, func(t *testing.T, w *world) {
		conn := w.newClient(t)
		defer conn.Close()
		checkBarrier := func(want bool) {
			t.Helper()
			synctest.Wait()
			data, _, err := conn.Get(t.Context(), path) // dialect.Barrier accepts only empty data or an IP address
			if exists := err == nil; exists != want || len(data) > 0 || err != nil && !errors.Is(err, zk.ErrNoNode) {
				t.Errorf("the barrier: got data %q, error %v; want it to exist: %v", data, err, want)
			}
		}
		checkBarrier(true)
		w.awaitSteps(t, "amber", 1)
		w.awaitSteps(t, "birch", 2)
		if m := w.memberNow(t, "birch"); m.Belief != model.Waiting || m.Znode != "" || m.StepOn.Name != path {
			t.Errorf("got birch %+v, want it to wait for %s without a znode", m, path)
		}
		must(t, w.cast.Fault("amber", demo.Kill, true))
		w.awaitGone(t, "amber")
		time.Sleep(5 * timeout)
		checkBarrier(true)
		if m := w.memberNow(t, "birch"); m.Belief != model.Waiting {
			t.Errorf("after the end of amber's session: got birch %+v, want it to wait", m)
		}

		must(t, w.cast.SpawnInOrder(t.Context(), 2)) // delta sets the barrier, ember waits
		w.awaitSteps(t, "ember", 2)
		must(t, w.cast.Fault("cedar", demo.Freeze, true))
		must(t, w.cast.Fault("delta", demo.Resign, true))
		w.awaitSteps(t, "birch", 2, 3)
		w.awaitSteps(t, "ember", 2, 3)
		w.awaitSteps(t, "delta", 1, 4)
		w.awaitGone(t, "delta")
		checkBarrier(false)
		w.awaitSteps(t, "cedar", 2)
		must(t, w.cast.Fault("cedar", demo.Freeze, false))
		w.awaitSteps(t, "cedar", 2, 3)
		if m := w.memberNow(t, "cedar"); m.Belief != model.Active {
			t.Errorf("thawed cedar: got %+v, want it active", m)
		}
		must(t, w.cast.SpawnInOrder(t.Context(), 1))
		w.awaitSteps(t, "fjord", 1)
		w.awaitSteps(t, "birch", 3, 2)
		checkBarrier(true)
	})
}

func TestBarrierOfAnotherClientStays(t *testing.T) {
	inRecipe(t, dialect.KindBarrier, 2, func(t *testing.T, w *world) {
		w.awaitSteps(t, "amber", 1)
		must(t, w.cast.Fault("amber", demo.Kill, true))
		w.awaitGone(t, "amber")
		conn := w.newClient(t)
		defer conn.Close()
		must(t, conn.Delete(t.Context(), path, -1))
		_, err := conn.Create(t.Context(), path, nil, 0, zk.WorldACL(zk.PermAll))
		must(t, err)
		must(t, w.cast.SpawnInOrder(t.Context(), 1))
		w.awaitSteps(t, "cedar", 1)
		must(t, w.cast.Fault("cedar", demo.Resign, true))
		w.awaitGone(t, "cedar")
		synctest.Wait()
		if exists, _, err := conn.Exists(t.Context(), path); !exists || err != nil {
			t.Errorf("got exists %v, error %v; want the other client's znode to stay", exists, err)
		}
	})
}

func TestDoubleBarrier(t *testing.T) {
	inRecipe(t, dialect.KindDouble, 3, func(t *testing.T, w *world) {
		for _, id := range []string{"amber", "birch", "cedar"} {
			w.awaitSteps(t, id, 1, 2, 3)
		}
		must(t, w.cast.Fault("cedar", demo.Kill, true))
		w.await(t, "cedar's znode is deleted", func(st *doctor.State) bool { return st.Queue.Len() == 2 })
		must(t, w.cast.SpawnInOrder(t.Context(), 1))
		time.Sleep(time.Second)
		if m := w.memberNow(t, "amber"); m.Belief != model.Waiting {
			t.Errorf("three of four have joined: got amber %+v, want it to wait", m)
		}
		must(t, w.cast.SpawnInOrder(t.Context(), 1))
		for _, id := range []string{"amber", "birch", "delta", "ember"} {
			w.awaitSteps(t, id, 3, 4)
		}
		w.await(t, "ready exists", func(st *doctor.State) bool {
			return st.Kind() == dialect.KindDouble && st.Queue.Len() == 4 && len(st.Ignored) == 1
		})

		must(t, w.cast.Fault("amber", demo.Resign, true)) // amber has the lowest name
		w.awaitSteps(t, "amber", 4, 5, 6)
		must(t, w.cast.Fault("birch", demo.Resign, true))
		w.awaitSteps(t, "birch", 4, 5, 7)
		must(t, w.cast.Fault("ember", demo.Resign, true)) // ember has the highest name
		w.awaitSteps(t, "amber", 6, 5, 6)
		st := w.await(t, "only amber and delta have znodes", func(st *doctor.State) bool { return st.Queue.Len() == 2 })
		if m, _ := byID(st, "amber"); m.Ending != model.Resigning || m.Belief != model.Waiting || m.StepOn.Name != "delta" {
			t.Errorf("got amber %+v, want it to wait for delta before it leaves", m)
		}
		must(t, w.cast.Fault("delta", demo.Resign, true))
		for _, id := range []string{"amber", "birch", "delta", "ember"} {
			w.awaitSteps(t, id, 5, 8)
			w.awaitGone(t, id)
		}
		w.await(t, "the barrier has no znodes", func(st *doctor.State) bool { return st.Queue.Len() == 0 && len(st.Ignored) == 0 })
	})
}

func TestQueue(t *testing.T) {
	inRecipe(t, dialect.KindQueue, 2, func(t *testing.T, w *world) {
		w.awaitSteps(t, "amber", 1)
		w.awaitSteps(t, "birch", 2, 3)
		w.await(t, "an item waits", func(st *doctor.State) bool { return st.Kind() == dialect.KindQueue && st.Queue.Len() > 0 })
		must(t, w.cast.Fault("amber", demo.Freeze, true))
		w.await(t, "the queue is empty", func(st *doctor.State) bool { return st.Queue.Len() == 0 })
		w.awaitSteps(t, "birch", 3, 2, 4)
		if m := w.memberNow(t, "birch"); m.Belief != model.Waiting {
			t.Errorf("an empty queue: got birch %+v, want it to wait", m)
		}
		time.Sleep(time.Minute)
		must(t, w.cast.Fault("amber", demo.Freeze, false))
		w.awaitSteps(t, "birch", 4, 2, 3)

		must(t, w.cast.Fault("birch", demo.Kill, true))
		time.Sleep(20 * time.Second)
		if n := w.feed.State().Queue.Len(); n < 9 || n > 11 {
			t.Errorf("20 s without a consumer: got %d items, want about 10", n)
		}
		must(t, w.cast.SpawnInOrder(t.Context(), 2)) // cedar adds items, delta takes them
		must(t, w.cast.Fault("amber", demo.Resign, true))
		must(t, w.cast.Fault("cedar", demo.Kill, true))
		w.awaitGone(t, "amber")
		w.await(t, "delta has taken all items", func(st *doctor.State) bool { return st.Queue.Len() == 0 })
	})
}

func TestQueueWithLostConnections(t *testing.T) {
	inRecipe(t, dialect.KindQueue, 2, func(t *testing.T, w *world) {
		for range 5 {
			w.server.CloseConnections()
			time.Sleep(timeout / 2)
		}
		from := w.feed.State().Totals
		w.await(t, "items are added and taken", func(st *doctor.State) bool {
			return st.Totals.Joined > from.Joined+3 && st.Totals.Left > from.Left+3
		})
		must(t, w.cast.Fault("birch", demo.Partition, true))
		time.Sleep(5 * timeout) // until the session has expired
		must(t, w.cast.Fault("birch", demo.Partition, false))
		n := w.feed.State().Totals.Left
		w.await(t, "birch takes items again", func(st *doctor.State) bool { return st.Totals.Left > n })
	})
}

func TestLocks(t *testing.T) {
	for _, x := range []struct {
		kind    dialect.Kind
		names   []string
		holders int
	}{
		{dialect.KindLock, []string{"lock-", "lock-", "lock-", "lock-"}, 1},
		{dialect.KindShared, []string{"read-", "read-", "write-", "read-"}, 2},
	} {
		t.Run(string(x.kind), func(t *testing.T) {
			inRecipe(t, x.kind, 4, func(t *testing.T, w *world) {
				st := w.await(t, "the first candidates hold the lock", func(st *doctor.State) bool {
					return st.Kind() == x.kind && st.Queue.Len() == 4 && st.Holders() == x.holders && inQueue(st)
				})
				for i, c := range st.Queue.All() {
					want := model.Waiting
					if i < x.holders {
						want = model.Leading
					}
					if m := st.Member(c); dialect.Stem(c.Name) != x.names[i] || m == nil || m.Belief != want {
						t.Errorf("place %d: got %s of %+v, want %s and belief %s", i, c.Name, m, x.names[i], want)
					}
				}
				if p := st.Properties; p.Doubles+p.AwakeDoubles > 0 || st.Ack.Presence == model.Present {
					t.Errorf("got %+v, acknowledgement %+v; want no doubles and no acknowledgement", p, st.Ack)
				}
				must(t, w.cast.Fault("amber", demo.Kill, true))
				must(t, w.cast.Fault("birch", demo.Resign, true))
				w.await(t, "only cedar holds the lock", func(st *doctor.State) bool {
					m := st.Member(st.Leader())
					return m != nil && m.ID == "cedar" && m.Belief == model.Leading && st.Holders() == 1 && inQueue(st)
				})
			})
		})
	}
}

func TestCampaignInAnEmptySharedLock(t *testing.T) {
	inRecipe(t, dialect.KindShared, 0, func(t *testing.T, w *world) {
		_, err := w.cast.Campaign("the user")
		must(t, err)
		w.awaitMember(t, demo.You, "holds the lock", func(m model.Member) bool { return m.Belief == model.Leading })
	})
}

func TestPrepareKeepsZnodesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		conn := w.newClient(t)
		defer conn.Close()
		must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 2, Kind: dialect.KindQueue}))
		time.Sleep(20 * time.Second)
		_, err := conn.Create(t.Context(), path+"/queue-", []byte("other"), zk.FlagSequence, zk.WorldACL(zk.PermAll))
		must(t, err)
		time.Sleep(20 * time.Second)
		if err := w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 2, Kind: dialect.KindGroup}); err == nil || !strings.Contains(err.Error(), "other programs") {
			t.Errorf("Prepare with an item of another program in the queue: got error %v, want other programs in it", err)
		}
		names, _, err := conn.Children(t.Context(), path)
		if err != nil || len(names) != 1 {
			t.Errorf("got children %q, error %v, want only the other program's item", names, err)
		}
	})
}

// TestSetupsOfOtherRecipes checks that Prepare deletes the znodes of the previous setup.
func TestSetupsOfOtherRecipes(t *testing.T) {
	t.Parallel()
	inWorld(t, worldConfig{}, func(t *testing.T, w *world) {
		conn := w.newClient(t)
		defer conn.Close()
		for _, kind := range []dialect.Kind{"", dialect.KindQueue, dialect.KindQueue, dialect.KindBarrier, dialect.KindDouble, dialect.KindGroup, dialect.KindShared, ""} {
			must(t, w.sandbox.Prepare(t.Context(), demo.Setup{Cast: 4, Kind: kind}))
			synctest.Wait()
			least, most := 4, 4
			switch kind {
			case dialect.KindQueue:
				least, most = 0, 2
			case dialect.KindBarrier:
				least, most = 0, 0
			}
			if names, _, err := conn.Children(t.Context(), path); err != nil || len(names) < least || len(names) > most {
				t.Errorf("%s: got children %q, error %v, want %d to %d", kind, names, err, least, most)
			}
			time.Sleep(20 * time.Second) // until members of a queue have added items
		}
		st := w.await(t, "an election", func(st *doctor.State) bool { return st.Queue.Len() == 4 && settled(st) })
		if st.Dialect.ID != "electop" || w.cast.Kind() != dialect.KindElection {
			t.Errorf("got the dialect %s and a cast for a %s, want those of an election", st.Dialect.ID, w.cast.Kind())
		}
	})
}

func TestFaultsInOtherRecipes(t *testing.T) {
	for _, kind := range []dialect.Kind{dialect.KindLock, dialect.KindBarrier, dialect.KindDouble} {
		t.Run(string(kind), func(t *testing.T) {
			inRecipe(t, kind, 1, func(t *testing.T, w *world) {
				for _, fault := range []demo.Fault{demo.LoseReply, demo.NoGuid, demo.SlowLead} {
					why := w.cast.Why("amber", fault, true)
					if want := "this demo shows a " + strings.ReplaceAll(string(kind), "-", " "); !errors.Is(why, demo.ErrNotNow) || why.Error() != want {
						t.Errorf("%s: got %v, want %q", fault, why, want)
					}
				}
				for _, fault := range []demo.Fault{demo.Resign, demo.Kill, demo.Freeze, demo.Partition, demo.Expire} {
					if why := w.cast.Why("amber", fault, true); why != nil {
						t.Errorf("%s: got %v, want nil", fault, why)
					}
				}
			})
		})
	}
}

func TestParticipantsSurviveChaos(t *testing.T) {
	for _, kind := range []dialect.Kind{dialect.KindGroup, dialect.KindBarrier, dialect.KindDouble, dialect.KindQueue} {
		t.Run(string(kind), func(t *testing.T) {
			inRecipe(t, kind, 3, func(t *testing.T, w *world) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				must(t, (demo.Chaos{Seed: 1, Rate: 2, Cast: 3}).Run(ctx, w.cast, func(demo.Act) {}))
				must(t, w.cast.Clear(t.Context()))
				if len(w.notices) > 0 {
					t.Errorf("participants failed: %q", w.notices)
				}
				if kind == dialect.KindGroup {
					w.await(t, "the group is empty", func(st *doctor.State) bool { return st.Queue.Len() == 0 })
				}
			})
		})
	}
}

func TestNamesOfItemsAreSafe(t *testing.T) {
	inRecipe(t, dialect.KindQueue, 0, func(t *testing.T, w *world) {
		conn := w.newClient(t)
		defer conn.Close()
		for _, p := range []string{"/demo", path} {
			_, err := conn.Create(t.Context(), p, nil, 0, openACL)
			must(t, err)
		}
		_, err := conn.Create(t.Context(), path+"/aa\u202e-", nil, zk.FlagSequence, openACL)
		must(t, err)
		must(t, w.cast.SpawnInOrder(t.Context(), 2))
		w.awaitSteps(t, "birch", 2, 3)
		for _, s := range w.feed.State().Steps {
			if strings.ContainsRune(s.On.Name, '\u202e') {
				t.Errorf("got step on %+q, want the name without U+202E", s.On.Name)
			}
		}
	})
}
