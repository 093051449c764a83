package demo_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"electop/demo"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
)

func TestSpawnInOrder(t *testing.T) {
	t.Parallel()
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 28)
		got := labels(s.feed.State())
		if want := []string{"amber", "birch", "cedar", "delta", "ember"}; !slices.Equal(got[:5], want) {
			t.Errorf("start of the queue: got %q, want %q", got[:5], want)
		}
		if want := []string{"yarrow", "zephyr", "amber-2", "birch-2"}; !slices.Equal(got[24:], want) {
			t.Errorf("end of the queue: got %q, want %q", got[24:], want)
		}
		for i, c := range s.feed.State().Queue.All() {
			m := s.feed.State().Member(c)
			if m == nil || m.ID != got[i] || m.Name != m.ID || m.You {
				t.Errorf("owner of the znode of %s: got %+v, want the member with this name", got[i], m)
			}
		}
		if n := s.cast.Len(); n != 28 {
			t.Errorf("Len: got %d, want 28", n)
		}
	})
}

func TestResign(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		must(t, s.cast.Fault("amber", demo.Resign, true))
		s.awaitLeader(t, "birch")
		s.awaitGone(t, "amber")
		if w := s.lastReport(t, "amber"); !w.Gone || w.Member.Belief != model.Resigned || w.Member.Fault != model.NoFault {
			t.Errorf("last report of amber: got %+v, want resigned and gone", w)
		}
		h := s.awaitHandoff(t, "amber")
		if h.Cause != model.CauseResigned || h.To == nil || h.To.Label() != "birch" || h.Takeover == nil || h.Silent != nil {
			t.Errorf("got handoff %+v, want a resignation, a takeover by birch and no silence", h)
		}
		if h.Fence == 0 || h.Fence != h.To.Czxid {
			t.Errorf("fencing token: got %x, want the leader's czxid %x", h.Fence, h.To.Czxid)
		}
	})
}

func TestKill(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		time.Sleep(time.Minute)
		killed := time.Now()
		must(t, s.cast.Fault("amber", demo.Kill, true))
		synctest.Wait()
		w := s.lastReport(t, "amber")
		m := w.Member
		if !w.Gone || m.Fault != model.Killed || !m.FaultAt.Equal(killed) || m.Belief != model.Leading {
			t.Errorf("last report of amber: got %+v, want gone, killed at %v, still leading", w, killed)
		}
		if m.ExpiresFrom.Before(killed) || m.ExpiresFrom.After(killed.Add(timeout)) {
			t.Errorf("member killed at %v: got ExpiresFrom %v, want at most %v later", killed, m.ExpiresFrom, timeout)
		}
		if s.cast.Has("amber") {
			t.Error("amber is still in the cast")
		}
		if err := s.cast.Fault("amber", demo.Kill, true); err != nil && !errors.Is(err, demo.ErrNoMember) {
			t.Errorf("second kill: got %v, want nil or ErrNoMember", err)
		}

		time.Sleep(time.Until(m.ExpiresFrom) - time.Millisecond)
		if got := labels(s.feed.State()); len(got) != 3 || got[0] != "amber" {
			t.Errorf("queue before ExpiresFrom: got %q, want three with amber first", got)
		}
		if m := s.feed.State().Member(s.feed.State().Leader()); m == nil || m.Fault != model.Killed {
			t.Errorf("owner of the first znode: got %+v, want the killed amber", m)
		}
		s.awaitLeader(t, "birch")
		h := s.awaitHandoff(t, "amber")
		if h.Cause != model.CauseExpired || h.Takeover == nil || h.Silent == nil {
			t.Fatalf("got handoff %+v, want an expiry with a silence and a takeover", h)
		}
		// The extra second is for the server's ticks.
		if least := m.ExpiresFrom.Sub(killed); *h.Silent < least || *h.Silent > timeout+time.Second {
			t.Errorf("silence before the handoff: got %v, want %v to %v", *h.Silent, least, timeout+time.Second)
		}
	})
}

func TestFreezeAndThaw(t *testing.T) {
	t.Parallel()
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		before, _ := byID(s.feed.State(), "amber")
		must(t, s.cast.Fault("amber", demo.Freeze, true))
		frozen := time.Now()
		if f := s.cast.FaultOf("amber"); f != model.Frozen {
			t.Errorf("fault of amber: got %q, want frozen", f)
		}
		s.awaitLeader(t, "birch")
		if h := s.awaitHandoff(t, "amber"); h.Cause != model.CauseExpired || h.Silent == nil || h.Takeover == nil {
			t.Errorf("got handoff %+v, want an expiry with a silence and a takeover", h)
		}
		time.Sleep(time.Hour)
		must(t, s.cast.Fault("amber", demo.Freeze, true))
		st := s.feed.State()
		m, ok := byID(st, "amber")
		if !ok || m.Fault != model.Frozen || m.Belief != model.Leading || !m.FaultAt.Equal(frozen) {
			t.Errorf("member frozen for an hour: got %+v, want frozen since %v and still leading", m, frozen)
		}
		if h := st.WithoutZnode(); len(h) != 1 || h[0].ID != "amber" {
			t.Errorf("members without a znode: got %+v, want only amber", h)
		}
		must(t, s.cast.Fault("amber", demo.Freeze, false))
		m = s.awaitMember(t, "amber", "waits again", func(m model.Member) bool { return m.Belief == model.Waiting })
		if m.Session == before.Session || m.Znode == before.Znode || m.Fault != model.NoFault || !m.FaultAt.IsZero() {
			t.Errorf("thawed member: got %+v, want no fault, and another session and znode than %+v", m, before)
		}
		st = s.await(t, "three candidates are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 3 })
		if got := labels(st); !slices.Equal(got, []string{"birch", "cedar", "amber"}) {
			t.Errorf("got queue %q, want amber last", got)
		}
		must(t, s.cast.Fault("amber", demo.Freeze, false))
	})
}

func TestCampaign(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 2)
		id, err := s.cast.Campaign("the user")
		if err != nil || id != demo.You {
			t.Fatalf("Campaign: got ID %q, error %v; want %q", id, err, demo.You)
		}
		if _, err := s.cast.Campaign("again"); !errors.Is(err, demo.ErrCampaigning) {
			t.Errorf("second Campaign: got error %v, want ErrCampaigning", err)
		}
		m := s.awaitMember(t, demo.You, "waits", func(m model.Member) bool { return m.Belief == model.Waiting })
		if !m.You || m.Name != "the user" {
			t.Errorf("candidate of the user: got %+v, want You set and the name \"the user\"", m)
		}
		st := s.await(t, "three candidates are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 3 })
		if got := st.Queue.At(2).Label(); got != "the user" {
			t.Errorf("data of the user's znode: got %q, want the name", got)
		}
		must(t, s.cast.Fault(demo.You, demo.Resign, true))
		s.awaitGone(t, demo.You)
		s.await(t, "two candidates are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 2 })
		if _, err := s.cast.Campaign("once more"); err != nil {
			t.Errorf("Campaign after resigning: %v", err)
		}
		s.awaitMember(t, demo.You, "waits again", func(m model.Member) bool { return m.Belief == model.Waiting })
	})
}

func TestFollow(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 4)
		old := make(map[uint64]bool)
		for _, recipe := range []dialect.Recipe{dialect.Herd(), nil} {
			name := "election"
			if recipe != nil {
				name = recipe.Name()
			}
			for _, m := range s.feed.State().Members {
				old[m.Session] = true
			}
			must(t, s.cast.Follow(recipe))
			must(t, s.cast.Follow(recipe)) // no effect
			st := s.await(t, "all members follow recipe "+name, func(st *doctor.State) bool {
				for _, c := range st.Queue.All() {
					m := st.Member(c)
					if m == nil || m.Recipe != name || m.Belief != model.Waiting && m.Belief != model.Leading {
						return false
					}
				}
				return len(st.Members) == 4 && st.Queue.Len() == 4 && st.Recipe.Name() == name
			})
			for i, c := range st.Queue.All() {
				m := st.Member(c)
				if want := []string{"amber", "birch", "cedar", "delta"}[i]; c.Label() != want {
					t.Errorf("%s: got %s at place %d, want %s", name, c.Label(), i, want)
				}
				if m == nil || old[m.Session] {
					t.Fatalf("%s: the candidate at place %d has no new session: %+v", name, i, m)
				}
				want := ""
				if w, ok := st.Recipe.Watches(st.Queue, i); ok {
					want = st.Queue.At(w).Name
				}
				if m.Watches != want {
					t.Errorf("%s: place %d watches %q, want %q", name, i, m.Watches, want)
				}
			}
		}
		var switches []string
		for _, o := range s.since(0) {
			if w, ok := o.(*model.Switch); ok {
				switches = append(switches, w.Recipe)
			}
		}
		if !slices.Equal(switches, []string{"herd", "election"}) {
			t.Errorf("published switches: got %q, want herd, election", switches)
		}
		s.cast.Follow(dialect.Herd())
		id, err := s.cast.Spawn()
		must(t, err)
		s.awaitMember(t, id, "follows the herd", func(m model.Member) bool {
			return m.Recipe == "herd" && (m.Belief == model.Waiting || m.Belief == model.Leading)
		})
	})
}

// TestFollowInOrder dials slowly, so that the last member must wait longer than previousTimeout.
func TestFollowInOrder(t *testing.T) {
	slow := func(c *demo.Config) {
		dial := c.Conn.Dial
		c.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			time.Sleep(15 * time.Millisecond)
			return dial(ctx, network, addr)
		}
	}
	withCast(t, slow, func(t *testing.T, s *world) {
		const n = 120
		s.spawn(t, n)
		var want []string
		for _, c := range s.feed.State().Queue.All() {
			want = append(want, c.Label())
		}
		must(t, s.cast.Follow(dialect.Herd()))
		st := s.await(t, "all members follow the herd", func(st *doctor.State) bool {
			return st.Queue.Len() == n && !slices.ContainsFunc(st.Members, func(m *model.Member) bool { return m.Recipe != "herd" || m.Znode == "" })
		})
		for i, c := range st.Queue.All() {
			if c.Label() != want[i] {
				t.Fatalf("got %s at place %d, want %s", c.Label(), i, want[i])
			}
		}
	})
}

func TestFollowAfterResign(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 3)
		must(t, s.cast.Fault("birch", demo.Resign, true))
		s.cast.Follow(dialect.Herd())
		s.awaitGone(t, "birch")
		time.Sleep(time.Minute)
		st := s.feed.State()
		if _, ok := byID(st, "birch"); ok || len(st.Members) != 2 || st.Queue.Len() != 2 {
			t.Errorf("got members %+v, queue %q; want two without birch", members(st), labels(st))
		}
	})
}

type closeSessionHook struct {
	net.Conn
	closing func()
}

func (h closeSessionHook) Write(b []byte) (int, error) {
	const closeSession = -11
	if len(b) >= 12 && int32(binary.BigEndian.Uint32(b[8:])) == closeSession {
		h.closing()
	}
	return h.Conn.Write(b)
}

func TestFreezeDuringFollow(t *testing.T) {
	ids := []string{"amber", "birch", "cedar"}
	for _, when := range []string{"immediately", "when a session closes", "a second later"} {
		t.Run(when, func(t *testing.T) {
			var onClose atomic.Pointer[func()]
			withHook := func(c *demo.Config) {
				dial := c.Conn.Dial
				c.Conn.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
					conn, err := dial(ctx, network, addr)
					if err != nil {
						return nil, err
					}
					return closeSessionHook{conn, func() {
						if f := onClose.Load(); f != nil {
							(*f)()
						}
					}}, nil
				}
			}
			withCast(t, withHook, func(t *testing.T, s *world) {
				s.spawn(t, len(ids))
				freeze := func() {
					for _, id := range ids {
						if err := s.cast.Fault(id, demo.Freeze, true); err != nil {
							t.Errorf("freeze: %v", err)
						}
					}
				}
				if when == "when a session closes" {
					onClose.Store(&freeze)
				}
				s.cast.Follow(dialect.Herd())
				switch when {
				case "a second later":
					time.Sleep(time.Second)
					fallthrough
				case "immediately":
					freeze()
				}
				time.Sleep(time.Minute)
				onClose.Store(nil)
				for _, id := range ids {
					if f := s.cast.FaultOf(id); f != model.Frozen {
						t.Errorf("fault of %s: got %q, want frozen", id, f)
						continue
					}
					must(t, s.cast.Fault(id, demo.Freeze, false))
				}
				s.await(t, "all members follow the herd", func(st *doctor.State) bool {
					other := func(m *model.Member) bool { return m.Recipe != "herd" }
					return inQueue(st) && st.Queue.Len() == len(ids) && len(st.Members) == len(ids) && !slices.ContainsFunc(st.Members, other)
				})
			})
		})
	}
}

func TestJoinWithoutParentFails(t *testing.T) {
	withCast(t, func(c *demo.Config) { c.Create = false }, func(t *testing.T, s *world) {
		must(t, s.cast.SpawnInOrder(t.Context(), 2))
		s.await(t, "no member is left", func(st *doctor.State) bool { return len(st.Members) == 0 && s.cast.Len() == 0 })
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.notices) != 2 || !strings.Contains(s.notices[0], "amber") || !strings.Contains(s.notices[0], path) || !strings.Contains(s.notices[1], "birch") {
			t.Errorf("got notices %q, want one of amber with the path, then one of birch", s.notices)
		}
	})
}

func TestClose(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		s.spawn(t, 5)
		must(t, s.cast.Fault("delta", demo.Freeze, true))
		must(t, s.cast.Fault("cedar", demo.Kill, true))
		begun := time.Now()
		s.cast.Close()
		if _, err := s.cast.Spawn(); !errors.Is(err, demo.ErrClosed) {
			t.Errorf("Spawn on a closed cast: got error %v, want ErrClosed", err)
		}
		if _, err := s.cast.Campaign("late"); !errors.Is(err, demo.ErrClosed) {
			t.Errorf("Campaign on a closed cast: got error %v, want ErrClosed", err)
		}
		if n := s.cast.Len(); n != 0 {
			t.Errorf("closed cast: got %d members, want none", n)
		}
		st := s.await(t, "only the silent members are in the queue", func(st *doctor.State) bool { return st.Queue.Len() == 2 && len(st.Members) == 0 })
		if got := labels(st); !slices.Equal(got, []string{"cedar", "delta"}) {
			t.Errorf("got queue %q, want the silent members cedar and delta", got)
		}
		if time.Since(begun) >= timeout {
			t.Errorf("znodes of the other members were deleted %v after Close, want less than %v", time.Since(begun), timeout)
		}
		if h := s.awaitHandoff(t, "amber"); h.Cause != model.CauseClosed {
			t.Errorf("got handoff %+v, want a closed session as the cause", h)
		}
		if w := s.lastReport(t, "delta"); !w.Gone || w.Member.Fault != model.Killed {
			t.Errorf("last report of the frozen member: got %+v, want killed and gone", w)
		}
		s.await(t, "the queue is empty", func(st *doctor.State) bool { return st.Queue.Len() == 0 })
		if h := s.awaitHandoff(t, "cedar"); h.Cause != model.CauseExpired {
			t.Errorf("cause of the handoff from the killed member: got %s, want an expiry", h.Cause)
		}
		s.cast.Close() // no effect
	})
}

func TestFaultOfUnknownMember(t *testing.T) {
	withCast(t, nil, func(t *testing.T, s *world) {
		err := s.cast.Fault("nobody\x1b[2J", demo.Kill, true)
		if !errors.Is(err, demo.ErrNoMember) {
			t.Errorf("kill of an unknown member: got %v, want ErrNoMember", err)
		} else if strings.Contains(err.Error(), "\x1b") {
			t.Errorf("error with an escape sequence: %q", err)
		}
	})
}

func TestCastInAThirdPartyElection(t *testing.T) {
	d, ok := dialect.ByID("curator-lock")
	if !ok || d.Why != "" {
		t.Fatal("no dialect curator-lock that candidates can join")
	}
	withCast(t, func(c *demo.Config) { c.Dialect = d }, func(t *testing.T, s *world) {
		must(t, s.cast.SpawnInOrder(t.Context(), 3))
		st := s.await(t, "all members are in the queue", func(st *doctor.State) bool {
			return inQueue(st) && len(st.Members) == 3 && st.Queue.Len() == 3
		})
		if st.Dialect != d {
			t.Errorf("dialect with electop's candidates: got %+v, want %+v", st.Dialect, d)
		}
		if got := labels(st); !slices.Equal(got, []string{"amber", "birch", "cedar"}) {
			t.Errorf("got queue %q, want the order of the names", got)
		}
		if err := s.cast.Follow(dialect.Herd()); !errors.Is(err, demo.ErrThirdParty) {
			t.Errorf("Follow: got %v, want ErrThirdParty", err)
		}
		must(t, s.cast.Fault("amber", demo.Resign, true))
		st = s.await(t, "birch leads", func(st *doctor.State) bool {
			l := st.Leader()
			return l != nil && l.Label() == "birch" && st.Member(l) != nil && st.Member(l).Belief == model.Leading
		})
		if st.Ack.Presence == model.Present {
			t.Errorf("got acknowledgement %+v, want none", st.Ack)
		}
		single, _ := dialect.ByID("kafka")
		s.cast.SetDialect(single)
		id, err := s.cast.Spawn()
		must(t, err)
		synctest.Wait()
		if s.cast.Has(id) {
			t.Errorf("%s joined an election with a single znode", id)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.notices) != 1 || !strings.Contains(s.notices[0], single.Why) {
			t.Errorf("got notices %q, want one with %q", s.notices, single.Why)
		}
	})
}
