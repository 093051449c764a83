package doctor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/internal/modeltest"
	"electop/model/session"
	"electop/model/znode"
)

// Latches and threads of one client share its session: that they end together is
// worth a word, and nothing is to be deleted.
func TestSeveralOfOneClient(t *testing.T) {
	for _, name := range []string{"_c_%s-latch-", "%s-lock-", "%s-n_", "%s__lock__", "n_"} {
		c := newClinic(t, model.Config{})
		for i, uuid := range []string{"0a", "0b", "0c", "0d"} {
			full := "f47ac10b-58cc-4372-a567-0e02b2c3d4" + uuid
			if !strings.Contains(name, "_c_") {
				full = strings.ReplaceAll(full, "-", "")
			}
			c.child(strings.ReplaceAll(name, "%s", full), uint64(1+i/3)) // three of one client, which leads
		}
		c.look()
		c.after(time.Second) // for a moment everybody may
		c.after(2*time.Second, "ghost-node info")
		f := c.J.State().Findings[0]
		if strings.Contains(strings.ToLower(f.Advice), "delete") || len(f.Znodes) != 3 || !strings.Contains(f.Title, "one client owns 3 candidates") || f.Key != "ghost-node 0x1" {
			t.Errorf("%s: %+v", name, f)
		}
		if st := c.J.State(); st.NoLeader() != "" {
			t.Errorf("%s: the leader is said to be a ghost", name)
		}
	}
}

// The same guid twice proves a lost reply. No advice is to delete what leads.
func TestGhostNode(t *testing.T) {
	for _, leads := range []bool{false, true} {
		c := newClinic(t, model.Config{})
		if !leads {
			c.child(uuidB+"latch-", 2)
		}
		older := c.child(uuidA+"latch-", 1)
		c.child(uuidC+"latch-", 1) // another latch of the same client
		c.child(uuidB+"latch-", 3)
		younger := c.joins(uuidA+"latch-", 1)
		c.pass(3 * time.Second)
		want := map[bool]string{false: "ghost-node warning", true: "ghost-node critical"}[leads]
		c.has(want)
		f := c.J.State().Findings[0]
		if !slices.Equal(f.Znodes, []string{"/e/" + older, "/e/" + younger}) || !slices.Equal(f.Sessions, []uint64{1}) {
			t.Errorf("%+v", f)
		}
		if !strings.Contains(f.Advice, "delete /e/"+younger) || strings.Contains(f.Advice, older) {
			t.Errorf("advice %q: want it to name %s, and never %s", f.Advice, younger, older)
		}
		st := c.J.State()
		if of, sure := st.GhostOf(st.Queue.At(map[bool]int{true: 0, false: 1}[leads])); of == "" || sure {
			t.Errorf("the older one is a ghost of %q, %v", of, sure)
		}
		if why := st.NoLeader(); leads != (why == model.GhostPossible) || leads != (st.Totals.Led == 0) || leads != (len(st.Reigns) == 0) || st.Totals.Vacant != 0 {
			t.Errorf("%q, and %+v, reigns %v", why, st.Totals, st.Reigns)
		}
		c.leaves(younger)
		c.after(3*time.Second, "ghost-node info") // two latches are left
	}
}

// One of ours says itself which znode it knows.
func TestGhostOfOurs(t *testing.T) {
	for at := range 2 {
		c := newClinic(t, model.Config{})
		var names []string
		for s := range uint64(3) {
			names = append(names, c.child("n_", s+1))
		}
		session := uint64(at + 1)
		known := c.child("n_", session)
		m := model.Member{ID: "a", Name: "amber", Session: session, Belief: model.Volunteering}
		c.put(&model.Cast{At: c.Tree.Now, Member: m})
		c.look()
		c.after(3*time.Second, "ghost-node info") // it still looks for its znode
		m.Znode, m.Belief = known, model.Waiting
		c.put(&model.Cast{At: c.Tree.Now, Member: m})
		c.pass(3 * time.Second)
		want := [...]string{"ghost-node critical", "ghost-node warning"}[at]
		c.has(want)
		f := c.J.State().Findings[0]
		if deletes := strings.Contains(f.Advice, "Delete /e/"+names[at]); deletes != (at > 0) || strings.Contains(f.Advice, known) {
			t.Errorf("%d: advice %q", at, f.Advice)
		}
		if !slices.Contains(f.Evidence, "amber knows only "+known) {
			t.Errorf("%d: evidence %q", at, f.Evidence)
		}
	}
}

func TestSequenceLimit(t *testing.T) {
	for _, x := range []struct {
		creates uint32
		want    []string
	}{
		{1000, nil}, {1<<30 + 5, []string{"sequence-limit info"}}, {2_000_000_001, []string{"sequence-limit warning"}}, {1<<31 - 1, []string{"sequence-limit critical"}},
	} {
		c := newClinic(t, model.Config{})
		c.Tree.Creates = x.creates
		c.look()
		c.has(x.want...)
	}
	c := newClinic(t, model.Config{})
	c.Tree.Creates = 1 << 31 // as servers before 3.6 went on
	c.joins("n_", 1)
	c.has("sequence-limit critical")
}

func TestForeignChild(t *testing.T) {
	c, names := three(t, model.Config{}, uuidA+"lock-")
	c.Tree.Create("config", false, 0, "")
	c.look()
	c.after(3*time.Second, "foreign-child info")
	// Digits and what is before them come before every number.
	c.Tree.Create("-notes", false, 0, "")
	c.look()
	c.after(3*time.Second, "foreign-child critical", "foreign-child info")
	c.Tree.Delete("-notes")
	c.leaves("config")
	c.after(time.Second)
	c.Tree.Create(uuidB+"lock-", true, 0, "") // persistent, behind all
	c.look()
	c.after(3*time.Second, "foreign-child warning")
	for _, name := range names {
		c.Tree.Delete(name)
	}
	c.joins(uuidB+"lock-", 7)
	c.after(3*time.Second, "foreign-child critical")
}

// The first read may be applied before the connection is reported: nothing new comes then.
func TestReadBeforeItsConnection(t *testing.T) {
	c := newClinic(t, model.Config{})
	c.J = doctor.NewJournal(model.Config{Path: "/e"})
	c.Tree.Create("n_", true, 0, "")
	c.child("n_", 1)
	c.look()
	c.put(&model.Connection{At: c.Tree.Now, Link: model.Connected, Session: 9})
	c.after(3*time.Second, "foreign-child critical")
}

func TestAckDisagrees(t *testing.T) {
	c := newClinic(t, modeltest.Acked)
	a, b := c.child("n_", 1), c.joins("n_", 2)
	c.Ack(a)
	c.after(time.Minute)
	// A handoff: the next one acknowledges after some time.
	c.leaves(a)
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(4 * time.Second)
	c.after(2*time.Second, "ack-disagrees warning")
	c.put(ackOf(c, b, 2))
	c.after(time.Second)
	// It names one that is gone, of the leader's session or of none.
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Present, Session: 2, Data: znode.NewData(model.AckData("/e/"+a, 17))})
	c.after(6*time.Second, "ack-disagrees warning")
	c.put(ackOf(c, b, 2))
	c.after(time.Second)
	// The queue is empty, and there is an acknowledgement.
	c.leaves(b)
	c.after(6*time.Second, "ack-disagrees warning")

	// A persistent znode is in the acknowledgement's place.
	c = newClinic(t, modeltest.Acked)
	a = c.joins("0123456789abcdef0123456789abcdef-n_", 1)
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Present, Data: znode.NewData([]byte("left behind"))})
	c.after(4 * time.Second)
	c.after(2*time.Second, "ack-disagrees critical")
	c.put(ackOf(c, a, 1))
	c.after(time.Second)

	// Without any earlier acknowledgement none is missing.
	c = newClinic(t, model.Config{AckPath: "/leader"})
	c.joins("n_", 1)
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(time.Hour)
}

func ackOf(c *clinic, name string, session uint64) *model.Ack {
	return &model.Ack{At: c.Tree.Now, Presence: model.Present, Session: session, Data: znode.NewData(model.AckData("/e/"+name, c.Tree.Children[name].Czxid))}
}

func TestTwoLeaders(t *testing.T) {
	c := newClinic(t, modeltest.Acked)
	a, b := c.child("n_", 1), c.joins("n_", 2)
	old := ackOf(c, a, 1)
	c.put(old)
	c.leaves(a)
	c.after(4 * time.Second)
	c.after(2*time.Second, "two-leaders critical")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Sessions, []uint64{2, 1}) {
		t.Errorf("%+v", f)
	}
	c.put(ackOf(c, b, 2))
	c.after(time.Second)

	// Two of ours believe to lead: the one that was frozen does not know.
	c = newClinic(t, model.Config{})
	a, b = c.child("n_", 1), c.joins("n_", 2)
	one := model.Member{ID: "a", Name: "amber", Session: 1, Znode: a, Belief: model.Leading, Fault: model.Frozen}
	two := model.Member{ID: "b", Name: "birch", Session: 2, Znode: b, Belief: model.Waiting}
	c.put(&model.Cast{At: c.Tree.Now, Member: one})
	c.put(&model.Cast{At: c.Tree.Now, Member: two})
	c.after(5 * time.Second)
	c.leaves(a)
	two.Belief = model.Leading
	c.put(&model.Cast{At: c.Tree.Now, Member: two})
	c.after(3*time.Second, "two-leaders critical")
	one.Belief = model.Lost
	c.put(&model.Cast{At: c.Tree.Now, Member: one})
	c.after(time.Second)
}

// Leaders of another system may take minutes until they acknowledge.
func TestForeignAck(t *testing.T) {
	c := newClinic(t, model.Config{AckPath: "/leader"})
	a := c.child("n_", 1)
	c.joins("n_", 2)
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Present, Session: 1, Data: znode.NewData([]byte("host1:80"))})
	c.after(time.Hour)
	c.leaves(a)
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Absent})
	c.after(3 * time.Minute)
	c.after(2*time.Minute, "ack-disagrees warning")
	c.put(&model.Ack{At: c.Tree.Now, Presence: model.Present, Session: 2, Data: znode.NewData([]byte("host2:80"))})
	c.after(time.Second)
}

// For unknown names it is only a guess that they are an election.
func TestGuessedNaming(t *testing.T) {
	c := newClinic(t, model.Config{})
	for s := range uint64(3) {
		c.child("what-is-this~", s+1)
	}
	c.joins("what-is-this~", 1)
	c.asked(func(x *session.Table) {
		for s := range uint64(3) {
			watches(x, "/e", s+1)
		}
		without(x, 1)
	})
	if len(c.J.State().Findings) == 0 || doctor.Worst(c.J.State().Findings) != doctor.Info {
		t.Errorf("findings %v", c.found)
	}
	for _, f := range c.J.State().Findings {
		if strings.Contains(f.Advice, "Restart") {
			t.Errorf("%s: what may be no candidate is to be restarted: %s", f.ID, f.Advice)
		}
	}
}

// What a ghost's finding says of a znode, that it has no watch, is not said
// again by another: but it weighs as much.
func TestGhostWatchesNobody(t *testing.T) {
	c, names := three(t, model.Config{}, uuidB+"latch-")
	c.Tree.Delete(names[1])
	ghost, again := c.child(uuidA+"latch-", 4), c.child(uuidA+"latch-", 4)
	other := c.joins(uuidB+"latch-", 5)
	c.told(func(x *session.Table) { watches(x, "/e", 4, names[2], ghost) }, "ghost-node warning") // it does watch, for both
	c.asked(func(x *session.Table) {
		watches(x, "/e", 4)
		watches(x, "/e", 5)
	})
	c.has("ghost-node warning", "missing-watch warning")
	if f := c.J.State().Findings[1]; !slices.Equal(f.Znodes, []string{"/e/" + other}) {
		t.Errorf("%+v: the ghost's znode is listed a second time", f)
	}
	if f := c.J.State().Findings[0]; !slices.Contains(f.Evidence, again+" has no watch, and should watch "+ghost) {
		t.Errorf("%+v: want it to say who watches nobody", f)
	}
	c.leaves(names[2]) // the ghost is next
	c.told(func(x *session.Table) { watches(x, "/e", 4) }, "ghost-node critical")
}

// Many findings of a kind are reported together, and none is left out.
func TestManyOfAKind(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.crowd(20, "n_", 4)
	c.asked(func(x *session.Table) {
		for s := range uint64(23) {
			watches(x, "/e", s+1)
		}
	})
	all := c.J.State().Findings
	if len(all) != 9 || all[0].Severity != doctor.Critical {
		t.Fatalf("%d findings, want 8 and one for the others: %+v", len(all), all)
	}
	i := slices.IndexFunc(all, func(f *doctor.Finding) bool { return f.Key == "missing-watch /more" })
	if i < 0 || all[i].Title != "14 more: a candidate has no watch" || len(all[i].Znodes) < 14 || all[i].Severity != doctor.Warning {
		t.Errorf("%d: %+v", i, all)
	}
}
