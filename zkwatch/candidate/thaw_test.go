package candidate_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
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
)

func withAwake(t *testing.T, f func(t *testing.T, server *zkserver.Server, s *electiontest.Candidate, awake func() []model.Member)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var mu sync.Mutex
		var seen []model.Member
		var s *electiontest.Candidate
		s = electiontest.NewCandidate(candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Create: true, Ack: "/election-leader",
			Awake: func() {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, s.Now())
			},
		})
		s.Start(t)
		s.AwaitBelief(t, model.Leading)
		synctest.Wait() // a leader reports Leading before it watches its acknowledgement
		f(t, server, s, func() []model.Member {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(seen)
		})
	})
}

func TestAwakeAfterAShortFreeze(t *testing.T) {
	withAwake(t, func(t *testing.T, server *zkserver.Server, s *electiontest.Candidate, awake func() []model.Member) {
		for i := range 5 {
			s.Freeze()
			time.Sleep(time.Duration(i) * electiontest.LeaseTimeout / 12)
			s.Thaw()
			synctest.Wait()
			if got := awake(); len(got) != i+1 || got[i].Belief != model.Leading {
				t.Fatalf("got reports %+v at calls of Awake after %d freezes, want one for each freeze, all Leading", got, i+1)
			}
		}
		if got := beliefs(s, 0); slices.Contains(got, model.Suspended) {
			t.Errorf("got beliefs %q, want no suspension", got)
		}
	})
}

func TestAwakeAfterAnExpiryWhileFrozen(t *testing.T) {
	withAwake(t, func(t *testing.T, server *zkserver.Server, s *electiontest.Candidate, awake func() []model.Member) {
		m := s.Now()
		s.Freeze()
		if err := server.ExpireSession(int64(m.Session)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s.Thaw()
		synctest.Wait()
		if got := awake(); len(got) == 0 || believesToLead(got[0]) {
			t.Errorf("got reports %+v at calls of Awake, want the first not leading", got)
		}
	})
}

func TestAwakeAfterTwoFreezes(t *testing.T) {
	withAwake(t, func(t *testing.T, server *zkserver.Server, s *electiontest.Candidate, awake func() []model.Member) {
		server.SetPace(zkserver.Pace{Steps: true})
		s.Freeze()
		time.Sleep(time.Second)
		s.Thaw()
		synctest.Wait()
		if n := server.TakeBacklog(0).Waiting; n != 1 {
			t.Fatalf("got %d held replies, want 1: the reply to the candidate's read of its own znode after the thaw", n)
		}
		s.Freeze()
		server.SetPace(zkserver.Pace{})
		time.Sleep(time.Hour)
		if got := awake(); len(got) > 0 {
			t.Fatalf("frozen: got reports %+v at calls of Awake, want no call", got)
		}
		s.Thaw()
		synctest.Wait()
		if got := awake(); len(got) == 0 || believesToLead(got[0]) {
			t.Errorf("got reports %+v at calls of Awake, want the first not leading", got)
		}
	})
}

func TestLateRepliesDoNotSuspend(t *testing.T) {
	withCandidates(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Candidate, lines []*fault.Line) {
		next := int64(s[1].Now().Session)
		server.SetPace(zkserver.Pace{Steps: true})
		go s[0].Resign()
		release := func() { // waits, then releases held messages up to and including the first one for s[1]
			t.Helper()
			time.Sleep(5 * electiontest.LeaseTimeout)
			for {
				m, ok := server.Step()
				if !ok {
					t.Fatalf("got no held message; the candidate is %+v", s[1].Now())
				}
				if m.Session == next {
					return
				}
			}
		}
		release() // the notification that the predecessor was deleted
		release() // the reply to getChildren
		release() // the reply that there is no acknowledgement yet
		release() // the reply to the create of the acknowledgement
		m := s[1].AwaitBelief(t, model.Leading)
		release() // the reply to the read that watches the acknowledgement
		want := []model.Belief{model.Volunteering, model.Waiting, model.Elected, model.Leading}
		if got := beliefs(s[1], 0); !slices.Equal(got, want) {
			t.Errorf("got beliefs %q, want %q", got, want)
		}
		time.Sleep(10 * electiontest.LeaseTimeout)
		if now := s[1].Now(); now.Belief != model.Leading || now.Fence != m.Fence {
			t.Errorf("after 10 timeouts: got report %+v, want Leading with fence %#x", now, m.Fence)
		}
		server.SetPace(zkserver.Pace{})
	})
}

func children(m model.Member) string {
	var out []string
	for _, name := range m.StepOn.Children {
		if seq, ok := znode.Sequence(name); ok {
			name = strconv.FormatInt(seq, 10)
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestStepsNameTheChildren(t *testing.T) {
	t.Parallel()
	electiontest.Each(t, func(t *testing.T, on electiontest.Site) {
		on.Make(on.Path, 0)
		on.Make(on.Path+"/hello\u202eand-so-on-and-on", zk.FlagEphemeral)
		listed := func(m model.Member) bool { return m.Step == model.StepList || m.Step == model.StepLowest }
		joins := func(want string, more int) {
			t.Helper()
			m, _ := electiontest.RunCandidate(t, candidate.Config{Conn: on.Config(), Path: on.Path}).Await(t, 0, "a list", listed)
			if got := children(m); got != want || m.StepOn.More != more {
				t.Errorf("got children %q and %d more, want %q and %d", got, m.StepOn.More, want, more)
			}
		}
		const unnumbered = "hello\u202eand-so-on-and-on"
		joins("1 "+unnumbered, 0)
		joins("1 2 "+unnumbered, 0)
		for range 4 {
			on.Make(on.Path+"/n_", electiontest.Contender)
		}
		joins("1 2 3 4 5 6 7 "+unnumbered, 0)
		crowd := slices.Repeat([]any{&zk.CreateRequest{Path: on.Path + "/n_", Acl: electiontest.Open, Flags: electiontest.Contender}}, 200)
		zktest.Must(on.Multi(crowd...))
		joins("1 2 3 4 5 6 7 8", 201)
		joins("1 2 3 4 5 6 7 8", 202)
	})
}
