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
	"electop/model"
	"electop/model/znode"
	"electop/zkwatch/candidate"
	"electop/zkwatch/fault"
	"electop/zkwatch/internal/electiontest"
)

// roused runs one leader in virtual time that notes what it last reported each
// time that it was awake.
func roused(t *testing.T, f func(t *testing.T, server *zkserver.Server, s *electiontest.Stander, awake func() []model.Member)) {
	synctest.Test(t, func(t *testing.T) {
		server := zkserver.New(zkserver.Options{})
		t.Cleanup(func() { server.Close() })
		var mu sync.Mutex
		var seen []model.Member
		var s *electiontest.Stander
		s = electiontest.NewStander(candidate.Config{
			Conn: electiontest.Conn(server, nil),
			Path: "/election", Create: true, Ack: "/election-leader",
			Awake: func() {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, s.Now())
			},
		})
		s.Start(t)
		s.Believes(t, model.Leading)
		synctest.Wait() // it believes before it has set its last watch
		f(t, server, s, func() []model.Member {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(seen)
		})
	})
}

// A freeze for up to a third of the session timeout changes nothing.
func TestAwakeAfterAShortFreeze(t *testing.T) {
	roused(t, func(t *testing.T, server *zkserver.Server, s *electiontest.Stander, awake func() []model.Member) {
		for i := range 5 {
			s.Freeze()
			time.Sleep(time.Duration(i) * electiontest.LeaseTimeout / 12)
			s.Thaw()
			synctest.Wait()
			if got := awake(); len(got) != i+1 || got[i].Belief != model.Leading {
				t.Fatalf("awake %d times after %d freezes: %+v", len(got), i+1, got)
			}
		}
		if got := beliefs(s, 0); slices.Contains(got, model.Suspended) {
			t.Errorf("it believed %q", got)
		}
	})
}

// The lease holds, and yet the session is gone: only the servers can tell.
func TestAwakeAfterAnEarlyExpiry(t *testing.T) {
	roused(t, func(t *testing.T, server *zkserver.Server, s *electiontest.Stander, awake func() []model.Member) {
		m := s.Now()
		s.Freeze()
		if err := server.ExpireSession(int64(m.Session)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s.Thaw()
		synctest.Wait()
		if got := awake(); len(got) == 0 || leads(got[0]) {
			t.Errorf("awake: %+v", got)
		}
	})
}

// Thawed and frozen again before it could look, it is awake only after it has
// looked again.
func TestAwakeAfterTwoFreezes(t *testing.T) {
	roused(t, func(t *testing.T, server *zkserver.Server, s *electiontest.Stander, awake func() []model.Member) {
		server.SetPace(zkserver.Pace{Steps: true})
		s.Freeze()
		time.Sleep(time.Second)
		s.Thaw()
		synctest.Wait()
		if n := server.TakeBacklog(0).Waiting; n != 1 {
			t.Fatalf("%d replies are held, want that to its question", n)
		}
		s.Freeze()
		server.SetPace(zkserver.Pace{})
		time.Sleep(time.Hour)
		if got := awake(); len(got) > 0 {
			t.Fatalf("awake while it is frozen: %+v", got)
		}
		s.Thaw()
		synctest.Wait()
		if got := awake(); len(got) == 0 || leads(got[0]) {
			t.Errorf("awake: %+v", got)
		}
	})
}

// However late an answer is, a leader whose pings are answered leads on: the
// wait for it does not outlast the lease.
func TestLateAnswersDoNotSuspend(t *testing.T) {
	virtual(t, 2, func(t *testing.T, server *zkserver.Server, s []*electiontest.Stander, lines []*fault.Line) {
		next := int64(s[1].Now().Session)
		server.SetPace(zkserver.Pace{Steps: true})
		go s[0].Resign()
		release := func() { // one answer
			t.Helper()
			time.Sleep(5 * electiontest.LeaseTimeout)
			for {
				m, ok := server.Step()
				if !ok {
					t.Fatalf("nothing is held; it is %+v", s[1].Now())
				}
				if m.Session == next {
					return
				}
			}
		}
		release() // its predecessor is gone
		release() // C
		release() // no acknowledgement yet
		release() // the acknowledgement
		m := s[1].Believes(t, model.Leading)
		release() // the acknowledgement again, with a watch
		want := []model.Belief{model.Volunteering, model.Waiting, model.Elected, model.Leading}
		if got := beliefs(s[1], 0); !slices.Equal(got, want) {
			t.Errorf("it believed %q, want %q", got, want)
		}
		time.Sleep(10 * electiontest.LeaseTimeout)
		if now := s[1].Now(); now.Belief != model.Leading || now.Fence != m.Fence {
			t.Errorf("later it is %+v", now)
		}
		server.SetPace(zkserver.Pace{})
	})
}

// words are the children of a step, by their numbers.
func words(m model.Member) string {
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
		stands := func() model.Member {
			t.Helper()
			m, _ := electiontest.Stand(t, candidate.Config{Conn: on.Config(), Path: on.Path}).Await(t, 0, "a list", listed)
			return m
		}
		const foreign = "hello\u202eand-so-on-and-on"
		if m := stands(); words(m) != "1 "+foreign {
			t.Errorf("the first: %+v", m.StepOn)
		}
		if m := stands(); words(m) != "1 2 "+foreign {
			t.Errorf("the second: %+v", m.StepOn)
		}
		for range 4 {
			on.Make(on.Path+"/n_", electiontest.Contender)
		}
		if m := stands(); words(m) != "1 2 3 4 5 6 7 "+foreign {
			t.Errorf("eight: %+v", m.StepOn)
		}
		for range 200 {
			on.Make(on.Path+"/n_", electiontest.Contender)
		}
		if m := stands(); words(m) != "1 2 3 4 5 6 7 8" || m.StepOn.More != 201 {
			t.Errorf("many: %+v", m.StepOn)
		}
		if m := stands(); !strings.HasSuffix(words(m), " 8") || m.StepOn.More != 202 {
			t.Errorf("one more: %+v", m.StepOn)
		}
	})
}
