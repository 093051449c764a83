package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/history"
	"electop/model/internal/modeltest"
)

func recognising(t *testing.T) *modeltest.Script { return modeltest.NewScript(t, model.Config{}) }

const latchPrefix, lockPrefix = "_c_" + modeltest.UUID1 + "-latch-", "_c_" + modeltest.UUID2 + "-lock-"

func TestJournalRecognisesDialects(t *testing.T) {
	s := recognising(t)
	s.Read()
	wantDialect(s, "not recognised, election:")
	a := s.Add(latchPrefix, 1, "a")
	s.Read()
	wantDialect(s, "curator-latch, curator-latch: a")

	s.Add("n_", 2, "stray")
	s.Add(lockPrefix, 3, "stray")
	s.Add(lockPrefix, 4, "stray")
	b := s.Add(latchPrefix, 5, "b")
	s.Read()
	wantDialect(s, "curator-latch, curator-latch: a b (3 ignored)")

	// A child with an unknown name does not change the dialect of an empty queue.
	s.Tree.Delete(a)
	s.Tree.Delete(b)
	for _, name := range s.Tree.Names() {
		s.Tree.Delete(name)
	}
	s.Read()
	wantDialect(s, "curator-latch, curator-latch:")
	odd := s.Add("odd-", 6, "stray")
	s.Read()
	wantDialect(s, "curator-latch, curator-latch: (1 ignored)")
	s.Tree.Delete(odd)

	c := s.Add(modeltest.Hex1+"__lock__", 7, "c")
	s.Read()
	wantDialect(s, "kazoo-lock, kazoo-lock: c")
	if got := s.J.State().Leader(); got.Name != c || got.Who != "c" {
		t.Errorf("%+v leads, want c", got)
	}
	// The name of a reader shows a read-write lock. The writer's name fits both dialects.
	before := len(s.J.State().Handoffs)
	s.Add(modeltest.Hex2+"__rlock__", 8, "r")
	s.Read()
	wantDialect(s, "kazoo-rw, kazoo-rw: c r")
	if st := s.J.State(); len(st.Handoffs) != before || st.Recipe.Holders(st.Queue) != 1 {
		t.Errorf("%d new handoffs, %d holders; want 0 and 1", len(st.Handoffs)-before, st.Recipe.Holders(st.Queue))
	}
}

func TestJournalRecognisesAnotherParent(t *testing.T) {
	s := recognising(t)
	s.Add(lockPrefix, 1, "a")
	s.Read()
	wantDialect(s, "curator-lock, curator-lock: a")
	s.Tree.DeleteParent()
	s.Tree.CreateParent(0)
	s.Add("odd-", 2, "b")
	s.Read()
	wantDialect(s, "unknown, unknown: b")
	s.Add("odd-", 3, "c")
	s.Read()
	wantDialect(s, "unknown-election, election: b c") // two children with one prefix show an election
	s.Tree.DeleteParent()
	s.Read()
	wantDialect(s, "unknown-election, election:")
	s.Tree.CreateParent(0)
	s.Add("member_", 3, "c")
	s.Read()
	wantDialect(s, "serverset, serverset: c")
	s.Tree.DeleteParent()
	s.Tree.CreateParent(0)
	s.Add("le_", 4, "d")
	s.Read()
	wantDialect(s, "comcast, unknown: d")
	s.Tree.DeleteParent()
	s.Tree.CreateParent(0)
	s.Read()
	wantDialect(s, "not recognised, election:")
}

func TestMembersNameWithoutGuidShowsNoDialect(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{Path: "/e", AckPath: "/e-leader", AckExpected: true, AckFollows: true})
	own := s.Add(modeltest.Hex1+"-n_", 1, "a")
	s.Read()
	s.Tree.Delete(own)
	s.Read()
	s.Apply(&model.Cast{At: s.Tree.Now, Member: model.Member{ID: "a", Session: 2, NoGuid: true}})
	s.Add("n_", 2, "a")
	s.Read()
	if st := s.J.State(); st.Dialect.ID != "electop" || st.AckPath() != "/e-leader" || st.Leader() == nil {
		t.Errorf("leader %v, dialect %s, acknowledgement %q; want a leader, electop, /e-leader", st.Leader(), st.Dialect.ID, st.AckPath())
	}
	s.Tree.DeleteParent()
	s.Tree.CreateParent(0)
	s.Add("n_", 3, "b")
	s.Read()
	if st := s.J.State(); st.Dialect.ID != "recipe" || st.AckPath() != "" {
		t.Errorf("dialect %s, acknowledgement %q; want recipe and none", st.Dialect.ID, st.AckPath())
	}
}

func TestEventsHaveNamesOfCandidates(t *testing.T) {
	s := recognising(t)
	s.Read()
	s.Add("72057700533010432-core_node3-n_", 1, "")
	var who []string
	for _, e := range s.J.Apply(s.W.Read(false, false, nil)) {
		switch b := e.Body.(type) {
		case model.Joined:
			who = append(who, "joined "+b.Candidate.Who)
		case model.Handoff:
			who = append(who, "handoff "+b.To.Who)
		}
	}
	if got := strings.Join(who, ", "); got != "joined core_node3, handoff core_node3" {
		t.Errorf("events %s, want core_node3 as the name in each", got)
	}
	s.Apply(s.W.Refresh(s.J.State().Leader().Name))
	if got := s.J.State().Leader().Who; got != "core_node3" {
		t.Errorf("after the refresh %q leads, want core_node3", got)
	}
}

func TestSwitchOfARecognisedElection(t *testing.T) {
	s := recognising(t)
	s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "herd"})
	s.Add(modeltest.Hex1+"-n_", 1, "a")
	s.Add(modeltest.Hex2+"-n_", 2, "b")
	s.Read()
	wantDialect(s, "electop, herd: a b")
	s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "election"})
	wantDialect(s, "electop, election: a b")

	s = recognising(t)
	s.Add(latchPrefix, 1, "a")
	s.Read()
	s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "herd"})
	wantDialect(s, "curator-latch, herd: a")
	s.Apply(&model.Switch{At: s.Tree.Now, Recipe: "election"})
	wantDialect(s, "curator-latch, curator-latch: a")
}

func TestConfiguredRecipe(t *testing.T) {
	s := modeltest.NewScript(t, model.Config{Recipe: dialect.Election()})
	s.Add("member_", 1, "a")
	s.Add(latchPrefix, 2, "b")
	s.Read()
	wantDialect(s, "not recognised, election: a b")
	h := history.NewHeader(model.Config{Path: "/e", Recipe: dialect.Election()}, modeltest.Start)
	if cfg, err := h.Config(); err != nil || h.Recipe != "election" || cfg.Recipe != dialect.Election() {
		t.Errorf("header %+v, configuration %+v, error %v; want the recipe election", h, cfg, err)
	}
	h = history.NewHeader(model.Config{Path: "/e"}, modeltest.Start)
	if cfg, err := h.Config(); err != nil || h.Recipe != "recognised" || cfg.Recipe != nil {
		t.Errorf("header %+v, configuration %+v, error %v; want a recognised recipe", h, cfg, err)
	}
}

func TestRandomNamings(t *testing.T) {
	prefixes := []string{
		latchPrefix, lockPrefix, modeltest.Hex1 + "__lock__", modeltest.Hex2 + "__rlock__", "member_", "n_", "le_", "odd-", "ex", "read-", "json.info_",
	}
	rapid.Check(t, func(t *rapid.T) {
		tr := modeltest.NewTree()
		tr.CreateParent(0)
		w, j := &modeltest.Watcher{Tree: tr}, doctor.NewJournal(model.Config{Path: "/e"})
		var leader dialect.ID
		few := rapid.SliceOfNDistinct(rapid.SampledFrom(prefixes), 1, 4, rapid.ID).Draw(t, "prefixes")
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				if names := tr.Names(); len(names) > 0 && rapid.Bool().Draw(t, "delete") {
					tr.Delete(rapid.SampledFrom(names).Draw(t, "which"))
				} else {
					tr.Create(rapid.SampledFrom(few).Draw(t, "prefix"), true, uint64(rapid.IntRange(0, 3).Draw(t, "session")), "")
				}
			}
			before := j.State()
			r := w.Read(rapid.IntRange(0, 5).Draw(t, "full") == 0, false, nil)
			for _, e := range j.Apply(r) {
				switch b := e.Body.(type) {
				case doctor.Snapshot:
					leader = modeltest.ID(head(b.State.State))
				case model.Handoff:
					if modeltest.ID(b.From) != leader {
						t.Fatalf("handoff from %v, but %v led", modeltest.ID(b.From), leader)
					}
					leader = modeltest.ID(b.To)
				}
			}
			s := j.State()
			held := before.Queue.Slice()[:before.Recipe.Holders(before.Queue)]
			if h := head(s.State); h != nil && slices.ContainsFunc(held, func(c *dialect.Candidate) bool { return c.ID() == h.ID() }) {
				leader = h.ID() // among holders of a shared lock, the first changes without a handoff
			}
			if modeltest.ID(head(s.State)) != leader {
				t.Fatalf("%v leads, but the handoffs end at %v", modeltest.ID(head(s.State)), leader)
			}
			if s.Queue.Len()+len(s.Ignored) != len(tr.Children) {
				t.Fatalf("%d contenders and %d others, want %d children", s.Queue.Len(), len(s.Ignored), len(tr.Children))
			}
			for i, c := range s.Queue.All() {
				if !s.Recipe.Contends(c) || i > 0 && !s.Recipe.Before(s.Queue.At(i-1), c) {
					t.Fatalf("position %d of the queue has %s, which recipe %s does not put there", i, c.Name, s.Recipe.Name())
				}
			}
			was, is := modeltest.DialectID(before.Dialect), modeltest.DialectID(s.Dialect)
			if was == is || was == "not recognised" || was+is == "unknownunknown-election" || was+is == "kazoo-lockkazoo-rw" || was+is == "curator-lockaurora" {
				continue
			}
			for _, c := range before.Queue.All() {
				if _, exists := tr.Children[c.Name]; exists {
					t.Fatalf("%s became %s while %s existed", was, is, c.Name)
				}
			}
			if is == "unknown" {
				t.Fatalf("%s became unknown", was)
			}
		}
	})
}

func head(s *model.State) *dialect.Candidate {
	if s.Recipe.Holders(s.Queue) == 0 {
		return nil
	}
	return s.First()
}

func wantDialect(s *modeltest.Script, want string) {
	s.Helper()
	st := s.J.State()
	got := modeltest.DialectID(st.Dialect) + ", " + st.Recipe.Name() + ":"
	for _, c := range st.Queue.All() {
		got += " " + c.Label()
	}
	if len(st.Ignored) > 0 {
		got += fmt.Sprintf(" (%d ignored)", len(st.Ignored))
	}
	if got != want {
		s.Errorf("recognised %s, want %s", got, want)
	}
}
