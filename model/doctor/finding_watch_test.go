package doctor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/doctor"
	"electop/model/session"
)

func TestWrongWatch(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.joins("n_", 4)
	c.asked(nil)
	// 4 watches 2 and should 3; nobody else watches 2 but 3, so two do: a herd.
	c.told(func(x *session.Table) { watches(x, "/e", 4, names[1]) }, "herd warning")
	if e := c.J.State().Edge(3); e.State != doctor.WrongWatch || !slices.Equal(e.Watched, []string{names[1]}) {
		t.Errorf("%+v", e)
	}
	// It watches one behind it: it is not notified when its turn comes.
	five := c.joins("n_", 5)
	c.asked(func(x *session.Table) {
		watches(x, "/e", 4, five)
		watches(x, "/e", 5, "n_0000000099")
	})
	c.has("wrong-watch warning", "wrong-watch warning")
	c.told(func(x *session.Table) { watches(x, "/e", 2, "n_0000000099") }, "wrong-watch critical")
	c.told(nil)
}

func TestHerd(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.crowd(3, "n_", 4)
	c.asked(nil)
	all := func(x *session.Table) {
		for s := range uint64(5) {
			watches(x, "/e", s+2, names[0])
		}
	}
	// So many at once need no second look.
	c.pass(3 * time.Second)
	c.answer(all)
	c.after(2*time.Second, "herd warning")
	f := c.J.State().Findings[0]
	if f.Key != "herd "+names[0] || f.Znodes[0] != "/e/"+names[0] || len(f.Sessions) < 4 {
		t.Errorf("%+v", f)
	}
	c.told(all, "herd warning")
	c.told(nil)

	// A leader that watches its own znode, and an observer, are no herd.
	c.asked(func(x *session.Table) {
		x.Servers[0].Watched = append(x.Servers[0].Watched, session.Watch{Path: "/e/" + names[0], Sessions: []uint64{1, 9}})
	})
	c.has()

}

func TestHerdByRule(t *testing.T) {
	c := newClinic(t, model.Config{Recipe: dialect.Herd()})
	c.crowd(4, "n_", 1)
	c.told(nil, "herd warning")
	// What it ought to watch is not what its rule has it watch.
	st := c.J.State()
	if e := st.Findings[0].Evidence; !strings.HasSuffix(e[len(e)-1], "should watch "+st.Queue.At(2).Name) {
		t.Errorf("%q", e)
	}

	// Readers that wait for one writer are none: that is the rule.
	c = newClinic(t, model.Config{})
	c.child("write-", 1)
	c.crowd(4, "read-", 2)
	c.told(nil)
	if e := c.J.State().Edge(4); e.State != doctor.Verified {
		t.Errorf("%+v", e)
	}

	// Everybody watches the list: by design.
	c = newClinic(t, model.Config{})
	c.crowd(4, "json.info_", 1)
	c.told(nil, "herd info")
	if e := c.J.State().Edge(1); e.State != doctor.Unverified || !strings.Contains(e.Why, "list of children") {
		t.Errorf("%+v", e)
	}
}

func TestWatchCycle(t *testing.T) {
	lock := func(kind, id string, session uint64, c *clinic) string {
		return c.child("0123456789abcdef0123456789abcd"+id+kind, session)
	}
	c := newClinic(t, model.Config{})
	lock("__lock__", "01", 1, c)
	b := lock("__rlock__", "02", 2, c)
	d := lock("__lock__", "03", 3, c)
	c.look()
	c.told(nil)
	circle := func(x *session.Table) {
		watches(x, "/e", 2, d)
		watches(x, "/e", 3, b)
	}
	c.asked(circle)
	if c.found["watch-cycle "+b] != doctor.Critical {
		t.Errorf("findings %v", c.found)
	}
	c.told(nil)

	// Threads of two processes wait for each other's znodes and for no longer.
	c = newClinic(t, model.Config{})
	lock("__lock__", "01", 1, c)
	lock("__lock__", "02", 2, c)
	lock("__lock__", "03", 1, c)
	lock("__lock__", "04", 2, c)
	c.look()
	c.told(nil, "ghost-node info", "ghost-node info")
}

func TestDroppedCandidate(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.leaves(names[1])
	left := func(x *session.Table) {
		x.Servers[2].Watched = append(x.Servers[2].Watched, session.Watch{Path: "/e/" + names[0], Sessions: []uint64{2}})
	}
	c.told(left) // a watch that is left over
	c.pass(time.Second)
	four := c.joins("n_", 4)
	c.asked(func(x *session.Table) {
		x.Servers[2].Watched = append(x.Servers[2].Watched, session.Watch{Path: "/e/" + four, Sessions: []uint64{2}})
	})
	c.has("dropped-candidate warning")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Sessions, []uint64{2}) || !slices.Equal(f.Znodes, []string{"/e/" + four}) {
		t.Errorf("%+v", f)
	}
	c.joins("n_", 2)
	c.after(time.Second)

	// A client that was never a candidate observes, as this program does.
	c.asked(func(x *session.Table) {
		x.Servers[0].Watched = append(x.Servers[0].Watched, session.Watch{Path: "/e/" + four, Sessions: []uint64{9, 77}})
	})
	c.has("dropped-candidate info")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Sessions, []uint64{77}) {
		t.Errorf("%+v", f)
	}
}
