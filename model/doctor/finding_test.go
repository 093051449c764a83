package doctor_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/phrase"
	"electop/model/session"
	"electop/model/znode"
)

func TestSeveralCandidatesOfOneClient(t *testing.T) {
	for _, name := range []string{"_c_%s-latch-", "%s-lock-", "%s-n_", "%s__lock__", "n_"} {
		c := newFixture(t, model.Config{})
		for i, uuid := range []string{"0a", "0b", "0c", "0d"} {
			full := "f47ac10b-58cc-4372-a567-0e02b2c3d4" + uuid
			if !strings.Contains(name, "_c_") {
				full = strings.ReplaceAll(full, "-", "")
			}
			c.create(strings.ReplaceAll(name, "%s", full), uint64(1+i/3))
		}
		c.read()
		c.after(time.Second)
		c.after(2*time.Second, "ghost-node info")
		f := c.J.State().Findings[0]
		if strings.Contains(strings.ToLower(f.Advice), "delete") || len(f.Znodes) != 3 ||
			!strings.Contains(f.Title, "one client owns 3 candidates") || f.Key != "ghost-node 0x1" {
			t.Errorf("%s: got finding %+v, want one client with 3 candidates, and no advice to delete", name, f)
		}
		if st := c.J.State(); st.NoLeader() != "" {
			t.Errorf("%s: got no leader (%s), want one", name, st.NoLeader())
		}
	}
}

func TestGhostWithTheSameGuid(t *testing.T) {
	for _, olderFirst := range []bool{false, true} {
		c := newFixture(t, model.Config{})
		if !olderFirst {
			c.create(uuidB+"latch-", 2)
		}
		older := c.create(uuidA+"latch-", 1)
		c.create(uuidC+"latch-", 1)
		c.create(uuidB+"latch-", 3)
		younger := c.join(uuidA+"latch-", 1)
		c.pass(3 * time.Second)
		want := map[bool]string{false: "ghost-node warning", true: "ghost-node critical"}[olderFirst]
		c.wantFindings(want)
		f := c.J.State().Findings[0]
		if !slices.Equal(f.Znodes, []string{"/e/" + older, "/e/" + younger}) || !slices.Equal(f.Sessions, []uint64{1}) {
			t.Errorf("got finding %+v, want it about %s and %s of session 1", f, older, younger)
		}
		if !strings.Contains(f.Advice, "delete /e/"+younger) || strings.Contains(f.Advice, older) {
			t.Errorf("advice %q: want it to name %s, and never %s", f.Advice, younger, older)
		}
		st := c.J.State()
		if of, sure := st.GhostOf(st.Queue.At(map[bool]int{true: 0, false: 1}[olderFirst])); of == "" || sure {
			t.Errorf("GhostOf(older) = %q, %v; want a name, false", of, sure)
		}
		if why := st.NoLeader(); olderFirst != (why == model.GhostPossible) || olderFirst != (st.Totals.Led == 0) || olderFirst != (len(st.Reigns) == 0) || st.Totals.Vacant != 0 {
			t.Errorf("older first: %v; got no leader %q, totals %+v, reigns %v; want no vacancy; ghost-possible and no reign only if older first", olderFirst, why, st.Totals, st.Reigns)
		}
		c.leave(younger)
		c.after(3*time.Second, "ghost-node info") // session 1 still owns two latches
	}
}

func TestGhostOfElectop(t *testing.T) {
	for at := range 2 {
		c := newFixture(t, model.Config{})
		var names []string
		for s := range uint64(3) {
			names = append(names, c.create("n_", s+1))
		}
		session := uint64(at + 1)
		known := c.create("n_", session)
		m := model.Member{ID: "a", Name: "amber", Session: session, Belief: model.Volunteering}
		c.apply(&model.Cast{At: c.Tree.Now, Member: m})
		c.read()
		c.after(3*time.Second, "ghost-node info") // the member still looks for its znode
		m.Znode, m.Belief = known, model.Waiting
		c.apply(&model.Cast{At: c.Tree.Now, Member: m})
		c.pass(3 * time.Second)
		want := [...]string{"ghost-node critical", "ghost-node warning"}[at]
		c.wantFindings(want)
		f := c.J.State().Findings[0]
		if deletes := strings.Contains(f.Advice, "Delete /e/"+names[at]); deletes != (at > 0) || strings.Contains(f.Advice, known) {
			t.Errorf("ghost at %d: advice %q, want to delete %s only if it does not lead, and never %s", at, f.Advice, names[at], known)
		}
		if !slices.Contains(f.Evidence, "amber knows only "+known) {
			t.Errorf("ghost at %d: evidence %q, want that amber knows only %s", at, f.Evidence, known)
		}
	}
}

func TestSequenceLimit(t *testing.T) {
	for _, x := range []struct {
		creates uint32
		want    []string
	}{
		{1000, nil}, {1<<30 + 5, []string{"sequence-limit info"}},
		{2_000_000_001, []string{"sequence-limit warning"}}, {1<<31 - 1, []string{"sequence-limit critical"}},
	} {
		c := newFixture(t, model.Config{})
		c.Tree.Creates = x.creates
		c.read()
		c.wantFindings(x.want...)
	}
	c := newFixture(t, model.Config{})
	c.Tree.Creates = 1 << 31 // the next number overflows and is negative
	c.join("n_", 1)
	c.wantFindings("sequence-limit critical")
}

func TestForeignChild(t *testing.T) {
	c, names := three(t, model.Config{}, uuidA+"lock-")
	c.Tree.Create("config", false, 0, "")
	c.read()
	c.after(3*time.Second, "foreign-child info")
	c.Tree.Create("-notes", false, 0, "")
	c.read()
	c.after(3*time.Second, "foreign-child critical", "foreign-child info")
	c.Tree.Delete("-notes")
	c.leave("config")
	c.after(time.Second)
	c.Tree.Create(uuidB+"lock-", true, 0, "")
	c.read()
	c.after(3*time.Second, "foreign-child warning")
	for _, name := range names {
		c.Tree.Delete(name)
	}
	c.join(uuidB+"lock-", 7)
	c.after(3*time.Second, "foreign-child critical")
}

func TestForeignChildReadBeforeConnection(t *testing.T) {
	c := newFixture(t, model.Config{})
	c.J = doctor.NewJournal(model.Config{Path: "/e"})
	c.Tree.Create("n_", true, 0, "")
	c.create("n_", 1)
	c.read()
	c.apply(&model.Connection{At: c.Tree.Now, Link: model.Connected, Session: 9})
	c.after(3*time.Second, "foreign-child critical")
}

func TestAckDisagrees(t *testing.T) {
	c := newFixture(t, modeltest.Acked)
	a, b := c.create("n_", 1), c.join("n_", 2)
	c.Ack(a)
	c.after(time.Minute)
	c.leave(a)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(4 * time.Second)
	c.apply(&model.Pace{At: c.Tree.Now, Steps: true, Waiting: 1, Held: []model.Message{{Session: 2}}})
	c.after(time.Minute)
	c.apply(&model.Pace{At: c.Tree.Now})
	c.after(4 * time.Second)
	c.after(2*time.Second, "ack-disagrees warning")
	c.apply(ackOf(c, b, 2))
	c.after(time.Second)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Present, Session: 2, Data: znode.NewData(model.AckData("/e/"+a, 17))})
	c.after(6*time.Second, "ack-disagrees warning")
	c.apply(ackOf(c, b, 2))
	c.after(time.Second)
	c.leave(b)
	c.after(6*time.Second, "ack-disagrees warning")

	c = newFixture(t, modeltest.Acked)
	a = c.join("0123456789abcdef0123456789abcdef-n_", 1)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Present, Data: znode.NewData([]byte("left behind"))})
	c.after(4 * time.Second)
	c.after(2*time.Second, "ack-disagrees critical")
	c.apply(ackOf(c, a, 1))
	c.after(time.Second)

	c = newFixture(t, model.Config{AckPath: "/leader"})
	c.join("n_", 1)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(time.Hour)
}

func ackOf(c *fixture, name string, session uint64) *model.Ack {
	return &model.Ack{At: c.Tree.Now, Presence: model.Present, Session: session, Data: znode.NewData(model.AckData("/e/"+name, c.Tree.Children[name].Czxid))}
}

func TestTwoLeaders(t *testing.T) {
	c := newFixture(t, modeltest.Acked)
	a, b := c.create("n_", 1), c.join("n_", 2)
	old := ackOf(c, a, 1)
	c.apply(old)
	c.leave(a)
	c.after(4 * time.Second)
	c.after(2*time.Second, "two-leaders critical")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Sessions, []uint64{2, 1}) {
		t.Errorf("got finding %+v, want sessions 2 and 1", f)
	}
	c.apply(ackOf(c, b, 2))
	c.after(time.Second)

	c = newFixture(t, model.Config{})
	a, b = c.create("n_", 1), c.join("n_", 2)
	one := model.Member{ID: "a", Name: "amber", Session: 1, Znode: a, Belief: model.Leading, Fault: model.Frozen}
	two := model.Member{ID: "b", Name: "birch", Session: 2, Znode: b, Belief: model.Waiting}
	c.apply(&model.Cast{At: c.Tree.Now, Member: one})
	c.apply(&model.Cast{At: c.Tree.Now, Member: two})
	c.after(5 * time.Second)
	c.leave(a)
	two.Belief = model.Leading
	c.apply(&model.Cast{At: c.Tree.Now, Member: two})
	c.after(3*time.Second, "two-leaders critical")
	one.Belief = model.Lost
	c.apply(&model.Cast{At: c.Tree.Now, Member: one})
	c.after(time.Second)
}

func TestForeignAck(t *testing.T) {
	c := newFixture(t, model.Config{AckPath: "/leader"})
	a := c.create("n_", 1)
	c.join("n_", 2)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Present, Session: 1, Data: znode.NewData([]byte("host1:80"))})
	c.after(time.Hour)
	c.leave(a)
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(3 * time.Minute)
	c.after(2*time.Minute, "ack-disagrees warning")
	c.apply(&model.Ack{At: c.Tree.Now, Presence: model.Present, Session: 2, Data: znode.NewData([]byte("host2:80"))})
	c.after(time.Second)
}

func TestGuessedNaming(t *testing.T) {
	c := newFixture(t, model.Config{})
	for s := range uint64(3) {
		c.create("what-is-this~", s+1)
	}
	c.join("what-is-this~", 1)
	c.answerTwice(func(x *session.Table) {
		for s := range uint64(3) {
			watches(x, "/e", s+1)
		}
		disconnect(x, 1)
	})
	if len(c.J.State().Findings) == 0 || doctor.Worst(c.J.State().Findings) != doctor.Info {
		t.Errorf("findings %v, want one or more, none above info", c.found)
	}
	for _, f := range c.J.State().Findings {
		if strings.Contains(f.Advice, "Restart") {
			t.Errorf("%s: got the advice %q to restart what may be no candidate", f.ID, f.Advice)
		}
	}
}

func TestGhostWithoutWatch(t *testing.T) {
	c, names := three(t, model.Config{}, uuidB+"latch-")
	c.Tree.Delete(names[1])
	ghost, again := c.create(uuidA+"latch-", 4), c.create(uuidA+"latch-", 4)
	other := c.join(uuidB+"latch-", 5)
	c.afterAnswers(func(x *session.Table) { watches(x, "/e", 4, names[2], ghost) }, "ghost-node warning")
	c.answerTwice(func(x *session.Table) {
		watches(x, "/e", 4)
		watches(x, "/e", 5)
	})
	c.wantFindings("ghost-node warning", "missing-watch warning")
	if f := c.J.State().Findings[1]; !slices.Equal(f.Znodes, []string{"/e/" + other}) {
		t.Errorf("got %+v, want only /e/%s", f, other)
	}
	if f := c.J.State().Findings[0]; !slices.Contains(f.Evidence, again+" has no watch, and should watch "+ghost) {
		t.Errorf("got %+v, want evidence of the missing watch", f)
	}
	c.leave(names[2])
	c.afterAnswers(func(x *session.Table) { watches(x, "/e", 4) }, "ghost-node critical")
}

func TestManyFindingsOfOneRule(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.joinMany(20, "n_", 4)
	c.answerTwice(func(x *session.Table) {
		for s := range uint64(23) {
			watches(x, "/e", s+1)
		}
	})
	all := c.J.State().Findings
	if len(all) != 9 || all[0].Severity != doctor.Critical {
		t.Fatalf("got %d findings, want 8 and one for the rest, the first critical: %+v", len(all), all)
	}
	i := slices.IndexFunc(all, func(f *doctor.Finding) bool { return f.Key == "missing-watch /more" })
	if i < 0 || all[i].Title != "14 more: a candidate has no watch" || len(all[i].Znodes) < 14 || all[i].Severity != doctor.Warning {
		t.Errorf("got the finding for the rest at %d in %+v, want a warning of 14 candidates without a watch", i, all)
	}
}

func TestWrongWatch(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.join("n_", 4)
	c.answerTwice(nil)
	c.afterAnswers(func(x *session.Table) { watches(x, "/e", 4, names[1]) }, "herd warning")
	if e := c.J.State().Edge(3); e.State != doctor.WrongWatch || !slices.Equal(e.Watched, []string{names[1]}) {
		t.Errorf("edge of candidate 4: got %+v, want a wrong watch on %s", e, names[1])
	}
	five := c.join("n_", 5)
	c.answerTwice(func(x *session.Table) {
		watches(x, "/e", 4, five)
		watches(x, "/e", 5, "n_0000000099")
	})
	c.wantFindings("wrong-watch warning", "wrong-watch warning")
	c.afterAnswers(func(x *session.Table) { watches(x, "/e", 2, "n_0000000099") }, "wrong-watch critical")
	c.afterAnswers(nil)
}

func TestHerd(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.joinMany(3, "n_", 4)
	c.answerTwice(nil)
	all := func(x *session.Table) {
		for s := range uint64(5) {
			watches(x, "/e", s+2, names[0])
		}
	}
	c.pass(3 * time.Second)
	c.answer(all)
	c.after(2*time.Second, "herd warning")
	f := c.J.State().Findings[0]
	if f.Key != "herd "+names[0] || f.Znodes[0] != "/e/"+names[0] || len(f.Sessions) < 4 {
		t.Errorf("got finding %+v, want a herd at %s of at least 4 sessions", f, names[0])
	}
	c.afterAnswers(all, "herd warning")
	c.afterAnswers(nil)

	c.answerTwice(func(x *session.Table) {
		x.Servers[0].Watched = append(x.Servers[0].Watched, session.Watch{Path: "/e/" + names[0], Sessions: []uint64{1, 9}})
	})
	c.wantFindings()
}

func TestHerdByRecipe(t *testing.T) {
	c := newFixture(t, model.Config{Recipe: dialect.Herd()})
	c.joinMany(4, "n_", 1)
	c.afterAnswers(nil, "herd warning")
	st := c.J.State()
	if e := st.Findings[0].Evidence; !strings.HasSuffix(e[len(e)-1], "should watch "+st.Queue.At(2).Name) {
		t.Errorf("evidence %q, want it to end with the predecessor of the last candidate", e)
	}

	c = newFixture(t, model.Config{})
	c.create("write-", 1)
	c.joinMany(4, "read-", 2)
	c.afterAnswers(nil)
	if e := c.J.State().Edge(4); e.State != doctor.Verified {
		t.Errorf("edge of the last reader: got %+v, want it verified", e)
	}

	c = newFixture(t, model.Config{})
	c.joinMany(4, "json.info_", 1)
	c.afterAnswers(nil, "herd info")
	if e := c.J.State().Edge(1); e.State != doctor.Unverified || !strings.Contains(e.Why, "list of children") {
		t.Errorf("edge of a candidate that watches the list: got %+v, want it unverified, with the reason", e)
	}
}

func TestWatchCycle(t *testing.T) {
	lock := func(kind, id string, session uint64, c *fixture) string {
		return c.create("0123456789abcdef0123456789abcd"+id+kind, session)
	}
	c := newFixture(t, model.Config{})
	lock("__lock__", "01", 1, c)
	b := lock("__rlock__", "02", 2, c)
	d := lock("__lock__", "03", 3, c)
	c.read()
	c.afterAnswers(nil)
	circle := func(x *session.Table) {
		watches(x, "/e", 2, d)
		watches(x, "/e", 3, b)
	}
	c.answerTwice(circle)
	if c.found["watch-cycle "+b] != doctor.Critical {
		t.Errorf("findings %v, want watch-cycle critical", c.found)
	}
	c.afterAnswers(nil)

	c, names := three(t, model.Config{}, "n_")
	c.afterAnswers(nil)
	c.answerTwice(func(x *session.Table) { watches(x, "/e", 1, names[1]) })
	c.answerTwice(func(x *session.Table) {
		for i := range names {
			watches(x, "/e", uint64(i+1), slices.Delete(slices.Clone(names), i, i+1)...)
		}
	})
	for what := range c.found {
		if strings.HasPrefix(what, "watch-cycle") {
			t.Errorf("a leader that watches, and candidates that watch all: got %q, want no watch-cycle", what)
		}
	}

	c = newFixture(t, model.Config{})
	lock("__lock__", "01", 1, c)
	lock("__lock__", "02", 2, c)
	lock("__lock__", "03", 1, c)
	lock("__lock__", "04", 2, c)
	c.read()
	c.afterAnswers(nil, "ghost-node info", "ghost-node info")
}

func TestDroppedCandidate(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.leave(names[1])
	left := func(x *session.Table) {
		x.Servers[2].Watched = append(x.Servers[2].Watched, session.Watch{Path: "/e/" + names[0], Sessions: []uint64{2}})
	}
	c.afterAnswers(left)
	c.pass(time.Second)
	four := c.join("n_", 4)
	c.answerTwice(func(x *session.Table) {
		x.Servers[2].Watched = append(x.Servers[2].Watched, session.Watch{Path: "/e/" + four, Sessions: []uint64{2}})
	})
	c.wantFindings("dropped-candidate warning")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Sessions, []uint64{2}) || !slices.Equal(f.Znodes, []string{"/e/" + four}) {
		t.Errorf("got finding %+v, want session 2 and %s", f, four)
	}
	c.join("n_", 2)
	c.after(time.Second)

	c.answerTwice(func(x *session.Table) {
		x.Servers[0].Watched = append(x.Servers[0].Watched, session.Watch{Path: "/e/" + four, Sessions: []uint64{9, 77}})
	})
	c.wantFindings("dropped-candidate info")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Sessions, []uint64{77}) {
		t.Errorf("got finding %+v, want session 77", f)
	}
}

func TestEnsembleSplitAndZxidRollover(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	split := func(x *session.Table) { x.Servers[2].Mode = session.ModeLeader }
	c.pass(time.Second)
	c.answer(split)
	c.wantFindings() // the ensemble's election can look like a split
	c.pass(5 * time.Second)
	c.answer(nil)
	c.wantFindings()
	c.afterAnswers(split, "ensemble-split critical")
	c.afterAnswers(nil)
	c.afterAnswers(func(x *session.Table) { x.Servers[1].Zxid = 0x3fffffff0 }, "zxid-rollover warning")
}

func TestEphemeralsDiffer(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	lacks := func(x *session.Table) { x.Servers[2].Ephemerals = x.Servers[2].Ephemerals[1:] }
	c.answerTwice(func(x *session.Table) {
		lacks(x)
		x.Servers[2].Zxid--
	})
	c.wantFindings()
	c.pass(3 * time.Second)
	c.answer(lacks)
	c.wantFindings()
	c.afterAnswers(lacks, "ephemerals-differ critical")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Znodes, []string{"/e/" + names[0]}) || !strings.Contains(f.Evidence[0], "zk3:2181") {
		t.Errorf("got finding %+v, want %s missing on zk3:2181", f, names[0])
	}
	c.afterAnswers(nil)
}

func TestHostileTables(t *testing.T) {
	c := newFixture(t, model.Config{})
	for s := range uint64(3000) {
		c.create("\x1b[2J\u202e", s/2+1)
	}
	c.Tree.Create("\x1b]0;x\a", false, 0, "")
	c.read()
	c.answerTwice(func(x *session.Table) {
		x.Servers[0].Addr = "\x1b[31m"
		x.Servers[1].Watches = session.Answer{State: session.Failed, Why: "\x1b[0m", Hint: "\x07"}
		for i := range x.Servers {
			x.Servers[i].Watched = nil
		}
	})
	if n := len(c.J.State().Findings); n == 0 || n > 40 {
		t.Errorf("got %d findings, want 1 to 40", n)
	}
	for i := range c.J.State().Queue.Len() {
		e := c.J.State().Edge(i)
		if znode.Safe(e.Why, 0) != e.Why || znode.Safe(e.Server, 0) != e.Server {
			t.Fatalf("unsafe edge: %+v", e)
		}
	}
	var bad []session.Server
	for i := range 5 {
		bad = append(bad, session.Server{
			Mode: session.ModeLeader, Zxid: -1, Basic: session.Answer{State: session.Answered},
			Sessions:    session.Answer{State: session.Answered, At: modeltest.Start.Add(-1000 * time.Hour)},
			Connections: session.Answer{State: session.Answered}, Watches: session.Answer{State: session.Answered},
			Deadlines: []session.Deadline{{Session: 1, At: 1<<63 - 1}, {Session: 1, At: -1 << 63, Wall: i%2 == 0}, {}},
			Clients:   []session.Client{{}, {Session: 1, Timeout: -1, LastResponse: -1 << 63}, {Session: 2, Timeout: 1<<63 - 1}},
			Watched:   []session.Watch{{}, {Path: "/"}, {Path: "/e/"}, {Path: "/e/a/b", Sessions: []uint64{1}}, {Path: "/e", Sessions: []uint64{0, 1}}},
		})
	}
	for range 3 {
		c.apply(&session.Table{Servers: bad, Whole: true, Anchors: []session.Anchor{{Session: 1, Timeout: 1<<63 - 1}, {}}})
		c.pass(time.Second)
		c.apply(&session.Table{At: c.Tree.Now, End: c.Tree.Now.Add(-time.Hour), Servers: bad, Whole: true})
	}
	c.apply(&session.Table{})
}

func TestServersOfAnotherEnsemble(t *testing.T) {
	const own = 77
	for _, x := range []struct{ anchored, listed bool }{
		{true, true},
		{true, false},
		{false, false},
	} {
		listed := x.listed
		c, _ := three(t, model.Config{}, "n_")
		c.answerTwice(func(t *session.Table) {
			if x.anchored {
				t.Anchors = []session.Anchor{{Session: own, Timeout: 10 * time.Second, Sent: t.At}}
			}
			for i := range t.Servers {
				t.Servers[i].Clients, t.Servers[i].Watched, t.Servers[i].Deadlines = nil, nil, nil
			}
			if listed {
				t.Servers[1].Clients = []session.Client{{Session: own, Addr: "10.0.0.9:1"}}
			}
		})
		st := c.J.State()
		if got := len(st.Risks) > 0; got != listed || st.Answers.Whole != listed {
			t.Errorf("%+v: got risks %+v, whole %v (%s); want both only if electop's session is listed", x, st.Risks, st.Answers.Whole, st.Answers.Unwhole)
		}
		if !listed {
			c.wantFindings()
			if e := st.Edge(1); e.State != doctor.Unverified || e.Why == "" {
				t.Errorf("got edge %+v, want it unverified, with the reason", e)
			}
		}
	}
}

func (c *fixture) handoffs(n int, every time.Duration, prefix, leader string) (newLeader string) {
	c.Helper()
	for range n {
		c.pass(every)
		next := c.join(prefix, c.Tree.Children[leader].Session+1)
		c.leave(leader)
		leader = next
	}
	return leader
}

func TestFlapping(t *testing.T) {
	c := newFixture(t, model.Config{})
	last := c.handoffs(5, 5*time.Second, "n_", c.join("n_", 1))
	c.after(time.Second)
	c.handoffs(5, 5*time.Second, "n_", last)
	c.after(time.Second, "flapping warning")
	for _, f := range c.J.State().Findings {
		named := regexp.MustCompile(`host9 until [0-9:.]+Z \(unknown\), host10 until`)
		if got := strings.Join(f.Evidence, "\n"); !named.MatchString(got) || strings.Contains(got, "host2 ") {
			t.Errorf("evidence %s, want the leaders host9 and host10, but not host2", got)
		}
	}
	c.after(2 * time.Minute)

	c = newFixture(t, model.Config{})
	last = c.create("n_", 1)
	for i := range 6 {
		next := c.create("n_", uint64(i+2))
		c.Tree.Delete(last)
		last = next
	}
	c.read()
	suspected := func() bool { return slices.ContainsFunc(c.J.State().Pending, doctor.Pending.Decides) }
	if text, _ := phrase.NothingFound(c.J.State()); !suspected() || !strings.Contains(text, "Nothing found yet") {
		t.Errorf("new leader after 6 deletions: got suspected %v, text %q; want true, Nothing found yet", suspected(), text)
	}
	c.after(15 * time.Second)
	if !suspected() {
		t.Error("got no suspicion, though the leader has led for less than 20 s")
	}
	if c.after(6 * time.Second); suspected() {
		t.Error("got a suspicion, though the leader has led for more than 20 s")
	}

	c = newFixture(t, model.Config{})
	c.handoffs(20, time.Second, uuidA+"lock-", c.join(uuidA+"lock-", 1))
	c.after(300*time.Millisecond, "flapping info")
}

func TestResetLivelock(t *testing.T) {
	c := newFixture(t, model.Config{})
	c.read()
	names := []string{c.create(uuidA+"latch-", 1), c.create(uuidB+"latch-", 2)}
	c.read()
	for i := range 60 {
		c.pass(150 * time.Millisecond)
		c.Tree.Delete(names[i%2])
		names[i%2] = c.join([]string{uuidA, uuidB}[i%2]+"latch-", uint64(i%2+1))
	}
	c.after(300*time.Millisecond, "reset-livelock critical", "flapping warning")
	c.after(10*time.Second, "flapping warning")
	c.after(2 * time.Minute)
}

func TestAbandonedAttempt(t *testing.T) {
	c := newFixture(t, model.Config{})
	c.read()
	last := c.handoffs(15, 25*time.Second, uuidB+"lock-", c.join(uuidA+"lock-", 1))
	c.after(9 * time.Minute) // nobody waits
	c.join(uuidA+"lock-", 99)
	c.pass(2 * time.Minute)
	c.answer(nil)
	c.wantFindings("abandoned-attempt warning")
	c.leave(last)
	c.after(time.Second)

	c = newFixture(t, model.Config{})
	c.read()
	c.handoffs(15, 25*time.Second, "read-", c.join("read-", 1))
	c.join("read-", 98)
	c.join("write-", 99)
	c.pass(20 * time.Minute)
	c.answer(nil)
	c.wantFindings("abandoned-attempt warning")
	if evidence := c.J.State().Findings[0].Evidence; !strings.HasSuffix(evidence[1], "; 1 other waits") {
		t.Errorf("two readers and one writer: got evidence %q, want that 1 other waits", evidence)
	}

	c = newFixture(t, model.Config{})
	c.read()
	c.handoffs(15, 25*time.Second, "n_", c.join("n_", 1))
	c.join("n_", 99)
	c.pass(100 * 24 * time.Hour)
	c.answer(nil)
	c.wantFindings()
}

func TestParentVanished(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.Tree.DeleteParent()
	c.read()
	c.after(time.Second)
	c.after(5*time.Second, "parent-vanished info") // no server has listed its connections since the deletion
	evidence := strings.Join(c.J.State().Findings[0].Evidence, "\n")
	for _, want := range []string{"/e was deleted at ", "Z or earlier, with candidates of 3 sessions", "since then, not all servers have listed their connections"} {
		if !strings.Contains(evidence, want) {
			t.Errorf("evidence %q, want %q", evidence, want)
		}
	}
	alive := func(sessions ...uint64) *session.Table {
		x := c.healthyTable()
		for _, s := range sessions {
			x.Servers[0].Clients = append(x.Servers[0].Clients, session.Client{Session: s, Addr: "10.0.0.1:1", Timeout: 10 * time.Second})
		}
		return x
	}
	if got := c.J.State().SessionsToQuery(); !slices.Equal(got, []uint64{1, 2, 3}) {
		t.Errorf("SessionsToQuery() = %v, want the 3 candidates' sessions", got)
	}
	c.apply(alive(1, 2))
	c.wantFindings("parent-vanished critical")
	c.Tree.CreateParent(0)
	c.join("n_", 1)
	c.after(time.Second, "parent-vanished warning")
	c.join("n_", 2)
	c.after(2 * time.Second)

	// Servers delete an empty parent that is a container.
	c, names := three(t, model.Config{}, "n_")
	for _, name := range names {
		c.Tree.Delete(name)
	}
	c.read()
	c.pass(time.Minute)
	c.Tree.DeleteParent()
	c.read()
	c.after(time.Minute)
}

func TestForeignWatchers(t *testing.T) {
	crowd := func(path string, n uint64) func(*session.Table) {
		return func(x *session.Table) {
			w := session.Watch{Path: path}
			for i := range n {
				w.Sessions = append(w.Sessions, 100+i)
			}
			x.Servers[0].Watched = append(x.Servers[0].Watched, w)
			x.Servers[0].Clients = append(x.Servers[0].Clients, session.Client{Session: 100, Addr: "10.0.0.7:4000"})
		}
	}
	c, names := three(t, model.Config{}, "n_")
	c.answer(crowd("/e/"+names[1], 61))
	c.wantFindings()
	c.answer(crowd("/e/"+names[0], 61))
	c.wantFindings("foreign-watchers warning")
	f := c.J.State().Findings[0]
	if !strings.HasPrefix(f.Title, "61 sessions without") || !slices.Contains(f.Evidence, "session 0x64 from 10.0.0.7:4000") ||
		!slices.Contains(f.Evidence, "and 46 more") {
		t.Errorf("got finding %+v, want 61 sessions, one with its address, and 46 more", f)
	}
	c.afterAnswers(crowd("/e/"+names[0], 61), "foreign-watchers warning")
	c.afterAnswers(crowd("/e/"+names[0], 5), "dropped-candidate info")
}

func TestExpiredLeaderIsBack(t *testing.T) {
	const other = 77
	for name, want := range map[string][]string{
		"back":            {"expired-leader warning"},
		"there before":    nil,
		"on another host": nil,
		"rejoins":         nil,
		"host not listed": nil,
	} {
		t.Run(name, func(t *testing.T) {
			c, names := three(t, model.Config{}, "n_")
			client := session.Client{Session: other, Addr: "10.0.0.1:4001", Timeout: 10 * time.Second}
			if name == "on another host" {
				client.Addr = "10.0.0.9:4001"
			}
			table := func(back bool) *session.Table {
				x := c.healthyTable()
				x.Hosts = c.J.State().Hosts()
				if name == "host not listed" {
					x.Hosts = nil
				}
				if back || name == "there before" {
					x.Servers[1].Clients = append(x.Servers[1].Clients, client)
				}
				return x
			}
			if hosts := c.J.State().Hosts(); !slices.Equal(hosts, []string{"10.0.0.1"}) {
				t.Fatalf("Hosts() = %q, want the leader's host", hosts)
			}
			frozen := c.frozen()
			for range 4 {
				c.pass(3 * time.Second)
				x := table(false)
				frozen(x)
				c.apply(x)
			}
			c.leave(names[0])
			if h := c.J.State().Handoffs[0]; h.Cause != model.CauseExpired {
				t.Fatalf("got cause %s (%s), want expired", h.Cause, h.Evidence)
			}
			c.pass(time.Second)
			c.apply(table(false))
			c.wantFindings()
			if name == "rejoins" {
				c.join("n_", other)
			}
			for range 3 {
				c.pass(2 * time.Second)
				client.Received++ // the client pings
				c.apply(table(true))
			}
			c.wantFindings(want...)
			if want == nil {
				return
			}
			f := c.J.State().Findings[0]
			if text := strings.Join(f.Evidence, "\n"); !strings.Contains(text, "0x1, from 10.0.0.1, expired") ||
				!strings.Contains(text, "session 0x4d connected from the same host") {
				t.Errorf("evidence %q, want the expired session 0x1 and the new session 0x4d", f.Evidence)
			}
			c.pass(11 * time.Minute)
			c.apply(table(true))
			c.after(time.Second)
		})
	}
}

// mixedLock returns a lock with a client of go-zookeeper before two clients of kazoo.
func mixedLock(t *testing.T) (c *fixture, held string) {
	c = newFixture(t, model.Config{})
	held = c.create("_c_"+modeltest.Hex1+"-lock-", 1)
	c.create(modeltest.Hex1+"__lock__", 2)
	c.join(modeltest.Hex2+"__lock__", 3)
	return c, held
}

func (c *fixture) wantLeader(session uint64, why model.NoLeader) {
	c.Helper()
	s := c.J.State()
	got := uint64(0)
	if l := s.Leader(); l != nil {
		got = l.Session
	}
	if got != session || s.NoLeader() != why || (s.Holders() > 0) != (session != 0) {
		c.Errorf("got leading session %d (%q), %d holders; want session %d (%q)", got, s.NoLeader(), s.Holders(), session, why)
	}
}

func TestMixedLock(t *testing.T) {
	c, held := mixedLock(t)
	c.wantLeader(0, model.MixedClients)
	if s := c.J.State(); s.First().Name != held || s.Queue.Len() != 3 {
		t.Errorf("got %s first of %d, want %s of 3", s.First().Name, s.Queue.Len(), held)
	}
	c.answerTwice(nil)
	c.wantLeader(1, "")
	c.wantFindings()
	c.leave(held)
	c.wantLeader(2, "")
	c.join("_c_"+modeltest.Hex2+"-lock-", 4)
	c.wantLeader(2, "")
	c.afterAnswers(nil)

	c = newFixture(t, model.Config{})
	c.create(modeltest.Hex1+"-n_", 1)
	c.joinMany(3, modeltest.Hex1+"__lock__", 2)
	c.after(model.RivalWait, "two-leaders warning")
	if e := c.J.State().Findings[0].Evidence; !strings.Contains(strings.Join(e, "\n"), "it is the first in this queue") {
		t.Errorf("evidence %q, want that the candidate is the first", e)
	}
}

func TestLockHeldTwice(t *testing.T) {
	c, _ := mixedLock(t)
	kazooOnly := func(x *session.Table) { watches(x, "/e", 2) }
	c.pass(3 * time.Second)
	c.answer(kazooOnly)
	c.pass(3 * time.Second)
	c.wantLeader(0, model.MixedClients)
	c.wantFindings("two-leaders warning")
	c.answerTwice(kazooOnly)
	c.wantLeader(0, model.MixedClients)
	c.wantFindings("two-leaders critical")
	if n := c.J.State().Properties.Contested; n != 1 {
		t.Errorf("%d contested, want 1", n)
	}
	c.answerTwice(nil)
	c.wantLeader(1, "")
	c.wantFindings()
	if n := c.J.State().Properties.Contested; n != 0 {
		t.Errorf("%d contested, want none: the candidate waits", n)
	}
	// Another thread of the client may have set the watch.
	c, _ = mixedLock(t)
	c.join(modeltest.Hex2+"__lock__", 2)
	c.answerTwice(nil)
	c.wantLeader(0, model.MixedClients)
}

// TestCandidateOfAnotherLibrary has a kazoo client, which counts only kazoo's names by default.
func TestCandidateOfAnotherLibrary(t *testing.T) {
	setup := func() (c *fixture, amber, guest string) {
		c = newFixture(t, model.Config{})
		amber = c.create(modeltest.Hex1+"-n_", 1)
		c.create(modeltest.Hex2+"-n_", 2)
		c.read()
		c.answerTwice(nil)
		c.apply(&model.Cast{At: c.Tree.Now, Member: model.Member{ID: "a", Name: "amber", Session: 1, Znode: amber, Belief: model.Leading}})
		guest = c.join(modeltest.Hex1+"__lock__", 3)
		c.wantLeader(1, "") // the kazoo client may still set a watch
		return c, amber, guest
	}
	t.Run("the kazoo client counts all names", func(t *testing.T) {
		c, amber, guest := setup()
		c.pass(2 * time.Second)
		c.answer(nil)
		c.pass(time.Minute)
		c.wantLeader(1, "")
		c.leave(guest)
		c.join(modeltest.Hex2+"__lock__", 4)
		c.pass(2 * time.Second)
		c.answer(nil)
		c.pass(time.Minute)
		c.wantLeader(1, "")
		c.leave(amber)
		c.pass(time.Minute)
		c.wantLeader(2, "")
		c.wantFindings()
		if n := c.J.State().Properties.Contested; n != 0 {
			t.Errorf("%d contested, want none", n)
		}
	})
	t.Run("the demo's server holds a message to the kazoo client", func(t *testing.T) {
		c, _, _ := setup()
		c.apply(&model.Pace{At: c.Tree.Now, Steps: true, Waiting: 1, Held: []model.Message{{Session: 3}}})
		c.pass(time.Minute)
		c.wantLeader(1, "")
		c.wantFindings()
		c.apply(&model.Pace{At: c.Tree.Now})
		c.pass(time.Second)
		c.wantLeader(0, model.MixedClients)
	})
	t.Run("the kazoo client counts only kazoo's names", func(t *testing.T) {
		c, _, guest := setup()
		second := c.join(modeltest.Hex2+"__lock__", 4)
		c.pass(model.RivalWait)
		c.wantLeader(0, model.MixedClients)
		c.wantFindings("two-leaders warning")
		c.answerTwice(func(x *session.Table) { watches(x, "/e", 3); watches(x, "/e", 4, guest) })
		c.wantLeader(0, model.MixedClients)
		c.wantFindings("two-leaders critical")
		s := c.J.State()
		const want = "two leaders: host3 counts only kazoo's names: it believes that it leads"
		if f := s.Findings[0]; f.Title != want || !slices.Equal(f.Sessions, []uint64{1, 3}) || f.References[0] != "kazoo: recipe/lock.py" {
			t.Errorf("got finding %+v, want %q", f, want)
		}
		if len(s.Rivals) != 1 || s.Rivals[0].Name != guest || s.Properties.Contested != 1 {
			t.Errorf("got rivals %v, %d contested; want only %s, 1", s.Rivals, s.Properties.Contested, guest)
		}
		c.leave(guest)
		c.leave(second)
		c.pass(time.Second)
		c.wantLeader(1, "")
		c.wantFindings()
		if n := c.J.State().Properties.Contested; n != 1 {
			t.Errorf("%d contested after the guest left, want 1", n)
		}
	})
}

func TestLeaderWatchers(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/e"})
	c.Tree.CreateParent(0)
	first := c.Tree.Create("n_", true, 1, "")
	for id := range uint64(3) {
		c.Tree.Create("n_", true, id+2, "")
	}
	c.apply(&model.Connection{At: c.Tree.Now, Link: model.Connected, Session: 900})
	c.read()
	if w := c.J.State().LeaderWatchers(); w != nil || c.J.State().WatchersUnknown() == "" {
		t.Fatalf("got watchers %+v before the servers were queried, want none, with the reason", w)
	}
	table := c.healthyTable()
	table.Anchors = []session.Anchor{{Session: 901, Sent: c.Tree.Now, Timeout: time.Second}}
	table.Servers[0].Clients = append(table.Servers[0].Clients, session.Client{Session: 901, Addr: "10.0.0.9:4000", Timeout: time.Second})
	for i := range table.Servers { // several servers may list the watches of a client that moved
		table.Servers[i].Watched = []session.Watch{
			{Path: "/e/" + first, Sessions: []uint64{1, 2, 3, 70, 71, 900, 901}},
			{Path: "/e/n_0000000001", Sessions: []uint64{4, 72}},
		}
	}
	c.apply(table)
	w := c.J.State().LeaderWatchers()
	if w == nil || w.Candidates != 2 || !slices.Equal(w.Others, []uint64{70, 71}) || w.Total() != 4 || w.Why != "" {
		t.Fatalf("got watchers %+v, want 2 candidates and the sessions 70 and 71", w)
	}
	refused := c.healthyTable()
	refused.Servers[1].Watches = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
	refused.Servers[1].Watched = nil
	c.apply(refused)
	if w := c.J.State().LeaderWatchers(); w == nil || w.Total() != 1 || w.Why == "" {
		t.Fatalf("got watchers %+v, want 1, with the reason why there may be more", w)
	}
	c.Tree.Delete(first)
	c.read()
	if w := c.J.State().LeaderWatchers(); w != nil || c.J.State().WatchersUnknown() == "" {
		t.Fatalf("got watchers %+v of another znode, want none, with the reason", w)
	}
}

func TestEvidenceCountsTheRest(t *testing.T) {
	c := newFixture(t, model.Config{Path: "/e"})
	c.Tree.CreateParent(0)
	first := c.Tree.Create("n_", true, 1, "")
	var waiting []uint64
	for id := range uint64(59) {
		c.Tree.Create("n_", true, id+2, "")
		waiting = append(waiting, id+2)
	}
	c.apply(&model.Connection{At: c.Tree.Now, Link: model.Connected, Session: 900})
	c.read()
	c.pass(10 * time.Second)
	table := c.healthyTable()
	for i := range table.Servers {
		table.Servers[i].Watched = nil
	}
	table.Servers[0].Watched = []session.Watch{{Path: "/e/" + first, Sessions: waiting}}
	c.apply(table)
	c.pass(2 * time.Second)
	fs := c.J.State().Findings
	if len(fs) != 1 || fs[0].ID != "herd" || len(fs[0].Sessions) != 59 || fs[0].Evidence[len(fs[0].Evidence)-1] != "and 44 more" {
		t.Fatalf("got findings %+v, want one herd of 59 sessions that counts 44 more lines", fs)
	}
}
