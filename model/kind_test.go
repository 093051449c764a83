package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

const kazooLock, kazooReader = modeltest.Hex1 + "__lock__", modeltest.Hex1 + "__rlock__"

func TestHandoffsOfASharedLock(t *testing.T) {
	for _, c := range []struct {
		name, reader, writer string
		joins                string        // r for a reader, w for a writer
		leaves               []int         // indexes in joins
		handoffs             []string      // "FROM to TO, N": N contenders were notified
		since                time.Duration // from the start to the beginning of the last reign
	}{
		{"the first reader leaves", kazooReader, kazooLock, "rrw", []int{0}, nil, time.Second},
		{"both first readers leave", kazooReader, kazooLock, "rrwrr", []int{0, 1}, []string{"1 to 2, 1"}, 6 * time.Second},
		{"the first writer leaves", kazooReader, kazooLock, "wrrw", []int{0}, []string{"0 to 1, 2"}, 5 * time.Second},
		{"the second reader leaves", kazooReader, kazooLock, "rrw", []int{1}, nil, 0},
		{"Curator", "_c_" + modeltest.UUID1 + "-__READ__", "_c_" + modeltest.UUID1 + "-__WRIT__", "rrwrr", []int{0, 1}, []string{"1 to 2, 1"}, 6 * time.Second},
	} {
		s := recognising(t)
		var names []string
		for i, kind := range c.joins {
			name := c.reader
			if kind == 'w' {
				name = c.writer
			}
			names = append(names, s.Add(name, uint64(i+1), fmt.Sprint(i)))
			s.Read()
			s.After(time.Second)
		}
		s.After(time.Duration(4-len(c.joins)) * time.Second)
		for _, i := range c.leaves {
			s.After(time.Second)
			s.Tree.Delete(names[i])
			s.Read()
		}
		st := s.J.State()
		var got []string
		for _, h := range st.Handoffs {
			if h.From != nil {
				got = append(got, fmt.Sprintf("%s to %s, %d", h.From.Who, h.To.Who, h.Notified))
			}
		}
		reign := st.Reigns[len(st.Reigns)-1]
		if !slices.Equal(got, c.handoffs) || reign.Leader.ID() != st.Leader().ID() || reign.From.Sub(modeltest.Start) != c.since {
			t.Errorf("%s: got handoffs %q, %s holds since %v; want %q, %v", c.name, got, reign.Leader.Who, reign.From.Sub(modeltest.Start), c.handoffs, c.since)
		}
	}
}

func TestPerMinute(t *testing.T) {
	s := recognising(t)
	var items []string
	put := func(n int) {
		for range n {
			items = append(items, s.Add("qn-", 0, ""))
		}
	}
	want := func(when string, created, taken int, known bool) {
		t.Helper()
		if c, d, ok := s.J.State().PerMinute(); c != created || d != taken || ok != known {
			t.Errorf("%s: got +%d / -%d, known %v; want +%d / -%d, %v", when, c, d, ok, created, taken, known)
		}
	}
	put(5)
	s.Read()
	want("at first", 0, 0, false)
	s.After(9 * time.Second)
	put(1)
	s.Read()
	want("observed for less than ten seconds", 0, 0, false)
	s.After(21 * time.Second)
	put(1)
	s.Tree.Delete(items[0])
	s.Read()
	want("after half a minute", 4, 2, true)
	for range 4 {
		s.After(20 * time.Second)
		s.Tree.Delete(items[1])
		items = items[1:]
		s.Read()
	}
	want("only the last minute counts", 0, 3, true)
	s.After(5 * time.Minute)
	s.Advance()
	want("long after the last change", 0, 0, true)
	s.Tree.DeleteParent()
	s.Tree.CreateParent(0)
	put(1)
	s.Read()
	want("another queue", 0, 0, false)
	s.After(time.Minute)
	put(2)
	s.Read()
	want("another queue for a minute", 2, 0, true)
	s.Tree.DeleteParent()
	s.Tree.CreateParent(0)
	s.Add(latchPrefix, 1, "a")
	s.Read()
	s.After(time.Minute)
	s.Advance()
	want("an election", 0, 0, false)
}

func watchedBy(at time.Time, path string, sessions ...uint64) *session.Table {
	answered := session.Answer{State: session.Answered, Via: "4lw", At: at}
	return &session.Table{At: at, End: at, Whole: true, Every: time.Second, Servers: []session.Server{{
		Addr: "127.0.0.1:2181", Watches: answered, Watched: []session.Watch{{Path: path, Sessions: sessions}},
	}}}
}

func TestLeavingADoubleBarrier(t *testing.T) {
	s := recognising(t)
	want := func(when, dialect string, leaving bool) {
		t.Helper()
		if st := s.J.State(); modeltest.DialectID(st.Dialect) != dialect || st.Leaving != leaving || st.Leader() != nil || st.NoLeader() != model.NoRole {
			t.Errorf("%s: %s, leaving %v, leader %v, %q; want %s, %v", when, modeltest.DialectID(st.Dialect), st.Leaving, st.Leader(), st.NoLeader(), dialect, leaving)
		}
	}
	for i, name := range []string{modeltest.Hex1, modeltest.Hex2} {
		s.Tree.Create(name, false, uint64(i+1), "")
	}
	s.Read()
	want("without a table", "ids", false)
	s.Apply(watchedBy(s.Tree.Now, "/e/"+modeltest.Hex1, 77))
	want("somebody watches a child", "ids", false)
	s.Apply(watchedBy(s.Tree.Now, "/e/ready", 1, 2))
	want("both watch the znode ready", "kazoo-double-barrier", false)
	s.Tree.Delete(modeltest.Hex2)
	s.Read()
	want("one crashes before the znode ready exists", "kazoo-double-barrier", false)
	s.Tree.Create(modeltest.Hex2, false, 3, "")
	s.Tree.Create("ready", false, 0, "")
	s.Read()
	want("the znode ready exists", "kazoo-double-barrier", false)
	s.Apply(watchedBy(s.Tree.Now, "/e/"+modeltest.Hex2, 9, 3))
	want("only electop and the owner watch a participant", "kazoo-double-barrier", false)
	s.Apply(watchedBy(s.Tree.Now, "/e/"+modeltest.Hex2, 1))
	want("one waits for another", "kazoo-double-barrier", true)
	s.Tree.Delete("ready")
	s.Tree.Delete(modeltest.Hex1)
	s.Read()
	want("one has left", "kazoo-double-barrier", true)
	s.Tree.Delete(modeltest.Hex2)
	s.Read()
	want("all have left", "kazoo-double-barrier", false)
	s.Tree.Create(modeltest.Hex1, false, 1, "")
	s.Read()
	want("one enters again", "kazoo-double-barrier", false)
}

func TestGroupWithoutMembersStaysAGroup(t *testing.T) {
	s := recognising(t)
	for i, name := range []string{"amber", "birch"} {
		s.Tree.Create(name, false, uint64(i+1), "")
	}
	s.Read()
	for _, name := range s.Tree.Names() {
		s.Tree.Delete(name)
		s.Read()
		s.Apply(watchedBy(s.Tree.Now, "/e", 5))
		if st := s.J.State(); modeltest.DialectID(st.Dialect) != "group" || st.NoLeader() != model.NoRole {
			t.Errorf("%s left: got dialect %s, %q; want group, no role", name, modeltest.DialectID(st.Dialect), st.NoLeader())
		}
	}
}

func TestWaitersOfABarrier(t *testing.T) {
	for _, c := range []struct {
		name, data string
		sessions   []uint64
		kind       dialect.Kind
	}{
		{"two wait", "", []uint64{5, 4}, dialect.KindBarrier},
		{"Curator's data", "10.0.0.1", []uint64{4, 5}, dialect.KindBarrier},
		{"only one waits", "", []uint64{4}, dialect.KindUnknown},
		{"electop's own watch does not count", "", []uint64{4, 9}, dialect.KindUnknown},
		{"data of something else", "on", []uint64{4, 5}, dialect.KindUnknown},
	} {
		s := recognising(t)
		read := func() {
			r := s.W.Read(false, false, nil)
			r.Data = znode.NewData([]byte(c.data))
			s.Apply(r)
			s.Apply(&model.Delta{At: s.Tree.Now, Parent: &r.Parent}) // a delta keeps the data
		}
		read()
		s.Apply(watchedBy(s.Tree.Now, "/e", c.sessions...))
		st := s.J.State()
		if st.Kind() != c.kind {
			t.Errorf("%s: got kind %s, want %s", c.name, st.Kind(), c.kind)
		}
		if c.kind != dialect.KindBarrier {
			continue
		}
		if got := st.Waiters(); !slices.Equal(got, []uint64{4, 5}) || st.NoLeader() != model.NoRole {
			t.Errorf("%s: got waiters %v, %q; want 4 and 5, no role", c.name, got, st.NoLeader())
		}
		s.Tree.DeleteParent()
		s.Read()
		if st := s.J.State(); len(st.Waiters()) > 0 || st.Kind() != dialect.KindBarrier || len(st.Broken()) > 0 {
			t.Errorf("%s, deleted: got waiters %v, kind %s, broken %q; want none, kind barrier, none", c.name, st.Waiters(), st.Kind(), st.Broken())
		}
		s.Tree.CreateParent(0)
		s.Add(latchPrefix, 1, "a")
		s.Read()
		wantDialect(s, "curator-latch, curator-latch: a")
	}
}

func TestRevokedLockKeepsItsOwnersName(t *testing.T) {
	for prefix, word := range map[string]string{lockPrefix: "__REVOKE__", "lock-": "unlock", kazooLock: "unlock"} {
		s := recognising(t)
		lock := s.Add(prefix, 1, "10.0.0.1")
		s.Read()
		z := s.Tree.Children[lock]
		z.Data, z.Mtime = znode.NewData([]byte(word)), s.Tree.Now.Add(time.Second)
		s.Tree.Children[lock] = z
		s.Apply(s.W.Refresh(lock))
		c := s.J.State().Leader()
		if c == nil || !c.Revoked || c.Label() != "10.0.0.1" || len(s.J.State().Handoffs) > 0 {
			t.Errorf("%s: got leader %+v, handoffs %v; want 10.0.0.1 with Revoked, and no handoff", prefix, c, s.J.State().Handoffs)
		}
	}
	s := recognising(t)
	s.Add("n_", 1, "unlock")
	s.Read()
	if c := s.J.State().Leader(); c.Revoked || c.Label() != "unlock" {
		t.Errorf("an election: got %+v, want a leader named unlock, not revoked", c)
	}
}

func TestStrayChildrenDoNotChangeTheDialect(t *testing.T) {
	strays := []string{"ready", "!ready", "!qn-0000000099", "!entry-100-0000000099", "!queue-0000000099", "amber", "birch", modeltest.Hex1, modeltest.UUID1,
		modeltest.Hex1 + "__party__", modeltest.Hex1 + "-host", "!site1=commit", "!site2=abort", "leader", "!config=on", "odd-0000000099"}
	prefixes := map[string]string{"curator-latch": latchPrefix, "curator-lock": lockPrefix, "kazoo-lock": kazooLock,
		"recipe-lock": "lock-", "recipe": "n_", "simple-queue": "!qn-"}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.SampledFrom([]string{"curator-latch", "curator-lock", "kazoo-lock", "recipe-lock", "recipe", "simple-queue"}).Draw(t, "dialect")
		tr := modeltest.NewTree()
		tr.CreateParent(0)
		w, j := &modeltest.Watcher{Tree: tr}, doctor.NewJournal(model.Config{Path: "/e"})
		create := func(text string, sequential bool, session uint64) {
			name, data, _ := strings.Cut(text, "=")
			if persistent, ok := strings.CutPrefix(name, "!"); ok {
				name, session = persistent, 0
			}
			tr.Create(name, sequential, session, data)
		}
		create(prefixes[id], true, 1)
		for step := range rapid.IntRange(0, 8).Draw(t, "steps") {
			j.Apply(w.Read(rapid.Bool().Draw(t, "full"), false, nil))
			create(rapid.SampledFrom(strays).Draw(t, "stray"), false, uint64(step+2))
			if rapid.Bool().Draw(t, "watched") {
				j.Apply(watchedBy(tr.Now, "/e/"+rapid.SampledFrom(append(tr.Names(), "ready")).Draw(t, "znode"), 1, 50, 51))
			}
		}
		j.Apply(w.Read(false, false, nil))
		if s := j.State(); modeltest.DialectID(s.Dialect) != id || s.Queue.Len() == 0 {
			t.Fatalf("got dialect %s, %d in the queue; want %s, at least 1", modeltest.DialectID(s.Dialect), s.Queue.Len(), id)
		}
		for session := range len(tr.Children) {
			create(prefixes[id], true, uint64(session+100))
		}
		first := doctor.NewJournal(model.Config{Path: "/e"})
		first.Apply((&modeltest.Watcher{Tree: tr}).Read(true, false, nil))
		if s := first.State(); modeltest.DialectID(s.Dialect) != id {
			t.Fatalf("another journal after one read: got dialect %s, want %s", modeltest.DialectID(s.Dialect), id)
		}
	})
}
