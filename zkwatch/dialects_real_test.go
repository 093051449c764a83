package zkwatch_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/zktest"
	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

// realElection has a candidate for each of recipes. They join in the order amber, birch, cedar, delta, ember, fern.
type realElection struct {
	name    string
	recipes []string
	leases  []int // a semaphore's number of leases; nil for other recipes
	path    string
	parent  string // the parent of the contenders; "" means path

	dialect string
	queue   []string
	holders int
	watches map[string]string // maps a waiting candidate to the candidate that it watches
	who     map[string]string // maps a candidate to its shown name, if that is not its own name
}

var chain = map[string]string{"birch": "amber", "cedar": "birch"}

var curatorElections = []realElection{
	{
		name: "latch", recipes: []string{"latch", "latch", "latch"}, path: "/curator/latch",
		dialect: "curator-latch", queue: []string{"amber", "birch", "cedar"}, holders: 1, watches: chain,
	},
	{
		name: "selector", recipes: []string{"selector", "selector", "selector"}, path: "/curator/selector",
		dialect: "curator-lock", queue: []string{"amber", "birch", "cedar"}, holders: 1, watches: chain,
	},
	{
		name: "mutex", recipes: []string{"mutex", "mutex", "mutex"}, path: "/curator/mutex",
		dialect: "curator-lock", queue: []string{"amber", "birch", "cedar"}, holders: 1, watches: chain,
		who: map[string]string{"amber": anAddress, "birch": anAddress, "cedar": anAddress},
	},
	{
		name: "read and write", recipes: []string{"read", "read", "write", "read", "write", "read"}, path: "/curator/rw",
		dialect: "curator-rw", queue: []string{"amber", "birch", "cedar", "delta", "ember", "fern"}, holders: 2,
		watches: map[string]string{"cedar": "birch", "delta": "cedar", "ember": "delta", "fern": "cedar"},
	},
	{
		// A third candidate would create a third lease znode, and wait without a lease.
		name: "leases", recipes: []string{"semaphore", "semaphore"}, leases: []int{2}, path: "/curator/leases", parent: "/curator/leases/leases",
		dialect: "curator-semaphore", queue: []string{"amber", "birch"}, holders: 2,
	},
	{
		name: "queue for leases", recipes: []string{"semaphore", "semaphore", "semaphore"}, leases: []int{1}, path: "/curator/queue", parent: "/curator/queue/locks",
		dialect: "curator-semaphore-queue", queue: []string{"birch", "cedar"}, holders: 1, watches: map[string]string{"cedar": "birch"},
		who: map[string]string{"birch": anAddress, "cedar": anAddress},
	},
}

var kazooElections = []realElection{
	{
		name: "election", recipes: []string{"election", "election", "election"}, path: "/kazoo/election",
		dialect: "kazoo-lock", queue: []string{"amber", "birch", "cedar"}, holders: 1, watches: chain,
	},
	{
		name: "lock", recipes: []string{"lock", "lock", "lock"}, path: "/kazoo/lock",
		dialect: "kazoo-lock", queue: []string{"amber", "birch", "cedar"}, holders: 1, watches: chain,
	},
	{
		name: "read and write", recipes: []string{"read", "read", "write", "read", "write", "read"}, path: "/kazoo/rw",
		dialect: "kazoo-rw", queue: []string{"amber", "birch", "cedar", "delta", "ember", "fern"}, holders: 2,
		watches: map[string]string{"cedar": "birch", "delta": "cedar", "ember": "delta", "fern": "ember"},
	},
	{
		name: "leases", recipes: []string{"semaphore", "semaphore", "semaphore"}, leases: []int{2}, path: "/kazoo/leases",
		dialect: "kazoo-semaphore", queue: []string{"amber", "birch"}, holders: 2,
	},
	{
		name: "queue for leases", recipes: []string{"semaphore", "semaphore", "semaphore"}, leases: []int{1}, path: "/kazoo/queue", parent: "/kazoo/queue-__lock__",
		dialect: "kazoo-semaphore-queue", queue: []string{"birch", "cedar"}, holders: 1, watches: map[string]string{"cedar": "birch"},
		// In this queue, kazoo writes the name as a Python bytes literal.
		who: map[string]string{"birch": "b'birch'", "cedar": "b'cedar'"},
	},
}

const anAddress = "\x00address"

func TestDialectsOfRealLibraries(t *testing.T) {
	t.Parallel()
	zktest.Each(t, func(t *testing.T, addr string) {
		if strings.HasSuffix(t.Name(), "/embedded") {
			zktest.SecondTier(t) // otherwise each library starts twice
		}
		root := electiontest.ElectionPath(t)
		for _, library := range []struct {
			system    string
			start     func(testing.TB, string, time.Duration) *zktest.ThirdParty
			elections []realElection
		}{
			{"Curator", zktest.Curator, curatorElections},
			{"kazoo", zktest.Kazoo, kazooElections},
		} {
			t.Run(library.system, func(t *testing.T) {
				t.Parallel()
				process := library.start(t, addr, 30*time.Second)
				conn := electiontest.Connected(t, electiontest.Config(t, addr))
				for _, e := range library.elections {
					t.Run(e.name, func(t *testing.T) { e.check(t, addr, process, conn, root, library.system) })
				}
			})
		}
	})
}

func (e realElection) check(t *testing.T, addr string, process *zktest.ThirdParty, conn *client.Conn, root, system string) {
	names := []string{"amber", "birch", "cedar", "delta", "ember", "fern"}[:len(e.recipes)]
	joined := map[string]zktest.Candidate{}
	owner := map[uint64]string{}
	for i, name := range names {
		// One process runs all elections, so each name must be unique.
		own := strings.TrimPrefix(strings.ReplaceAll(e.path, "/", "-")+"-"+name, "-")
		s := process.Join(t, e.recipes[i], root+e.path, own, e.leases...)
		joined[name], owner[s.Session] = s, name
	}
	path := root + cmp.Or(e.parent, e.path)
	var read *model.Read
	electiontest.Until(t, "the contenders", func() (err error) {
		if read, err = observer.ReadOnce(t.Context(), conn, path, time.Now); err != nil {
			t.Fatal(err)
		}
		if len(read.New) != len(e.queue) {
			return fmt.Errorf("got %d children, want %d", len(read.New), len(e.queue))
		}
		return nil
	})
	dialect := dialect.Recognise(dialect.Evidence{Path: path, Children: read.New, Parent: read.Parent, Markers: read.Markers})
	if dialect == nil || dialect.ID != e.dialect || !strings.Contains(dialect.System, system) {
		t.Fatalf("got dialect %+v, want %s of %s; the children are %+v", dialect, e.dialect, system, read.New)
	}
	j := doctor.NewJournal(model.Config{Path: path})
	j.Apply(read)
	s := j.State()
	if s.Dialect != dialect || s.Recipe != dialect.Recipe {
		t.Errorf("got dialect %v, recipe %v in the journal, want %v and its recipe", s.Dialect, s.Recipe, dialect)
	}
	var queue []string
	for _, c := range s.Queue.All() {
		queue = append(queue, owner[c.Session])
	}
	if !slices.Equal(queue, e.queue) {
		t.Fatalf("got queue %q, want %q", queue, e.queue)
	}
	if n := s.Recipe.Holders(s.Queue); n != e.holders {
		t.Errorf("got %d holders, want %d", n, e.holders)
	}
	for i, c := range s.Queue.All() {
		name := owner[c.Session]
		want := joined[name].Name
		switch other := e.who[name]; {
		case other == anAddress:
			if !strings.Contains(dialect.Who(c), ".") && !strings.Contains(dialect.Who(c), ":") {
				t.Errorf("%s: got shown name %q of data %q, want an address", name, dialect.Who(c), c.Data.Bytes)
			}
			want = dialect.Who(c)
		case other != "":
			want = strings.ReplaceAll(other, name, want)
		}
		if dialect.Who(c) != want || c.Who != want {
			t.Errorf("%s: got shown names %q and %q, want %q", name, dialect.Who(c), c.Who, want)
		}
		watched := ""
		if w, ok := s.Recipe.Watches(s.Queue, i); ok {
			watched = owner[s.Queue.At(w).Session]
		}
		if watched != e.watches[name] {
			t.Errorf("%s: got watched candidate %q, want %q", name, watched, e.watches[name])
		}
	}
	e.verify(t, addr, j)
	for _, name := range names {
		process.Resign(t, joined[name].Name)
	}
	// Curator's parent is a container znode, which a server may delete now.
	left, err := observer.ReadOnce(t.Context(), conn, path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	j.Apply(left)
	if s = j.State(); s.Queue.Len() > 0 || s.Dialect != dialect || s.NoLeader() != model.NoCandidate {
		t.Errorf("after all left: got %v, queue %v, %q; want %v, no candidate, %q", s.Dialect, s.Queue, s.NoLeader(), dialect, model.NoCandidate)
	}
}

func (e realElection) verify(t *testing.T, addr string, j *doctor.Journal) {
	poller := admin.New(admin.Config{Mode: admin.FourLetter, Servers: []string{addr}})
	cancel := poller.Subscribe(admin.Election{
		Path: j.State().Path,
		Put:  func(_ context.Context, o model.Observation) { j.Apply(o) },
	})
	defer cancel()
	electiontest.Until(t, "the watches", func() error {
		if err := poller.Poll(t.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
			t.Fatal(err)
		}
		s := j.State()
		for i, c := range s.Queue.All() {
			_, waits := s.Recipe.Watches(s.Queue, i)
			if edge := s.Edge(i); waits && edge.State != doctor.Verified {
				return fmt.Errorf("%s: got edge %+v, want it verified", c.Name, edge)
			}
		}
		return nil
	})
}
