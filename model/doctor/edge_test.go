package doctor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"electop/model"
	"electop/model/doctor"
	"electop/model/session"
)

func TestMissingWatch(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	none := func(x *session.Table) { watches(x, "/e", 2) }
	c.pass(3 * time.Second)
	c.answer(none)
	c.after(time.Minute)
	c.afterAnswers(none, "missing-watch critical") // critical: the candidate without a watch leads next
	st := c.J.State()
	if e := st.Edge(1); e.State != doctor.MissingWatch || e.Why != "" {
		t.Errorf("edge of the second candidate: got %+v, want a missing watch", e)
	}
	if e := st.Edge(2); e.State != doctor.Verified || e.Server != "zk1:2181" || !slices.Equal(e.Watched, []string{names[1]}) {
		t.Errorf("edge of the third candidate: got %+v, want it verified on zk1:2181", e)
	}
	if e := st.Edge(0); e.State != doctor.Unverified || e.Why != "" {
		t.Errorf("the leader's edge: got %+v, want it unverified without a reason", e)
	}
	c.afterAnswers(nil)

	c.afterAnswers(func(x *session.Table) { watches(x, "/e", 3) }, "missing-watch warning")
	c.leave(names[1])
	c.after(time.Second)
}

func TestMissingWatchNeedsCompleteTablesAndConnection(t *testing.T) {
	for reason, change := range map[string]func(*session.Table){
		"zk4 has no address": func(x *session.Table) { x.Whole, x.Unwhole = false, "zk4 has no address" },
		"(4lw.commands.whitelist would allow it)": func(x *session.Table) {
			x.Servers[1].Watches = session.Answer{State: session.Refused, Why: "not in the whitelist", Hint: "4lw.commands.whitelist"}
		},
		"lists more entries than electop keeps": func(x *session.Table) { x.Servers[0].Leftover = true },
		"its client has no connection":          func(x *session.Table) { disconnect(x, 2) },
		"zk3:2181 was not queried":              func(x *session.Table) { x.Servers[2].Watches = session.Answer{} },
		"did not list its watches: broken":      func(x *session.Table) { x.Servers[0].Watches = session.Answer{State: session.Failed, Why: "broken"} },
	} {
		c, _ := three(t, model.Config{}, "n_")
		c.answerTwice(func(x *session.Table) {
			watches(x, "/e", 2)
			change(x)
		})
		e := c.J.State().Edge(1)
		if e.State != doctor.Unverified || !strings.Contains(e.Why, reason) {
			t.Errorf("got edge %+v, want it unverified because of %q", e, reason)
		}
		for _, f := range c.J.State().Findings {
			if f.ID == "missing-watch" {
				t.Errorf("%s: got finding %+v, want none", reason, f)
			}
		}
	}
}

func TestNoWatchFaultInSlowMotion(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	none := func(x *session.Table) { watches(x, "/e", 2) }
	other := func(x *session.Table) { watches(x, "/e", 3, names[0]) }
	for _, p := range []model.Pace{{Steps: true}, {Delay: time.Second}} {
		for _, change := range []func(*session.Table){none, other} {
			p.At = c.Tree.Now
			c.apply(&p)
			c.afterAnswers(change)
			for i := 1; i < 3; i++ {
				if e := c.J.State().Edge(i); e.State != doctor.Unverified && e.State != doctor.Verified {
					t.Errorf("pace %+v: got edge %d %+v, want it unverified or verified", p, i, e)
				}
			}
		}
	}
	c.apply(&model.Pace{At: c.Tree.Now})
	c.after(time.Minute) // the tables were made in slow motion
	c.answer(none)
	c.after(time.Minute)
	c.afterAnswers(none, "missing-watch critical")
}

func TestWhyUnverified(t *testing.T) {
	c := newFixture(t, model.Config{})
	c.create("n_", 1)
	c.join("n_", 2)
	why := func(want string) {
		t.Helper()
		if e := c.J.State().Edge(1); e.State != doctor.Unverified || !strings.Contains(e.Why, want) {
			t.Errorf("got edge %+v, want it unverified because of %q", e, want)
		}
	}
	why("the servers were not queried")
	x := c.healthyTable()
	for i := range x.Servers {
		x.Servers[i].Watches = session.Answer{}
	}
	c.apply(x)
	why("not queried for their watches")
	if e := c.J.State().Edge(7); e.State != doctor.Unverified {
		t.Errorf("edge of a position that does not exist: got %+v, want it unverified", e)
	}
	c.pass(time.Second)
	c.answer(nil)
	if e := c.J.State().Edge(1); e.State != doctor.Verified || !e.At.Equal(c.Tree.Now.Add(-time.Millisecond)) {
		t.Errorf("got edge %+v, want it verified at the beginning of the last round", e)
	}
	c.pass(time.Second)
	x = c.healthyTable()
	watches(x, "/e", 2)
	c.apply(x)
	c.join("n_", 3)
	if e := c.J.State().Edge(2); !strings.Contains(e.Why, "joined after") {
		t.Errorf("got edge %+v, want the reason that it joined after the table", e)
	}
	why("may still set it")
	c.pass(2 * time.Second)
	why("seen before")
	c.leave("n_0000000001")
	if e := c.J.State().Edge(1); !strings.Contains(e.Why, "joined after") {
		t.Errorf("got edge %+v, want the reason that it joined after the table", e)
	}
	c.apply(&model.Connection{At: c.Tree.Now, Link: model.Disconnected})
	c.pass(time.Second)
	why("not connected")
}

func TestClient(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	st := c.J.State()
	x1, listed := st.Client(st.Queue.At(1))
	if x1.Conn == nil || !listed || x1.Conn.Addr != "10.0.0.2:4000" || x1.Server != "zk3:2181" || x1.At.IsZero() {
		t.Errorf("Client = %+v, listed %v; want 10.0.0.2:4000 on zk3:2181, listed", x1, listed)
	}
	x := c.healthyTable()
	for i := range x.Servers {
		x.Servers[i].Connections, x.Servers[i].Clients = session.Answer{}, nil
		x.Servers[i].Sessions, x.Servers[i].Deadlines = session.Answer{}, nil
	}
	c.apply(x)
	if again, _ := c.J.State().Client(st.Queue.At(1)); again.Conn != x1.Conn {
		t.Errorf("Client after a round without connections = %+v, want the connection of the round before", again)
	}
	if x, _ := st.Client(nil); x.Conn != nil {
		t.Error("Client(nil) has a connection")
	}
}
