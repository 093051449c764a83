package zkwatch_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

type polledElection struct {
	*testing.T
	journal *doctor.Journal
	poller  *admin.Poller
}

func readOnce(t *testing.T, server *zktest.Server, path string, contenders int) *polledElection {
	t.Helper()
	conn := electiontest.Connected(t, electiontest.Config(t, server.Addr))
	p := &polledElection{T: t, journal: doctor.NewJournal(model.Config{Path: path})}
	read, err := observer.ReadOnce(t.Context(), conn, path, feed.Now)
	if err != nil {
		t.Fatal(err)
	}
	p.journal.Apply(&model.Connection{At: read.At, Link: model.Connected})
	p.journal.Apply(read)
	if n := p.journal.State().Queue.Len(); n != contenders {
		t.Fatalf("got %d contenders, want %d: %+v", n, contenders, read.New)
	}
	p.poller = admin.New(admin.Config{Mode: admin.FourLetter, Servers: []string{server.Addr}})
	t.Cleanup(p.poller.Subscribe(admin.Election{
		Path: path,
		Put:  func(_ context.Context, o model.Observation) { p.journal.Apply(o) },
	}))
	return p
}

func (p *polledElection) withTables(what string, ok func(s *doctor.State) bool) *doctor.State {
	p.Helper()
	electiontest.Until(p.T, what, func() error {
		if err := p.poller.Poll(p.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
			p.Fatal(err)
		}
		p.journal.Apply(&model.Advance{At: feed.Now()})
		if s := p.journal.State(); !ok(s) {
			return fmt.Errorf("got reason %q for no leader, findings %v", s.NoLeader(), found(s))
		}
		return nil
	})
	return p.journal.State()
}

func found(s *doctor.State) (out []string) {
	for _, f := range s.Findings {
		out = append(out, f.ID+" "+string(f.Severity))
	}
	return out
}

func TestWhetherTwoLibrariesExcludeEachOther(t *testing.T) {
	zktest.SecondTier(t)
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
			kazoo.Join(t, recipe, path, name)
		}
		return path, uint64(c.SessionID())
	}
	t.Run("kazoo counts the holder", func(t *testing.T) {
		path, holder := held(t, "counting")
		p := readOnce(t, server, path, 3)
		if s := p.journal.State(); s.NoLeader() != model.MixedClients || s.First().Session != holder {
			t.Errorf("without the tables: got reason %q for no leader, first %v; want %q, session %#x", s.NoLeader(), s.First(), model.MixedClients, holder)
		}
		s := p.withTables("the watches", func(s *doctor.State) bool {
			return s.Leader() != nil && s.Edge(1).State == doctor.Verified && s.Edge(2).State == doctor.Verified
		})
		if s.Leader().Session != holder || s.Holders() != 1 || len(s.Findings) > 0 || kazoo.Led("counting-1") {
			t.Errorf("got leader %v, %d holders, findings %v, kazoo leads %v; want only session %#x", s.Leader(), s.Holders(), found(s), kazoo.Led("counting-1"), holder)
		}
	})
	t.Run("kazoo ignores the holder", func(t *testing.T) {
		path, holder := held(t, "lock")
		kazoo.AwaitLeading(t, "lock-1")
		p := readOnce(t, server, path, 3)
		s := p.withTables("two leaders", func(s *doctor.State) bool { return slices.Contains(found(s), "two-leaders critical") })
		if got := found(s); len(got) != 1 || got[0] != "two-leaders critical" || s.Leader() != nil || s.NoLeader() != model.MixedClients {
			t.Fatalf("got reason %q for no leader, findings %q; want %q, only two-leaders", s.NoLeader(), got, model.MixedClients)
		}
		f := s.Findings[0]
		if len(f.Sessions) != 2 || f.Sessions[0] != holder || f.Sessions[1] != s.Queue.At(1).Session || strings.Contains(f.Advice, "elete") {
			t.Errorf("got finding %+v, want both sessions and no advice to delete", f)
		}
	})
}

// TestSecondLeaderOfAnotherLibrary expects two leaders if and only if the library ignores electop's names.
func TestSecondLeaderOfAnotherLibrary(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.Apache(t)
	for _, x := range []struct {
		recipe, counts string
		start          func(testing.TB, string, time.Duration) *zktest.ThirdParty
	}{
		{"election", "kazoo's names", zktest.Kazoo}, {"write", "kazoo's names", zktest.Kazoo}, {"all", "", zktest.Kazoo},
		{"latch", "names with latch-", zktest.Curator}, {"selector", "names with lock-", zktest.Curator},
	} {
		t.Run(x.recipe, func(t *testing.T) {
			t.Parallel()
			path := fmt.Sprintf("/%s%x", x.recipe, time.Now().UnixNano())
			c := zktest.Client(t, server.Addr)
			if _, err := c.Create(path, nil, 0, electiontest.Open); err != nil {
				t.Fatal(err)
			}
			var amber string
			for i := range 2 {
				name, err := zktest.Client(t, server.Addr).Create(fmt.Sprintf("%s/a%031x-n_", path, i), nil, zk.FlagEphemeral|zk.FlagSequence, electiontest.Open)
				if err != nil {
					t.Fatal(err)
				}
				amber = cmp.Or(amber, name)
			}
			process := x.start(t, server.Addr, 30*time.Second)
			first := process.Join(t, x.recipe, path, "other0")
			process.Join(t, x.recipe, path, "other1")
			p := readOnce(t, server, path, 4)
			if x.counts == "" {
				s := p.withTables("a leader", func(s *doctor.State) bool { return s.Leader() != nil })
				if path+"/"+s.Leader().Name != amber || len(s.Rivals) > 0 || process.Led("other0") {
					t.Errorf("got leader %v, rivals %v, kazoo leads %v; want only %s", s.Leader(), s.Rivals, process.Led("other0"), amber)
				}
				return
			}
			process.AwaitLeading(t, "other0")
			if s := p.journal.State(); s.NoLeader() != model.MixedClients || len(s.Rivals) != 1 || s.Rivals[0].Session != first.Session || s.Rivals[0].Library().CountedNames != x.counts {
				t.Fatalf("got reason %q for no leader, rivals %v; want %q, only %s", s.NoLeader(), s.Rivals, model.MixedClients, first.Znode)
			}
			s := p.withTables("two leaders", func(s *doctor.State) bool {
				return slices.Contains(found(s), "two-leaders critical")
			})
			if s.Leader() != nil || process.Led("other1") {
				t.Errorf("got leader %v, other1 leads %v; want neither", s.Leader(), process.Led("other1"))
			}
		})
	}
}

func TestSeveralCandidatesOfOneClient(t *testing.T) {
	zktest.SecondTier(t)
	t.Parallel()
	server := zktest.Apache(t)
	for _, x := range []struct {
		recipe string
		start  func(testing.TB, string, time.Duration) *zktest.ThirdParty
	}{{"shared", zktest.Curator}, {"thread", zktest.Kazoo}} {
		t.Run(x.recipe, func(t *testing.T) {
			t.Parallel()
			process := x.start(t, server.Addr, 30*time.Second)
			path := fmt.Sprintf("/%s%x", x.recipe, time.Now().UnixNano())
			first := process.Join(t, x.recipe, path, "one")
			process.AwaitLeading(t, "one")
			for _, name := range []string{"two", "three"} {
				if c := process.Join(t, x.recipe, path, name); c.Session != first.Session {
					t.Fatalf("%s: got session %x, want %x, the first candidate's", name, c.Session, first.Session)
				}
			}
			p := readOnce(t, server, path, 3)
			s := p.withTables("a finding", func(s *doctor.State) bool { return len(s.Findings) > 0 })
			f := s.Findings[0]
			if got := found(s); len(got) != 1 || got[0] != "ghost-node info" || !strings.Contains(f.Title, "one client owns 3 candidates") {
				t.Errorf("got findings %q: %+v, want one about 3 candidates of one client", got, f)
			}
			if strings.Contains(f.Advice, "elete") || strings.Contains(f.Advice, "estart") {
				t.Errorf("got advice %q, want no deletion and no restart", f.Advice)
			}
			if l := s.Leader(); l == nil || path+"/"+l.Name != first.Znode || s.Holders() != 1 {
				t.Errorf("got leader %v, want %s", s.Leader(), first.Znode)
			}
		})
	}
}
