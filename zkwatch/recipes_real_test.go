package zkwatch_test

import (
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
	"electop/model/phrase"
	"electop/model/znode"
	"electop/zkwatch/admin"
	"electop/zkwatch/client"
	"electop/zkwatch/feed"
	"electop/zkwatch/internal/electiontest"
	"electop/zkwatch/observer"
)

type usedRecipe struct {
	*testing.T
	process *zktest.ThirdParty
	conn    *client.Conn
	server  string
	path    string
	journal *doctor.Journal
}

// use runs the recipes on each server. If ELECTOP_TEST_LONG is not set, it runs only recipes[:fast].
func use(t *testing.T, start func(testing.TB, string, time.Duration) *zktest.ThirdParty, fast int, recipes ...func(r *usedRecipe)) {
	t.Parallel()
	if fast == 0 {
		zktest.SecondTier(t)
	} else if _, second := zktest.Long(t); !second {
		recipes = recipes[:fast]
	}
	zktest.Each(t, func(t *testing.T, addr string) {
		t.Parallel()
		process := start(t, addr, 30*time.Second)
		conn := electiontest.Connected(t, electiontest.Config(t, addr))
		root := electiontest.ElectionPath(t)
		for i, f := range recipes {
			f(&usedRecipe{T: t, process: process, conn: conn, server: addr, path: fmt.Sprintf("%s/r%d", root, i)})
		}
	})
}

func TestRecipesOfKazoo(t *testing.T) {
	use(t, zktest.Kazoo, 1,
		func(r *usedRecipe) { r.barrier() },
		func(r *usedRecipe) { r.doubleBarrier("kazoo-double-barrier") },
		func(r *usedRecipe) {
			r.put("queue", "a", "b", "c", "d")
			r.shows("queue kazoo-queue: 4 items, oldest ")
			r.take("queue", 4)
			r.empty("queue kazoo-queue: 0 items")
		},
		func(r *usedRecipe) {
			r.put("queue", "a 20", "b 7", "c 100")
			r.shows("queue kazoo-queue: 3 items, first: priority 7, ")
			r.take("queue", 1)
			r.shows("queue kazoo-queue: 2 items, first: priority 20, ")
		},
		func(r *usedRecipe) {
			r.put("locking", "a", "b", "c")
			r.take("locked", 1)
			entries := r.at("entries")
			entries.shows("queue kazoo-locking-queue: 3 items, oldest ")
			taken := r.at("taken")
			taken.shows("group kazoo-locking-queue-taken: 1 member, newest ")
			r.take("locking", 3)
			entries.empty("queue kazoo-locking-queue: 0 items")
			taken.empty("group kazoo-locking-queue-taken: 0 members")
		},
		func(r *usedRecipe) { r.members("party", "group kazoo-party: ", 1) },
		func(r *usedRecipe) { r.members("shallow", "group kazoo-shallow-party: ", 1) },
		func(r *usedRecipe) { r.sharedLock("shared-lock kazoo-rw: ") },
		func(r *usedRecipe) { r.semaphore("lock kazoo-semaphore: ", "") },
	)
}

func TestRecipesOfCurator(t *testing.T) {
	use(t, zktest.Curator, 0,
		func(r *usedRecipe) { r.barrier() },
		func(r *usedRecipe) { r.doubleBarrier("curator-double-barrier") },
		func(r *usedRecipe) {
			r.put("simple", "a", "b", "c", "d")
			r.shows("queue simple-queue: 4 items, oldest ")
			r.take("simple", 4)
			r.empty("queue simple-queue: 0 items")
		},
		func(r *usedRecipe) {
			r.put("queue", "a", "b", "c")
			r.shows("queue curator-queue: 3 items, oldest ")
			r.take("queue", 1, "c")
			r.empty("queue curator-queue: 0 items")
		},
		func(r *usedRecipe) {
			r.put("priority", "a 5", "b -1", "c 1")
			r.shows("queue curator-queue: 3 items, first: priority -1, ")
			r.take("priority", 1, "a")
			r.empty("queue curator-queue: 0 items")
		},
		func(r *usedRecipe) {
			r.put("id", "x8", "x7")
			r.shows("queue curator-queue: 2 items, first: " + r.own("x8") + ", ")
			r.take("id", 1, "x7")
			r.empty("queue curator-queue: 0 items")
		},
		func(r *usedRecipe) { r.members("group", "group group: ", 2) },
		func(r *usedRecipe) { r.sharedLock("shared-lock curator-rw: ") },
		func(r *usedRecipe) { r.semaphore("lock curator-semaphore: ", "leases") },
		func(r *usedRecipe) { r.revoked() },
	)
}

func (r *usedRecipe) at(name string) *usedRecipe {
	other := *r
	other.path, other.journal = znode.Join(r.path, name), nil
	return &other
}

func (r *usedRecipe) own(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(r.path, "/", "-"), "-") + "-" + name
}

func (r *usedRecipe) join(recipe string, leases int, names ...string) (all []zktest.Candidate) {
	r.Helper()
	for _, name := range names {
		all = append(all, r.process.Join(r.T, recipe, r.path, r.own(name), leases))
	}
	return all
}

func (r *usedRecipe) resign(names ...string) {
	r.Helper()
	for _, name := range names {
		r.process.Resign(r.T, r.own(name))
	}
}

// put adds items. Each item is a name, or a name and a priority.
func (r *usedRecipe) put(recipe string, items ...string) {
	r.Helper()
	for _, item := range items {
		name, _, _ := strings.Cut(item, " ")
		r.process.WriteLine(r.T, fmt.Sprintf("put %s %s %s", recipe, r.path, r.own(item)))
		r.process.Await(r.T, "put "+r.own(name))
	}
}

// take sends n take commands. If last is set, a command takes all items of a Curator queue up to last.
func (r *usedRecipe) take(recipe string, n int, last ...string) {
	r.Helper()
	for i := range n {
		name := r.own(fmt.Sprint(recipe, i))
		if last != nil {
			name = r.own(last[0])
		}
		r.process.WriteLine(r.T, fmt.Sprintf("take %s %s %s", recipe, r.path, name))
		r.process.Await(r.T, "took "+name)
	}
}

// readStates reads r.path. since is the state after all reads with r. now is the state after this read alone.
func (r *usedRecipe) readStates() (since, now *doctor.State) {
	r.Helper()
	read, err := observer.ReadOnce(r.Context(), r.conn, r.path, feed.Now)
	if err != nil {
		r.Fatal(err)
	}
	fresh := doctor.NewJournal(model.Config{Path: r.path})
	if r.journal == nil {
		r.journal = doctor.NewJournal(model.Config{Path: r.path})
	}
	apply := func(o model.Observation) {
		r.journal.Apply(o)
		fresh.Apply(o)
	}
	apply(&model.Connection{At: read.At, Link: model.Connected, Session: r.conn.Status().SessionID})
	apply(read)
	poller := admin.New(admin.Config{Mode: admin.FourLetter, Servers: []string{r.server}})
	defer poller.Subscribe(admin.Election{Path: r.path, Put: func(_ context.Context, o model.Observation) { apply(o) }})()
	if err := poller.Poll(r.Context(), admin.Want{Watches: true, Sessions: true}); err != nil {
		r.Fatal(err)
	}
	apply(&model.Advance{At: feed.Now()})
	return r.journal.State(), fresh.State()
}

func describe(s *doctor.State) string {
	id := "none"
	if s.Dialect != nil {
		id = s.Dialect.ID
	}
	content := phrase.Content(s)
	if content == "" {
		content = phrase.RoleHolders(s, phrase.Label)
	}
	return fmt.Sprintf("%s %s: %s", string(s.Kind()), id, content)
}

// shows waits until both states of readStates have the description want. want is a prefix if it ends with a space.
func (r *usedRecipe) shows(want string) {
	r.Helper()
	r.until(want, func() []*doctor.State {
		since, now := r.readStates()
		return []*doctor.State{since, now}
	})
}

func (r *usedRecipe) changes(want string) {
	r.Helper()
	r.until(want, func() []*doctor.State {
		since, _ := r.readStates()
		return []*doctor.State{since}
	})
}

func (r *usedRecipe) until(want string, states func() []*doctor.State) {
	r.Helper()
	electiontest.Until(r.T, want, func() error {
		for _, s := range states() {
			if got := describe(s); got != want && (!strings.HasSuffix(want, " ") || !strings.HasPrefix(got, want)) {
				return unexpected(s)
			}
			r.checkNoRole(s)
		}
		return nil
	})
}

func (r *usedRecipe) checkNoRole(s *doctor.State) {
	r.Helper()
	if s.Kind() == dialect.KindShared || s.Kind() == dialect.KindLock || s.Kind() == dialect.KindElection {
		return
	}
	e := phrase.NoLeader(s)
	if s.Leader() != nil || s.Holders() > 0 || e.Severity != "" || len(s.Findings) > 0 || strings.Contains(e.Sentence, "lead") {
		r.Errorf("got leader %v, %+v, findings %v; want no role: %v", s.Leader(), e, found(s), unexpected(s))
	}
}

// empty awaits an empty directory. Only the state after all reads has the directory's kind.
func (r *usedRecipe) empty(want string) {
	r.Helper()
	electiontest.Until(r.T, want+", and empty", func() error {
		since, now := r.readStates()
		if since.Queue.Len() > 0 || now.Queue.Len() > 0 || !strings.HasPrefix(describe(since), want) {
			return unexpected(since)
		}
		r.checkNoRole(since)
		if e := phrase.NoLeader(now); now.Kind() != dialect.KindUnknown || strings.Contains(e.Sentence, "nobody leads") {
			r.Errorf("state after the last read alone: got %+v, want an unknown kind without \"nobody leads\": %v", e, unexpected(now))
		}
		return nil
	})
}

func unexpected(s *doctor.State) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: got %q, phase %s, leaving %v, no leader: %q", s.Path, describe(s), s.Phase, s.Leaving, phrase.NoLeader(s).Sentence)
	for _, c := range slices.Concat(s.Queue.Slice(), s.Ignored) {
		fmt.Fprintf(&b, "\n\t%s session %#x data %q", c.Name, c.Session, c.Data.Bytes)
	}
	if s.Table != nil {
		for _, server := range s.Table.Servers {
			for _, w := range server.Watched {
				fmt.Fprintf(&b, "\n\t%s watched by %#x", w.Path, w.Sessions)
			}
		}
	}
	return fmt.Errorf("%s", b.String())
}

func (r *usedRecipe) barrier() {
	r.put("barrier", "set")
	if since, _ := r.readStates(); since.Kind() != dialect.KindUnknown {
		r.Errorf("without waiters: want an unknown kind: %v", unexpected(since))
	}
	r.join("wait", 1, "amber", "birch")
	r.shows("barrier barrier: 2 sessions watch the znode (inferred: for its deletion)")
	r.take("barrier", 1)
	r.process.AwaitLeading(r.T, r.own("amber"))
	r.process.AwaitLeading(r.T, r.own("birch"))
	r.empty("barrier barrier: open, nobody has to wait")
}

// doubleBarrier makes the last participant leave, and then the first. The first keeps its znode until the others left.
func (r *usedRecipe) doubleBarrier(id string) {
	r.Helper()
	id = "double-barrier " + id + ": "
	names := []string{"amber", "birch", "cedar", "delta"}
	all := r.join("double", 4, names[:3]...)
	r.shows(id + "3 inside, waiting for ready")
	all = append(all, r.join("double", 4, names[3])...)
	for _, name := range names {
		r.process.AwaitLeading(r.T, r.own(name))
	}
	r.shows(id + "4 inside, ready")
	slices.SortFunc(all, func(a, b zktest.Candidate) int { return strings.Compare(a.Znode, b.Znode) })
	for _, left := range []int{3, 0} {
		r.process.WriteLine(r.T, "leave "+all[left].Name)
		r.changes(fmt.Sprint(id, 3, " still inside, leaving"))
	}
	r.process.WriteLine(r.T, "leave "+all[1].Name)
	r.changes(id + "2 still inside, leaving")
	r.process.WriteLine(r.T, "leave "+all[2].Name)
	r.empty(id + "nobody inside")
	r.resign(names...)
}

// members checks a group. electop recognises a group that has at least min members.
func (r *usedRecipe) members(recipe, want string, min int) {
	r.Helper()
	r.join(recipe, 1, "amber")
	if min == 1 {
		r.shows(want + "1 member, newest ")
	}
	r.join(recipe, 1, "birch")
	r.shows(want + "2 members, newest ")
	r.resign("amber")
	r.changes(want + "1 member, newest ")
	r.resign("birch")
	r.empty(want + "0 members")
}

func (r *usedRecipe) sharedLock(want string) {
	r.Helper()
	r.join("read", 1, "amber", "birch")
	r.shows(want + "2 readers hold")
	r.join("write", 1, "cedar")
	r.shows(want + "2 readers hold, 1 writer waits")
	r.resign("amber")
	r.shows(want + "1 reader holds, 1 writer waits")
	if s := r.journal.State(); len(s.Handoffs) > 0 {
		r.Errorf("got handoffs %+v after a reader left, want none", s.Handoffs)
	}
	r.resign("birch")
	r.changes(want + "1 writer holds")
	r.resign("cedar")
	if s, _ := r.readStates(); s.Queue.Len() > 0 || s.Kind() != dialect.KindShared || phrase.NoLeader(s).Sentence != "nobody holds: there is no candidate" {
		r.Errorf("after all resigned: want an empty queue of the same kind without a holder: %v", unexpected(s))
	}
}

func (r *usedRecipe) semaphore(want, below string) {
	r.Helper()
	r.join("semaphore", 2, "amber", "birch")
	leases := r
	if below != "" {
		leases = r.at(below)
	}
	leases.shows(want + r.own("amber") + " and 1 other hold")
	r.resign("amber", "birch")
	if s, _ := leases.readStates(); s.Queue.Len() > 0 || s.Kind() != dialect.KindLock || phrase.NoLeader(s).Sentence != "nobody holds: there is no candidate" {
		r.Errorf("after all resigned: want an empty queue of the same kind without a holder: %v", unexpected(s))
	}
}

func (r *usedRecipe) revoked() {
	r.Helper()
	lock := r.join("revocable", 1, "amber")[0]
	r.process.AwaitLeading(r.T, lock.Name)
	before, _ := r.readStates()
	owner := before.Leader()
	if owner == nil || before.Dialect.ID != "curator-lock" || phrase.Release(before, owner) != "" {
		r.Fatal(unexpected(before))
	}
	w := electiontest.Observe(r.T, electiontest.Config(r.T, r.server), model.Config{Path: r.path})
	w.Await(r.T, "the holder", electiontest.QueueOf(1))
	r.process.WriteLine(r.T, "put revoke "+lock.Znode+" "+lock.Name)
	r.process.Await(r.T, "asked "+lock.Name)
	s := w.Await(r.T, "the request", func(s *doctor.State) bool { return s.Leader() != nil && s.Leader().Revoked })
	if l := s.Leader(); l.Label() != owner.Label() || !strings.HasPrefix(phrase.Release(s, l), "release requested ") {
		r.Errorf("got label %q and %q; want label %q and \"release requested\"", l.Label(), phrase.Release(s, l), owner.Label())
	}
	r.resign("amber")
}
