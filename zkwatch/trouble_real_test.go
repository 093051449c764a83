package zkwatch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/doctor"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// patient is an election of real clients, read once, and what the server says of it as
// often as it is asked.
type patient struct {
	*testing.T
	journal *doctor.Journal
	poller  *admin.Poller
}

// examine reads the election at path, which has so many contenders, and asks nobody yet.
func examine(t *testing.T, server *zktest.Server, path string, contenders int) *patient {
	t.Helper()
	conn := electiontest.Connected(t, electiontest.Config(t, server.Addr))
	p := &patient{T: t, journal: doctor.NewJournal(model.Config{Path: path})}
	read, err := observer.ReadOnce(t.Context(), conn, path, feed.Now)
	if err != nil {
		t.Fatal(err)
	}
	p.journal.Apply(&model.Connection{At: read.At, Link: model.Connected})
	p.journal.Apply(read)
	if n := p.journal.State().Queue.Len(); n != contenders {
		t.Fatalf("%d contenders, want %d: %+v", n, contenders, read.New)
	}
	p.poller = admin.New(admin.Config{Mode: admin.FourLetter, Servers: []string{server.Addr}})
	t.Cleanup(p.poller.Subscribe(admin.Election{
		Path: path,
		Put:  func(_ context.Context, o model.Observation) { p.journal.Apply(o) },
	}))
	return p
}

// asked asks the server until ok, and lets time pass.
func (p *patient) asked(what string, ok func(s *doctor.State) bool) *doctor.State {
	p.Helper()
	electiontest.Until(p.T, what, func() error {
		if err := p.poller.Poll(p.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
			p.Fatal(err)
		}
		p.journal.Apply(&model.Advance{At: feed.Now()})
		if s := p.journal.State(); !ok(s) {
			return fmt.Errorf("%q, findings %v", s.NoLeader(), found(s))
		}
		return nil
	})
	return p.journal.State()
}

// found are the findings: "id severity" each.
func found(s *doctor.State) (out []string) {
	for _, f := range s.Findings {
		out = append(out, f.ID+" "+string(f.Severity))
	}
	return out
}

// TestLockOfTwoLibraries has a client of go-zookeeper hold a lock for which two of
// kazoo stand, which count its names or do not.
func TestLockOfTwoLibraries(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t)
	kazoo := zktest.Kazoo(t, server.Addr, 30*time.Second)
	held := func(t *testing.T, recipe string) (path string, holder uint64) {
		path = fmt.Sprintf("/%s%x", recipe, time.Now().UnixNano())
		c := zktest.Client(t, server.Addr)
		if err := zk.NewLock(c, path, electiontest.Open).LockWithData([]byte("go1")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{recipe + "-1", recipe + "-2"} {
			kazoo.Stand(t, recipe, path, name)
		}
		return path, uint64(c.SessionID())
	}
	t.Run("kazoo counts the other", func(t *testing.T) {
		path, holder := held(t, "counting")
		p := examine(t, server, path, 3)
		if s := p.journal.State(); s.NoLeader() != model.MixedClients || s.First().Session != holder {
			t.Errorf("before the server was asked: %q, first %v", s.NoLeader(), s.First())
		}
		s := p.asked("the watches", func(s *doctor.State) bool {
			return s.Leader() != nil && s.Edge(1).State == doctor.Verified && s.Edge(2).State == doctor.Verified
		})
		if s.Leader().Session != holder || s.Holders() != 1 || len(s.Findings) > 0 || kazoo.Led("counting-1") {
			t.Errorf("%v leads, %d hold, findings %v; kazoo's leads: %v", s.Leader(), s.Holders(), found(s), kazoo.Led("counting-1"))
		}
	})
	t.Run("kazoo does not", func(t *testing.T) {
		path, holder := held(t, "lock")
		kazoo.Leads(t, "lock-1") // beside the other
		p := examine(t, server, path, 3)
		s := p.asked("two leaders", func(s *doctor.State) bool { return len(s.Findings) > 0 })
		if got := found(s); len(got) != 1 || got[0] != "two-leaders critical" || s.Leader() != nil || s.NoLeader() != model.MixedClients {
			t.Fatalf("%q, findings %q", s.NoLeader(), got)
		}
		f := s.Findings[0]
		if len(f.Sessions) != 2 || f.Sessions[0] != holder || f.Sessions[1] != s.Queue.At(1).Session || strings.Contains(f.Advice, "Delete") {
			t.Errorf("%+v", f)
		}
	})
}

// TestSeveralOfOneClient has three latches of Curator share a client, and three threads
// one of kazoo: the first leads, and nothing is wrong.
func TestSeveralOfOneClient(t *testing.T) {
	t.Parallel()
	server := zktest.Apache(t)
	for _, x := range []struct {
		recipe string
		start  func(testing.TB, string, time.Duration) *zktest.Foreign
	}{{"shared", zktest.Curator}, {"thread", zktest.Kazoo}} {
		t.Run(x.recipe, func(t *testing.T) {
			t.Parallel()
			process := x.start(t, server.Addr, 30*time.Second)
			path := fmt.Sprintf("/%s%x", x.recipe, time.Now().UnixNano())
			first := process.Stand(t, x.recipe, path, "one")
			process.Leads(t, "one")
			for _, name := range []string{"two", "three"} {
				if c := process.Stand(t, x.recipe, path, name); c.Session != first.Session {
					t.Fatalf("%s has the session %x, and the first %x", name, c.Session, first.Session)
				}
			}
			p := examine(t, server, path, 3)
			s := p.asked("what there is to say", func(s *doctor.State) bool { return len(s.Findings) > 0 })
			f := s.Findings[0]
			if got := found(s); len(got) != 1 || got[0] != "ghost-node info" || !strings.Contains(f.Title, "one client owns 3 candidates") {
				t.Errorf("findings %q: %+v", got, f)
			}
			if strings.Contains(f.Advice, "elete") || strings.Contains(f.Advice, "estart") {
				t.Errorf("advice: %s", f.Advice)
			}
			if l := s.Leader(); l == nil || path+"/"+l.Name != first.Znode || s.Holders() != 1 {
				t.Errorf("%v leads, not %s", s.Leader(), first.Znode)
			}
		})
	}
}
