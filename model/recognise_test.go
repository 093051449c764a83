package model_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/znode"
)

// names of every dialect, and of none.
func anyNames() []string {
	var names []string
	for _, e := range dialectExamples {
		for _, c := range e.children {
			name, _, _ := strings.Cut(c, "=")
			names = append(names, strings.TrimPrefix(name, "!"))
		}
	}
	return append(names, "member_0000000003", hex1+"__party__0000000001", "odd0000000001", "-0000000001", "0000000001", "--1000000000", "{any}-n_0000000001")
}

func anyPaths() []string {
	paths := []string{"/", "/e", "", "locks", "//", "/a/b/c/d/e/f"}
	for _, e := range dialectExamples {
		paths = append(paths, e.path)
	}
	return paths
}

// Recognition does not hang on the order of the children, nor on those that
// are persistent, and a naming that most have is found.
func TestRecognitionIsOrderIndependent(t *testing.T) {
	names, paths := anyNames(), anyPaths()
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		var children []znode.Znode
		for range rapid.IntRange(0, 9).Draw(t, "children") {
			z := znode.Znode{Name: rapid.SampledFrom(names).Draw(t, "name"), Session: uint64(rapid.IntRange(0, 3).Draw(t, "session")), Czxid: int64(rapid.IntRange(0, 4).Draw(t, "czxid"))}
			z.Unread = z.Session == 0 && rapid.Bool().Draw(t, "unread")
			children = append(children, z)
		}
		want := dialect.Recognise(path, children)
		if got := dialect.Recognise(path, rapid.Permutation(children).Draw(t, "order")); got != want {
			t.Fatalf("%s in this order, %s in another", dialectID(want), dialectID(got))
		}
		if want == nil {
			return
		}
		// As many again of the naming that was found do not change it.
		for i, z := range children {
			if len(children) > 1 && z.Session != 0 && dialect.Recognise("/", []znode.Znode{z}) == want {
				z.Czxid = int64(100 + i)
				children = append(children, z)
			}
		}
		if got := dialect.Recognise(path, children); got != want {
			t.Fatalf("%s, with more of its own %s", dialectID(want), dialectID(got))
		}
	})
}

func FuzzRecognise(f *testing.F) {
	for _, name := range anyNames() {
		f.Add("/e", name, []byte("data"))
	}
	hostile := []string{hbaseData, hdfsData, yarnData, `{"hostname":"a","port":1e999}`, `{"address":{"address":{"address":{}}}}`, "\xff\xff\xff\xff\xff", "\xff\x00\x00\x00\x00PBUF\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", `{"simpleFields":{"LEADER":3},"id":[]}`}
	for i, e := range dialectExamples {
		f.Add(e.path, strings.SplitN(e.children[0], "=", 2)[0], []byte(hostile[i%len(hostile)]))
	}
	f.Fuzz(func(t *testing.T, path, name string, data []byte) {
		z := znode.Znode{Name: name, Session: 1, Czxid: 7, Data: znode.NewData(data)}
		found := dialect.Recognise(path, []znode.Znode{z, {Name: name + "0000000001", Session: 2, Czxid: 8}})
		if again := dialect.Recognise(path, []znode.Znode{{Name: name + "0000000001", Session: 2, Czxid: 8}, z}); again != found {
			t.Errorf("%s, %s", dialectID(found), dialectID(again))
		}
		dialect.Recognise(path, []znode.Znode{z})
		for _, d := range dialect.All() {
			c := &dialect.Candidate{Znode: z}
			c.Sequence, c.HasSequence = znode.Sequence(name)
			who := d.Who(c)
			if znode.Safe(who, 64) != who {
				t.Errorf("%s: unsafe %q", d.ID, who)
			}
			if ack := d.AckPath(path); len(ack) > len(path)+64 {
				t.Errorf("%s: acknowledgement %q", d.ID, ack)
			}
			queue := []*dialect.Candidate{c, c, c}
			d.Recipe.Contends(c)
			d.Recipe.Before(c, c)
			for i := range queue {
				d.Recipe.Watches(queue, i)
				d.Recipe.Notified(queue, i)
			}
			d.Recipe.Holders(queue)
			d.Recipe.Target(name, []string{name, "", name + "0000000001"}, nil)
		}
		for _, single := range []bool{false, true} {
			s := observe(path, single, []znode.Znode{z})
			for _, c := range s.Queue {
				c.Label()
			}
		}
	})
}

// recognising is a journal that was told nothing of whose election it is.
func recognising(t *testing.T) *script { return newScript(t, model.Config{}) }

func (s *script) add(name string, session uint64, data string) string {
	return s.tree.create(name, true, session, data)
}

// whose is what the journal recognised, and its contenders by label.
func (s *script) whose(want string) {
	s.Helper()
	st := s.j.State()
	got := dialectID(st.Dialect) + ", " + st.Recipe.Name() + ":"
	for _, c := range st.Queue {
		got += " " + c.Label()
	}
	if len(st.Ignored) > 0 {
		got += fmt.Sprintf(" (%d ignored)", len(st.Ignored))
	}
	if got != want {
		s.Errorf("%s, want %s", got, want)
	}
}

const latchPrefix, lockPrefix = "_c_" + uuid1 + "-latch-", "_c_" + uuid2 + "-lock-"

func TestJournalRecognises(t *testing.T) {
	s := recognising(t)
	s.read()
	s.whose("nobody's, election:") // nobody stands
	a := s.add(latchPrefix, 1, "a")
	s.read()
	s.whose("curator-latch, curator-latch: a")

	// Strays, whatever they are called, change nothing while somebody stands.
	s.add("n_", 2, "stray")
	s.add(lockPrefix, 3, "stray")
	s.add(lockPrefix, 4, "stray")
	b := s.add(latchPrefix, 5, "b")
	s.read()
	s.whose("curator-latch, curator-latch: a b (3 ignored)")

	// Nor does a stray when nobody does.
	s.tree.delete(a)
	s.tree.delete(b)
	for _, name := range s.tree.names() {
		s.tree.delete(name)
	}
	s.read()
	s.whose("curator-latch, curator-latch:")
	odd := s.add("odd-", 6, "stray")
	s.read()
	s.whose("curator-latch, curator-latch: (1 ignored)")
	s.tree.delete(odd)

	// Another system, when the queue was empty.
	c := s.add(hex1+"__lock__", 7, "c")
	s.read()
	s.whose("kazoo-lock, kazoo-lock: c")
	if got := s.j.State().Leader(); got.Name != c || got.Who != "c" {
		t.Errorf("%+v leads", got)
	}
	// Readers show that the lock is a wider one; its leader stays what it is.
	since := len(s.j.State().Handoffs)
	s.add(hex2+"__rlock__", 8, "r")
	s.read()
	s.whose("kazoo-rw, kazoo-rw: c r")
	if st := s.j.State(); len(st.Handoffs) != since || st.Recipe.Holders(st.Queue) != 1 {
		t.Errorf("%d handoffs, %d hold", len(st.Handoffs)-since, st.Recipe.Holders(st.Queue))
	}
}

func TestJournalRecognisesAnew(t *testing.T) {
	s := recognising(t)
	s.add(lockPrefix, 1, "a")
	s.read()
	s.whose("curator-lock, curator-lock: a")
	s.tree.deleteParent()
	s.tree.createParent(0)
	s.add("odd-", 2, "b")
	s.read()
	s.whose("unknown, election: b") // another parent, so nothing is known of it
	s.tree.deleteParent()
	s.read()
	s.whose("unknown, election:")
	s.tree.createParent(0)
	s.add("member_", 3, "c")
	s.read()
	s.whose("unknown, election: c") // no election's names, and no other's
	s.tree.deleteParent()
	s.tree.createParent(0)
	s.add("le_", 4, "d")
	s.read()
	s.whose("comcast, comcast: d")
}

func TestEventsSayWho(t *testing.T) {
	s := recognising(t)
	s.read()
	s.add("72057700533010432-core_node3-n_", 1, "")
	var who []string
	for _, e := range s.j.Apply(s.w.read(false, false, nil)) {
		switch b := e.Body.(type) {
		case model.Joined:
			who = append(who, "joined "+b.Candidate.Who)
		case model.Handoff:
			who = append(who, "handoff "+b.To.Who)
		}
	}
	if got := strings.Join(who, ", "); got != "joined core_node3, handoff core_node3" {
		t.Errorf("events of %s", got)
	}
	// A later look at the znode tells it again.
	s.apply(s.w.refresh(s.j.State().Leader().Name))
	if got := s.j.State().Leader().Who; got != "core_node3" {
		t.Errorf("refreshed: %q", got)
	}
}

// The demo changes its candidates over to the herd and back.
func TestSwitchOverARecognisedElection(t *testing.T) {
	s := recognising(t)
	s.apply(&model.Switch{At: s.tree.now, Recipe: "herd"})
	s.add(hex1+"-n_", 1, "a")
	s.add(hex2+"-n_", 2, "b")
	s.read()
	s.whose("electop, herd: a b")
	s.apply(&model.Switch{At: s.tree.now, Recipe: "election"})
	s.whose("electop, election: a b")

	s = recognising(t)
	s.add(latchPrefix, 1, "a")
	s.read()
	s.apply(&model.Switch{At: s.tree.now, Recipe: "herd"})
	s.whose("curator-latch, herd: a")
	s.apply(&model.Switch{At: s.tree.now, Recipe: "election"})
	s.whose("curator-latch, curator-latch: a") // its own, not just any
}

// A recipe that is given is kept, as in recordings from before there were
// dialects.
func TestFixedRecipe(t *testing.T) {
	s := newScript(t, model.Config{Recipe: dialect.Election()})
	s.add("member_", 1, "a")
	s.add(latchPrefix, 2, "b")
	s.read()
	s.whose("nobody's, election: a b")
	h := history.NewHeader(model.Config{Path: "/e", Recipe: dialect.Election()}, start)
	if cfg, err := h.Config(); err != nil || h.Recipe != "election" || cfg.Recipe != dialect.Election() {
		t.Errorf("%+v, %+v, %v", h, cfg, err)
	}
	h = history.NewHeader(model.Config{Path: "/e"}, start)
	if cfg, err := h.Config(); err != nil || h.Recipe != "recognised" || cfg.Recipe != nil {
		t.Errorf("%+v, %+v, %v", h, cfg, err)
	}
}

// TestRandomNamings: whatever stands side by side, and comes and goes, the
// handoffs lead to the one who leads, every child is in the queue or beside it,
// and a naming that is known changes over an empty queue only.
func TestRandomNamings(t *testing.T) {
	prefixes := []string{latchPrefix, lockPrefix, hex1 + "__lock__", hex2 + "__rlock__", "member_", "n_", "le_", "odd-", "ex", "read-", "json.info_"}
	rapid.Check(t, func(t *rapid.T) {
		tr := newTree()
		tr.createParent(0)
		w, j := &watcher{tree: tr}, doctor.NewJournal(model.Config{Path: "/e"})
		var leader dialect.ID
		few := rapid.SliceOfNDistinct(rapid.SampledFrom(prefixes), 1, 4, rapid.ID).Draw(t, "prefixes")
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				if names := tr.names(); len(names) > 0 && rapid.Bool().Draw(t, "delete") {
					tr.delete(rapid.SampledFrom(names).Draw(t, "which"))
				} else {
					tr.create(rapid.SampledFrom(few).Draw(t, "prefix"), true, uint64(rapid.IntRange(0, 3).Draw(t, "session")), "")
				}
			}
			before := j.State()
			r := w.read(rapid.IntRange(0, 5).Draw(t, "full") == 0, false, nil)
			for _, e := range j.Apply(r) {
				switch b := e.Body.(type) {
				case doctor.Snapshot:
					leader = id(b.State.Leader())
				case model.Handoff:
					if id(b.From) != leader {
						t.Fatalf("handoff from %v, %v led", id(b.From), leader)
					}
					leader = id(b.To)
				}
			}
			s := j.State()
			if id(s.Leader()) != leader {
				t.Fatalf("%v leads, by the handoffs %v", id(s.Leader()), leader)
			}
			if len(s.Queue)+len(s.Ignored) != len(tr.children) {
				t.Fatalf("%d and %d of %d children", len(s.Queue), len(s.Ignored), len(tr.children))
			}
			for i, c := range s.Queue {
				if !s.Recipe.Contends(c) || i > 0 && !s.Recipe.Before(s.Queue[i-1], c) {
					t.Fatalf("%s at %d of the queue of %s", c.Name, i, s.Recipe.Name())
				}
			}
			was, is := dialectID(before.Dialect), dialectID(s.Dialect)
			if was == is || was == "nobody's" || was+is == "kazoo-lockkazoo-rw" || was+is == "curator-lockaurora" {
				continue
			}
			for _, c := range before.Queue {
				if _, stands := tr.children[c.Name]; stands {
					t.Fatalf("%s became %s while %s stood", was, is, c.Name)
				}
			}
			if is == "unknown" {
				t.Fatalf("%s became unknown", was)
			}
		}
	})
}
