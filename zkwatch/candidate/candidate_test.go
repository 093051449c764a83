package candidate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zkserver"
	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
	"electop/zkwatch/wire"
)

func TestElection(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		var candidates []*electiontest.Candidate
		for i := range 4 {
			s := electiontest.RunCandidate(t, candidate.Config{
				Conn: on.Config(), Path: on.Path, Create: true, Data: fmt.Appendf(nil, "n%d", i), Ack: on.Path + "-leader",
			})
			want := model.Waiting
			if i == 0 {
				want = model.Leading
			}
			m := s.AwaitBelief(t, want)
			if i > 0 && m.Watches != candidates[i-1].Now().Znode {
				t.Errorf("candidate %d: got watch on %q, want on %q", i, m.Watches, candidates[i-1].Now().Znode)
			}
			candidates = append(candidates, s)
		}
		acked := func(s *electiontest.Candidate) {
			t.Helper()
			m := s.AwaitBelief(t, model.Leading)
			data, stat, err := on.Get(on.Path + "-leader")
			if err != nil {
				t.Fatal(err)
			}
			leads, fence := model.ParseAck(data)
			if leads != znode.Join(on.Path, m.Znode) || fence != m.Fence || uint64(stat.EphemeralOwner) != m.Session {
				t.Errorf("got acknowledgement %s of session %x, want that of leader %+v", data, stat.EphemeralOwner, m)
			}
		}
		acked(candidates[0])

		candidates[2].Resign()
		if err := <-candidates[2].Done; err != nil {
			t.Errorf("Run after Resign: got error %v, want none", err)
		}
		candidates[3].Await(t, 0, "watching the new predecessor", func(m model.Member) bool {
			return m.Belief == model.Waiting && m.Watches == candidates[1].Now().Znode
		})

		candidates[0].Resign()
		acked(candidates[1])

		// The session of a killed leader has to expire first.
		candidates[1].Kill()
		acked(candidates[3])
	})
}

func TestLeaderWithDeletedZnodeStops(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		over := make(chan struct{})
		s := electiontest.RunCandidate(t, candidate.Config{
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
		first := s.AwaitBelief(t, model.Leading)
		on.Remove(znode.Join(on.Path, first.Znode))
		_, i := s.Await(t, 0, "lost", func(m model.Member) bool { return m.Belief == model.Lost })
		<-over
		again, _ := s.Await(t, i, "leading again", func(m model.Member) bool { return m.Belief == model.Leading })
		if again.Znode == first.Znode || again.Session == first.Session || again.Fence <= first.Fence {
			t.Errorf("got leader %+v, want another znode and session and a higher fence than %+v", again, first)
		}
	})
}

func TestWaitingCandidateWithoutZnodeNeverLeads(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		a := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true})
		a.AwaitBelief(t, model.Leading)
		b := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path})
		i := 0
		for _, resigns := range []bool{false, true} {
			var first model.Member
			first, i = b.Await(t, i, "waiting", believing(model.Waiting))
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
				t.Fatalf("got report %+v without a znode, want Lost", m)
			}
			again, _ := b.Await(t, i, "waiting or leading", func(m model.Member) bool { return m.Belief == model.Waiting || m.Belief == model.Leading })
			if again.Session == first.Session || again.Znode == first.Znode {
				t.Errorf("got report %+v, want another session and znode than %+v", again, first)
			}
		}
		b.Await(t, i, "leading", believing(model.Leading))
	})
}

func TestAcknowledgementOfAnotherSessionIsKept(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path+"-leader", zk.FlagEphemeral)
		s := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Ack: on.Path + "-leader"})
		_, i := s.Await(t, 0, "acknowledging", func(m model.Member) bool { return m.Step == model.StepAcknowledge })
		// The step is reported before the watch is set, so a write may be too early.
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for reports := 0; reports < 2; {
			if _, err := on.Set(on.Path+"-leader", []byte("still here"), -1); err != nil {
				t.Fatal(err)
			}
			<-tick.C
			for all := s.All(); i+1 < len(all); i++ {
				if all[i+1].Step == model.StepAcknowledge {
					reports++
				}
			}
		}
		if m := s.Now(); m.Belief != model.Elected {
			t.Errorf("got belief %q, want Elected", m.Belief)
		}
		if data, _, err := on.Get(on.Path + "-leader"); err != nil || string(data) != "still here" {
			t.Errorf("got acknowledgement %q, error %v; want it unchanged", data, err)
		}
		on.Remove(on.Path + "-leader")
		s.AwaitBelief(t, model.Leading)
	})
}

func TestPersistentNumberedChildIsIgnored(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		for _, p := range []string{on.Path, on.Path + "/n_0000000000", on.Path + "/election-config"} {
			on.Make(p, 0)
		}
		s := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path})
		s.AwaitBelief(t, model.Leading)
	})
}

func TestMissingParent(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		c := candidate.New(candidate.Config{Conn: electiontest.Config(t, addr), Path: electiontest.ElectionPath(t)})
		err := c.Run(t.Context())
		if err == nil || !errors.Is(err, candidate.ErrNoParent) {
			t.Errorf("Run: got error %v, want %v", err, candidate.ErrNoParent)
		}
	})
}

func TestHerdWatchesTheLeader(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		var leader string
		for i := range 4 {
			s := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Recipe: dialect.Herd()})
			if i == 0 {
				leader = s.AwaitBelief(t, model.Leading).Znode
				continue
			}
			if m := s.AwaitBelief(t, model.Waiting); m.Watches != leader {
				t.Errorf("candidate %d: got watch on %q, want on the leader %q", i, m.Watches, leader)
			}
		}
	})
}

func TestUnusableConfiguration(t *testing.T) {
	c := candidate.New(candidate.Config{Path: "/election"})
	if err := c.Run(t.Context()); err == nil {
		t.Error("Run without a server: got no error, want one")
	}
}

func TestHandoffCost(t *testing.T) {
	for _, n := range []int{3, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { handoffCost(t, n) })
		})
	}
}

func handoffCost(t *testing.T, n int) {
	server, c := electiontest.Embedded(t)
	create := electiontest.Creator(t, c)
	create("/election", 0)
	leader := create("/election/bare-n_", electiontest.Contender)
	var next *electiontest.Candidate
	for i := range n - 1 {
		s := electiontest.RunCandidate(t, candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Ack: "/election-leader",
		})
		s.AwaitBelief(t, model.Waiting)
		if i == 0 {
			next = s
		}
	}
	synctest.Wait()
	before := server.Counters()
	electiontest.Remove(t, c, leader)
	next.AwaitBelief(t, model.Leading)
	synctest.Wait() // a leader reports Leading before it watches its acknowledgement
	after := server.Counters()

	want := map[wire.Op]int64{wire.OpDelete: 1, wire.OpGetChildren2: 1, wire.OpGetData: 2, wire.OpCreate: 1, wire.OpPing: -1}
	for op, count := range after.Requests {
		w, got := want[op], count-before.Requests[op]
		if op == wire.OpMulti && got == 1 {
			continue // the first renewal of the lease
		}
		if w >= 0 && got != w {
			t.Errorf("%d candidates: got %d requests of %v during a handoff, want %d", n, got, op, w)
		}
	}
	if got := after.Notifications - before.Notifications; got > 2 {
		t.Errorf("%d candidates: got %d notifications during a handoff, want at most 2", n, got)
	}
}

func TestIdleCosts(t *testing.T) {
	t.Parallel()
	withCandidates(t, 3, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		cfg := electiontest.Conn(server, nil)
		o := electiontest.Observe(t, cfg, model.Config{Path: "/election", AckPath: "/election-leader"})
		o.Await(t, "all three, acknowledged", func(s *doctor.State) bool { return s.Queue.Len() == 3 && s.Acknowledged() })
		synctest.Wait()
		before := server.Counters()
		time.Sleep(time.Hour)
		after := server.Counters()
		renewals := int64(10 * time.Hour / electiontest.LeaseTimeout)
		for op, n := range after.Requests {
			more := n - before.Requests[op]
			switch {
			case op == wire.OpMulti && (more < renewals-1 || more > renewals+1):
				t.Errorf("got %d renewals in an idle hour, want %d", more, renewals)
			case op == wire.OpExists && more <= 240: // the observer's reads of the parent's stat
			case more != 0 && op != wire.OpMulti && op != wire.OpPing:
				t.Errorf("got %d requests of %v in an idle hour, want 0", more, op)
			}
		}
		if after.Requests[wire.OpPing] == before.Requests[wire.OpPing] {
			t.Error("got no ping in an hour: the test checks nothing")
		}
		if n := after.Notifications - before.Notifications; n != 0 {
			t.Errorf("got %d notifications in an idle hour, want 0", n)
		}
	})
}

func TestMain(m *testing.M) { zktest.Main(m) }

func withCandidates(t *testing.T, n int, f func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var candidates []*electiontest.Candidate
		var lines []*fault.Line
		for i := range n {
			line := new(fault.Line)
			s := electiontest.RunCandidate(t, candidate.Config{Conn: electiontest.Conn(server, line), Path: "/election", Create: true, Ack: "/election-leader"})
			if i == 0 {
				s.AwaitBelief(t, model.Leading)
			} else {
				s.AwaitBelief(t, model.Waiting)
			}
			candidates, lines = append(candidates, s), append(lines, line)
		}
		synctest.Wait() // a leader reports Leading before it watches its acknowledgement
		f(t, server, candidates, lines)
	})
}

func beliefs(s *electiontest.Candidate, from int) (out []model.Belief) {
	for _, m := range s.All()[from:] {
		out = append(out, m.Belief)
	}
	return slices.Compact(out)
}

func timeUntil(t *testing.T, s *electiontest.Candidate, from int, what string, holds func(model.Member) bool) <-chan time.Duration {
	start, took := time.Now(), make(chan time.Duration, 1)
	go func() {
		s.Await(t, from, what, holds)
		took <- time.Since(start)
	}()
	return took
}

func believing(b model.Belief) func(model.Member) bool {
	return func(m model.Member) bool { return m.Belief == b }
}

func believesToLead(m model.Member) bool {
	return m.Belief == model.Leading || m.Belief == model.Elected
}

func awaitAnswer(s *electiontest.Candidate) {
	for end := s.Status().ExpiresFrom; s.Status().ExpiresFrom.Equal(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

func TestResigningLeaderStopsBeforeTheNextLeads(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		var leading atomic.Int32
		lead := func(ctx context.Context, _ int64) error {
			if n := leading.Add(1); n != 1 {
				t.Errorf("got %d leaders at the same time, want 1", n)
			}
			go func() {
				<-ctx.Done()
				leading.Add(-1)
			}()
			return nil
		}
		a := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path, Create: true, Lead: func(ctx context.Context, fence int64) error {
			if n := leading.Add(1); n != 1 {
				t.Errorf("got %d leaders at the same time, want 1", n)
			}
			<-ctx.Done()
			leading.Add(-1)
			return ctx.Err()
		}})
		a.Await(t, 0, "elected", func(m model.Member) bool { return m.Step == model.StepLead })
		b := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path, Lead: lead})
		b.AwaitBelief(t, model.Waiting)
		a.Resign()
		b.AwaitBelief(t, model.Leading)
		a.Await(t, 0, "resigning", func(m model.Member) bool { return m.Belief == model.Resigned && m.Ending == model.Resigning })
	})
}

func TestParentBelowForbiddenZnode(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		if err := on.AddAuth("digest", []byte("u:p")); err != nil {
			t.Fatal(err)
		}
		on.Make(on.Path, 0)
		on.Make(on.Path+"/ours", 0)
		if _, err := on.SetACL(on.Path, append(zk.DigestACL(zk.PermAll, "u", "p"), zk.WorldACL(zk.PermRead)...), -1); err != nil {
			t.Fatal(err)
		}
		s := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path + "/ours/election", Create: true})
		s.AwaitBelief(t, model.Leading)
	})
}

func TestLeadIsNotCalledAfterTheEarliestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		defer server.Close()
		var late atomic.Int32
		var self atomic.Pointer[candidate.Candidate]
		cfg := candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Create: true, Ack: "/election-leader",
			Lead: func(context.Context, int64) error {
				if st := self.Load().Status(); !time.Now().Before(st.ExpiresFrom) {
					late.Add(1)
				}
				return nil
			},
		}
		var frozen atomic.Bool
		cfg.Report = func(_ time.Time, m model.Member) {
			if m.Step == model.StepLowest && frozen.CompareAndSwap(false, true) {
				self.Load().Freeze()
				go func() {
					time.Sleep(2 * electiontest.LeaseTimeout)
					self.Load().Thaw()
				}()
			}
		}
		c := candidate.New(cfg)
		self.Store(c)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { c.Run(ctx) })
		time.Sleep(10 * electiontest.LeaseTimeout)
		cancel()
		wg.Wait()
		if n := late.Load(); n > 0 {
			t.Errorf("got %d calls of Lead after the session's earliest expiry, want 0", n)
		}
		if !frozen.Load() {
			t.Error("got no freeze: the test checks nothing")
		}
	})
}

func TestCandidateInEachDialect(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		allowed := 0
		for _, d := range dialect.All() {
			t.Run(d.ID, func(t *testing.T) {
				path := electiontest.ElectionPath(t)
				on.T = t
				cfg := candidate.Config{Conn: on.Config(), Path: path, Data: []byte("us"), Ack: path + "-leader", Dialect: d}
				if d.Why != "" {
					err := candidate.New(cfg).Run(t.Context())
					if err == nil || !strings.Contains(err.Error(), d.Why) {
						t.Errorf("Run: got error %v, want %q", err, d.Why)
					}
					return
				}
				allowed++
				on.Make(path, 0)
				first := on.Make(path+"/"+d.Prefix([16]byte{1}), electiontest.Contender)
				second := on.Make(path+"/"+d.Prefix([16]byte{2}), electiontest.Contender)
				s := electiontest.RunCandidate(t, cfg)
				m := s.AwaitBelief(t, model.Waiting)
				if m.Watches != znode.Base(second) || m.Recipe != d.Recipe.Name() {
					t.Errorf("%s: got watch on %s with recipe %s, want on %s with %s", m.Znode, m.Watches, m.Recipe, znode.Base(second), d.Recipe.Name())
				}
				conn := electiontest.Connected(t, on.Config())
				read, err := observer.ReadOnce(t.Context(), conn, path, time.Now)
				if err != nil {
					t.Fatal(err)
				}
				if got := dialect.Recognise(dialect.Evidence{Path: path, Children: read.New, Parent: read.Parent}); got == nil || got.Recipe.Name() != d.Recipe.Name() {
					t.Errorf("got dialect %+v with electop's candidate, want recipe %s", got, d.Recipe.Name())
				}
				on.Remove(second, first)
				s.AwaitBelief(t, model.Leading)
				ok, _, err := on.Exists(path + "-leader")
				if err != nil || ok == d.Foreign() {
					t.Errorf("got acknowledgement %v, error %v; want %v, none", ok, err, !d.Foreign())
				}
			})
		}
		if allowed < 5 {
			t.Errorf("got %d dialects that allow electop's candidates, want at least 5", allowed)
		}
	})
}

// TestLostReplyInADialect checks that the candidate finds its znode among similar names.
func TestLostReplyInADialect(t *testing.T) {
	for _, id := range []string{"curator-lock", "kazoo-lock", "recipe-lock"} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, ok := dialect.ByID(id)
				if !ok || d.Why != "" {
					t.Fatalf("no candidate can join %s: %+v", id, d)
				}
				server, c := electiontest.Embedded(t)
				create := electiontest.Creator(t, c)
				create("/election", 0)
				for i := range 20 {
					create("/election/"+d.Prefix([16]byte{byte(i)}), electiontest.Contender)
				}
				s := electiontest.NewCandidate(candidate.Config{Conn: electiontest.Conn(server, nil), Path: "/election", Dialect: d, NoGuid: func() bool { return true }})
				s.LoseReply()
				s.Start(t)
				time.Sleep(10 * electiontest.LeaseTimeout)
				children, _, err := c.Children("/election")
				if err != nil {
					t.Fatal(err)
				}
				last := s.Now()
				if !s.All()[0].LosesReply || last.LosesReply {
					t.Fatal("got no lost reply: the test checks nothing")
				}
				if len(children) != 21 || last.Belief != model.Waiting || !strings.HasSuffix(last.Znode, "0000000020") {
					t.Errorf("got %d children, candidate %+v; want 21, the last place", len(children), last)
				}
				if _, stat, err := c.Get("/election/" + last.Znode); err != nil || uint64(stat.EphemeralOwner) != last.Session {
					t.Errorf("%s: got stat %+v, error %v; want owner %#x", last.Znode, stat, err, last.Session)
				}
			})
		})
	}
}

func TestOwnName(t *testing.T) {
	const guid = "0123456789abcdef0123456789abcdef"
	for name, want := range map[string]bool{
		guid + "-n_0000000000": true, guid + "-n_-2147483648": true, guid + "-n_-000000001": true,
		guid + "-n_000000001": false, guid + "-n_--00000001": false, guid + "-lock-0000000000": false, "n_0000000000": false,
	} {
		if got := candidate.OwnName(name); got != want {
			t.Errorf("OwnName(%q) = %v, want %v", name, got, want)
		}
	}
}
