package demo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
)

type leaders struct {
	mu           sync.Mutex
	leading      map[string]bool
	doubles      []string
	observations int
}

func (l *leaders) record(c *demo.Config) {
	put := c.Put
	c.Put = func(o model.Observation) {
		if w, ok := o.(*model.Cast); ok {
			l.add(w)
		}
		put(o)
	}
}

func (l *leaders) add(w *model.Cast) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leading == nil {
		l.leading = make(map[string]bool)
	}
	m := w.Member
	l.observations++
	delete(l.leading, m.ID)
	if w.Gone || m.Belief != model.Leading && m.Belief != model.Elected || m.Fault == model.Frozen || m.Fault == model.Killed {
		return
	}
	if l.leading[m.ID] = true; len(l.leading) > 1 {
		l.doubles = append(l.doubles, fmt.Sprintf("observation %d: %v", l.observations, l.leading))
	}
}

func (l *leaders) check(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.doubles) > 0 {
		t.Errorf("several running members believed that they led, %d times; first: %s", len(l.doubles), l.doubles[0])
	}
}

func wantNotNow(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, demo.ErrNotNow) {
		t.Errorf("%s: got %v, want ErrNotNow", what, err)
	}
}

func TestPartitionAndHeal(t *testing.T) {
	t.Parallel()
	var l leaders
	withCast(t, l.record, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		before, _ := byID(s.feed.State(), "amber")
		at := time.Now()
		must(t, s.cast.Fault("amber", demo.Partition, true))
		w := s.lastReport(t, "amber").Member
		if w.Fault != model.Partitioned || !w.FaultAt.Equal(at) || w.ExpiresFrom.Before(at) || w.ExpiresFrom.After(at.Add(timeout)) || w.Belief != model.Leading {
			t.Errorf("got member %+v, want partitioned at %v, leading, with ExpiresFrom at most %v later", w, at, timeout)
		}
		if f := s.cast.FaultOf("amber"); f != model.Partitioned {
			t.Errorf("fault of amber: got %q, want partitioned", f)
		}
		must(t, s.cast.Fault("amber", demo.Partition, true))
		if again := s.lastReport(t, "amber").Member; !again.FaultAt.Equal(at) {
			t.Errorf("time of the fault after a second partition: got %v, want %v", again.FaultAt, at)
		}

		m := s.awaitMember(t, "amber", "is suspended", func(m model.Member) bool { return m.Belief == model.Suspended })
		if m.Fault != model.Partitioned || !m.ExpiresFrom.Equal(w.ExpiresFrom) {
			t.Errorf("suspended member: got %+v, want partitioned with the same ExpiresFrom", m)
		}
		s.awaitMember(t, "amber", "has lost its session", func(m model.Member) bool { return m.Belief == model.Lost })
		if !time.Now().Before(w.ExpiresFrom) {
			t.Errorf("amber reported its lost session %v after ExpiresFrom, want earlier", time.Since(w.ExpiresFrom))
		}
		s.awaitLeader(t, "birch")
		h := s.awaitHandoff(t, "amber")
		if h.Cause != model.CauseExpired || h.Silent == nil || h.Takeover == nil {
			t.Errorf("got handoff %+v, want an expiry with a silence and a takeover", h)
		}
		time.Sleep(time.Hour)
		m, _ = byID(s.feed.State(), "amber")
		if m.Fault != model.Partitioned || m.Belief != model.Lost || m.Session != 0 || !m.ExpiresFrom.IsZero() {
			t.Errorf("member partitioned for an hour: got %+v, want lost, without session and ExpiresFrom", m)
		}
		must(t, s.cast.Fault("amber", demo.Partition, false))
		m = s.awaitMember(t, "amber", "waits again", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.Session == before.Session || m.Znode == before.Znode || m.Fault != model.NoFault || !m.FaultAt.IsZero() {
			t.Errorf("healed member: got %+v, want no fault, and another session and znode than %+v", m, before)
		}
		must(t, s.cast.Fault("amber", demo.Partition, false))
	})
	l.check(t)
}

func TestFaultsExcludeEachOther(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 4)
		must(t, s.cast.Fault("amber", demo.Partition, true))
		wantNotNow(t, "freeze during a partition", s.cast.Fault("amber", demo.Freeze, true))
		wantNotNow(t, "lost reply during a partition", s.cast.Fault("amber", demo.LoseReply, true))
		must(t, s.cast.Fault("amber", demo.Freeze, false))
		must(t, s.cast.Fault("birch", demo.Freeze, true))
		wantNotNow(t, "partition during a freeze", s.cast.Fault("birch", demo.Partition, true))
		wantNotNow(t, "lost reply during a freeze", s.cast.Fault("birch", demo.LoseReply, true))
		must(t, s.cast.Fault("birch", demo.Partition, false))
		if a, b := s.cast.FaultOf("amber"), s.cast.FaultOf("birch"); a != model.Partitioned || b != model.Frozen {
			t.Errorf("faults: got amber %q, birch %q; want partitioned, frozen", a, b)
		}
		w := s.lastReport(t, "amber").Member
		time.Sleep(time.Second)
		must(t, s.cast.Fault("amber", demo.Kill, true))
		synctest.Wait()
		if d := s.lastReport(t, "amber"); !d.Gone || d.Member.Fault != model.Killed ||
			!d.Member.FaultAt.Equal(w.FaultAt) || !d.Member.ExpiresFrom.Equal(w.ExpiresFrom) {
			t.Errorf("last report: got %+v, want killed with the times of %+v", d, w)
		}
		frozen := s.lastReport(t, "birch").Member
		must(t, s.cast.Fault("birch", demo.Kill, true))
		synctest.Wait()
		if d := s.lastReport(t, "birch").Member; d.Fault != model.Killed || !d.FaultAt.Equal(frozen.FaultAt) || !d.ExpiresFrom.Equal(frozen.ExpiresFrom) {
			t.Errorf("last report: got %+v, want killed with the times of %+v", d, frozen)
		}
		s.awaitHandoff(t, "amber")
		// The server does not receive the resignation of a partitioned member.
		must(t, s.cast.Fault("cedar", demo.Partition, true))
		must(t, s.cast.Fault("cedar", demo.Resign, true))
		s.awaitGone(t, "cedar")
		s.awaitLeader(t, "delta")
		must(t, s.cast.Fault("delta", demo.Partition, true))
		began := time.Now()
		s.cast.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v, want at most a second", took)
		}
	})
}

func TestLoseReplyWithGuid(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		before, _ := byID(s.feed.State(), "birch")
		must(t, s.cast.Fault("birch", demo.LoseReply, true))
		if w := s.lastReport(t, "birch").Member; !w.LosesReply {
			t.Errorf("after LoseReply: got %+v, want LosesReply", w)
		}
		after := s.awaitMember(t, "birch", "waits again", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Znode != before.Znode && !m.LosesReply
		})
		if after.Session == before.Session {
			t.Errorf("rejoined member %+v has the same session as before", after)
		}
		s.checkNoGhosts(t, 3)
		lost, found := false, false
		for _, o := range s.since(0) {
			if w, ok := o.(*model.Cast); ok && w.Member.ID == "birch" {
				lost = lost || w.Member.LosesReply
				found = found || w.Member.StepOn.Found
			}
		}
		if !lost || !found {
			t.Errorf("published: LosesReply %v, znode found by its name %v; want both", lost, found)
		}
		// Only one reply is lost.
		must(t, s.cast.Follow(dialect.Herd()))
		s.awaitMember(t, "birch", "follows the herd", func(m model.Member) bool { return m.Recipe == "herd" && m.Belief == model.Waiting && !m.LosesReply })
		s.checkNoGhosts(t, 3)
	})
}

func (s *world) checkNoGhosts(t *testing.T, n int) {
	t.Helper()
	st := s.await(t, "all candidates are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == n })
	owners := make(map[uint64]bool)
	for _, c := range st.Queue.All() {
		if owners[c.Session] {
			t.Errorf("session %x owns two znodes in the queue %q", c.Session, labels(st))
		}
		owners[c.Session] = true
	}
}

// TestLoseReplyWithoutGuid checks that the candidate waits behind a ghost, the znode whose create reply was lost.
func TestLoseReplyWithoutGuid(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 1)
		must(t, s.cast.Fault("amber", demo.NoGuid, true))
		if w := s.lastReport(t, "amber").Member; !w.NoGuid {
			t.Errorf("after NoGuid: got %+v, want NoGuid", w)
		}
		must(t, s.cast.Fault("amber", demo.LoseReply, true))
		m := s.awaitMember(t, "amber", "waits", func(m model.Member) bool { return m.Belief == model.Waiting })
		st := s.await(t, "two znodes are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 2 })
		ghost, own := st.Queue.At(0), st.Queue.At(1)
		if ghost.Session != own.Session || m.Znode != own.Name || m.Watches != ghost.Name || len(own.Name) != len("n_")+znode.SequenceDigits {
			t.Errorf("got member %+v, znodes %+v and %+v; want one session, and amber to watch the first znode", m, ghost, own)
		}
		time.Sleep(time.Hour)
		if m, _ := byID(s.feed.State(), "amber"); m.Belief != model.Waiting || s.feed.State().Queue.Len() != 2 {
			t.Errorf("an hour later: got %+v, want still waiting behind the ghost", m)
		}
		must(t, s.cast.Fault("amber", demo.Resign, true))
		s.await(t, "both znodes are deleted", func(st *doctor.State) bool { return st.Queue.Len() == 0 })
	})
}

func TestNoGuidAll(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 2)
		s.cast.NoGuidAll(true)
		id, err := s.cast.Spawn()
		must(t, err)
		m := s.awaitMember(t, id, "waits", func(m model.Member) bool { return m.Belief == model.Waiting })
		if !m.NoGuid || m.Znode != "n_0000000002" {
			t.Errorf("new member: got %+v, want NoGuid and a name without a guid", m)
		}
		m = s.awaitMember(t, "birch", "has the fault", func(m model.Member) bool { return m.NoGuid })
		if len(m.Znode) < 32 {
			t.Errorf("birch: got %+v, want the old name with a guid", m)
		}
		s.cast.NoGuidAll(false)
		id, err = s.cast.Spawn()
		must(t, err)
		m = s.awaitMember(t, id, "waits", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.NoGuid || len(m.Znode) < 32 {
			t.Errorf("new member: got %+v, want a name with a guid", m)
		}
	})
}

func TestNoGuidInAThirdPartyElection(t *testing.T) {
	d, _ := dialect.ByID("curator-lock")
	withCast(t, func(c *demo.Config) { c.Dialect = d }, func(t *testing.T, s *world) {
		must(t, s.cast.SpawnInOrder(t.Context(), 1))
		if err := s.cast.Fault("amber", demo.NoGuid, true); !errors.Is(err, demo.ErrThirdParty) {
			t.Errorf("NoGuid: got %v, want ErrThirdParty", err)
		}
		s.cast.NoGuidAll(true)
		must(t, s.cast.SpawnInOrder(t.Context(), 1))
		for _, id := range []string{"amber", "birch"} {
			if m := s.lastReport(t, id).Member; m.NoGuid || len(m.Znode) < 32 {
				t.Errorf("%s: got %+v, want a name with a guid", id, m)
			}
		}
		must(t, s.cast.Fault("amber", demo.NoGuid, false))
	})
}

func TestSlowLead(t *testing.T) {
	t.Parallel()
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		wantNotNow(t, "slow lead after the procedure", s.cast.Fault("amber", demo.SlowLead, true))
		must(t, s.cast.Fault("birch", demo.SlowLead, true))
		must(t, s.cast.Fault("amber", demo.Resign, true))
		m := s.awaitMember(t, "birch", "is elected", func(m model.Member) bool { return m.Belief == model.Elected && m.Step == model.StepLead })
		if !m.SlowLead || m.Fence == 0 {
			t.Errorf("elected member: got %+v, want SlowLead and a fencing token", m)
		}
		time.Sleep(time.Hour)
		if m, _ := byID(s.feed.State(), "birch"); m.Belief != model.Elected || s.feed.State().Acknowledged() {
			t.Errorf("an hour later: got %+v, acknowledged %v; want elected without acknowledgement", m, s.feed.State().Acknowledged())
		}
		must(t, s.cast.Fault("birch", demo.SlowLead, false))
		s.awaitLeader(t, "birch")
		if w := s.lastReport(t, "birch").Member; w.SlowLead || w.StepOn.Name != znode.Base(ackPath) {
			t.Errorf("leader: got %+v, want an acknowledgement without SlowLead", w)
		}
		must(t, s.cast.Fault("cedar", demo.SlowLead, true))
		must(t, s.cast.Fault("birch", demo.Resign, true))
		s.awaitMember(t, "cedar", "is elected", func(m model.Member) bool { return m.Belief == model.Elected && m.Step == model.StepLead })
		must(t, s.cast.Fault("cedar", demo.Freeze, true))
		must(t, s.cast.Fault("cedar", demo.SlowLead, false))
		time.Sleep(time.Second)
		if w := s.lastReport(t, "cedar").Member; w.Belief != model.Elected || w.Step != model.StepLead {
			t.Errorf("frozen member: got %+v, want still in its leader procedure", w)
		}
		must(t, s.cast.Fault("cedar", demo.SlowLead, true))
		must(t, s.cast.Fault("cedar", demo.Freeze, false))
		synctest.Wait()
		if w := s.lastReport(t, "cedar").Member; w.Belief != model.Elected || w.Fault != model.NoFault {
			t.Errorf("thawed member: got %+v, want elected without a fault", w)
		}
		must(t, s.cast.Fault("cedar", demo.Resign, true))
		s.awaitGone(t, "cedar")
	})
}

// TestThawPublishesNoStaleLeader checks that a thawed leader is published as frozen until it knows whether it leads.
func TestThawPublishesNoStaleLeader(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(zktest.Seed(t), 1))
	var l leaders
	stale, leading := 0, 0
	withCast(t, l.record, func(t *testing.T, s *world) {
		s.spawn(t, 4)
		rounds := 300
		for range rounds {
			leads := func(m *model.Member) bool { return m.Belief == model.Leading && m.Fault == model.NoFault }
			st := s.await(t, "a member leads", func(st *doctor.State) bool { return slices.ContainsFunc(st.Members, leads) })
			id := st.Members[slices.IndexFunc(st.Members, leads)].ID
			must(t, s.cast.Fault(id, demo.Freeze, true))
			if random.IntN(8) == 0 { // the session expires before ExpiresFrom
				must(t, s.server.ExpireSession(int64(s.cast.Session(id))))
			}
			time.Sleep(time.Duration(random.Int64N(int64(2 * timeout))))
			was := s.lastReport(t, id).Member
			must(t, s.cast.Fault(id, demo.Freeze, false))
			if random.IntN(4) == 0 {
				must(t, s.cast.Fault(id, demo.Freeze, true))
				time.Sleep(time.Duration(random.Int64N(int64(2 * timeout))))
				must(t, s.cast.Fault(id, demo.Freeze, false))
			}
			synctest.Wait()
			w := s.lastReport(t, id).Member
			if was.Belief != model.Leading || was.Fault != model.Frozen || w.Fault != model.NoFault {
				t.Fatalf("before the thaw: got %+v, after it: %+v; want a frozen leader, then no fault", was, w)
			}
			if w.Belief == model.Leading {
				leading++
			} else {
				stale++
			}
			time.Sleep(time.Duration(random.Int64N(int64(timeout))))
		}
	})
	l.check(t)
	if stale == 0 || leading == 0 {
		t.Errorf("after a thaw: %d members no longer led, %d still led; want some of both", stale, leading)
	}
}

func TestClear(t *testing.T) {
	var l leaders
	withCast(t, l.record, func(t *testing.T, s *world) {
		for range 2 {
			s.spawn(t, 8)
			_, err := s.cast.Campaign("the user")
			must(t, err)
			must(t, s.cast.Fault("amber", demo.Freeze, true))
			must(t, s.cast.Fault("birch", demo.SlowLead, true))
			must(t, s.cast.Fault("cedar", demo.Partition, true))
			must(t, s.cast.Fault("delta", demo.NoGuid, true))
			must(t, s.cast.Fault("delta", demo.LoseReply, true))
			must(t, s.cast.Fault("ember", demo.Freeze, true))
			must(t, s.cast.Fault("fjord", demo.Partition, true))
			time.Sleep(2 * timeout)
			must(t, s.cast.Fault("grove", demo.Partition, true))
			must(t, s.cast.Fault("heath", demo.Resign, true))
			if err := s.cast.Fault("heath", demo.Freeze, true); !errors.Is(err, demo.ErrNoMember) { // it may have left
				must(t, err)
			}
			began := time.Now()
			must(t, s.cast.Clear(t.Context()))
			if n := s.cast.Len(); n != 0 {
				t.Errorf("after Clear: got %d members, want none", n)
			}
			s.await(t, "the queue is empty", func(st *doctor.State) bool { return st.Queue.Len() == 0 && len(st.Members) == 0 })
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("the queue was empty %v after the call of Clear, want at most 2s", took)
			}
		}
		must(t, s.cast.Clear(t.Context()))

		s.spawn(t, 2)
		s.server.Refuse(true)
		s.server.CloseConnections()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.cast.Clear(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Clear without a server: got %v, want DeadlineExceeded", err)
		}
		s.server.Refuse(false)
		must(t, s.cast.Clear(t.Context()))
	})
	l.check(t)
}
