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

func TestEnsembleSplit(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	split := func(x *session.Table) { x.Servers[2].Mode = session.ModeLeader }
	c.pass(time.Second)
	c.answer(split)
	c.has() // a change of the ensemble's leader
	c.pass(5 * time.Second)
	c.answer(nil)
	c.has()
	c.told(split, "ensemble-split critical")
	c.told(nil)
	c.told(func(x *session.Table) { x.Servers[1].Zxid = 0x3fffffff0 }, "zxid-rollover warning")
}

func TestEphemeralsDiffer(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	lacks := func(x *session.Table) { x.Servers[2].Ephemerals = x.Servers[2].Ephemerals[1:] }
	c.asked(func(x *session.Table) {
		lacks(x)
		x.Servers[2].Zxid-- // it is behind
	})
	c.has()
	c.pass(3 * time.Second)
	c.answer(lacks)
	c.has()
	c.told(lacks, "ephemerals-differ critical")
	if f := c.J.State().Findings[0]; !slices.Equal(f.Znodes, []string{"/e/" + names[0]}) || !strings.Contains(f.Evidence[0], "zk3:2181") {
		t.Errorf("%+v", f)
	}
	c.told(nil)
}

func TestDoctorHostile(t *testing.T) {
	c := newClinic(t, model.Config{})
	for s := range uint64(3000) {
		c.child("\x1b[2J\u202e", s/2+1)
	}
	c.Tree.Create("\x1b]0;x\a", false, 0, "")
	c.look()
	c.asked(func(x *session.Table) {
		x.Servers[0].Addr = "\x1b[31m"
		x.Servers[1].Watches = session.Answer{State: session.Failed, Why: "\x1b[0m", Hint: "\x07"}
		for i := range x.Servers {
			x.Servers[i].Watched = nil
		}
	})
	if n := len(c.J.State().Findings); n == 0 || n > 40 {
		t.Errorf("%d findings", n)
	}
	for i := range c.J.State().Queue.Len() {
		e := c.J.State().Edge(i)
		if znode.Safe(e.Why, 0) != e.Why || znode.Safe(e.Server, 0) != e.Server {
			t.Fatalf("not safe: %+v", e)
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
		c.put(&session.Table{Servers: bad, Whole: true, Anchors: []session.Anchor{{Session: 1, Timeout: 1<<63 - 1}, {}}})
		c.pass(time.Second)
		c.put(&session.Table{At: c.Tree.Now, End: c.Tree.Now.Add(-time.Hour), Servers: bad, Whole: true})
	}
	c.put(&session.Table{})
}

// An AdminServer of another ensemble knows no session here: that is no sign that
// the candidates lost their connections or their watches.
func TestStrangersServers(t *testing.T) {
	const own = 77
	for _, x := range []struct{ anchored, listed bool }{
		{true, true},
		{true, false},
		{false, false}, // a server that nobody uses ties no clock to ours
	} {
		listed := x.listed
		c, _ := three(t, model.Config{}, "n_")
		c.asked(func(t *session.Table) {
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
			t.Errorf("%+v: risks %+v, whole %v (%s)", x, st.Risks, st.Answers.Whole, st.Answers.Unwhole)
		}
		if !listed {
			c.has()
			if e := st.Edge(1); e.State != doctor.Unverified || e.Why == "" {
				t.Errorf("%+v: want it unknown, and why", e)
			}
		}
	}
}
