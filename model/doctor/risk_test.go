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
)

func TestZombieLeader(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	gone := func(x *session.Table) { without(x, 1) }
	c.pass(time.Second)
	c.answer(gone)
	c.has() // a client that moves to another member
	st := c.J.State()
	r := st.Risk(st.Queue.At(0))
	if r == nil || !r.Leader || r.Next != st.Queue.At(1) || r.By.IsZero() || len(st.Risks) != 1 || st.Risks[0] != r {
		t.Fatalf("risk %+v", r)
	}
	// Timeout, the tick that it is rounded to, half a tick in a batch, and the commit.
	if want := c.Tree.Now.Add(10*time.Second + 3*time.Second + time.Second); !r.By.Equal(want) {
		t.Errorf("by %v, want %v", r.By, want)
	}
	c.told(gone, "zombie-leader critical") // for two thirds of its timeout
	c.pass(time.Second)
	c.answer(nil) // it is back
	c.has()
	if st := c.J.State(); len(st.Risks) != 0 {
		t.Errorf("risks %+v", st.Risks)
	}

	stop := c.freezes()
	c.pass(3 * time.Second)
	c.answer(stop)
	c.has()
	c.asked(stop)
	if c.found["zombie-leader "+names[0]] == "" {
		t.Errorf("findings %v", c.found)
	}
	c.leaves(names[0])
	c.has()
	if st := c.J.State(); len(st.Risks) != 0 {
		t.Errorf("risks %+v", st.Risks)
	}
	h := c.J.State().Handoffs[0]
	if h.Cause != model.CauseExpired || !strings.Contains(h.Evidence, "received nothing from it since") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
}

func TestRiskWatch(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	st := c.J.State()
	if why := st.RiskWatch(st.Queue.At(0)); why != "" {
		t.Errorf("asked every second: %s", why)
	}
	for want, change := range map[string]func(*session.Table){
		"too rarely":                 func(x *session.Table) { x.Every = 5 * time.Second },
		"only on request":            func(x *session.Table) { x.Every = 0 },
		"not all members":            func(x *session.Table) { x.Whole = false; x.Servers[0].Sessions = session.Answer{} },
		"hint would allow it":        func(x *session.Table) { refuse(x, "hint") },
		"timeout is unknown":         func(x *session.Table) { without(x, 1) },
		"the servers were not asked": nil,
	} {
		c := newClinic(t, model.Config{})
		c.joins("n_", 1)
		if change != nil {
			c.answer(change)
		}
		st := c.J.State()
		if why := st.RiskWatch(st.Queue.At(0)); !strings.Contains(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
	}
}

func refuse(x *session.Table, hint string) {
	for i := range x.Servers {
		x.Servers[i].Connections = session.Answer{State: session.Refused, Hint: hint}
		x.Servers[i].Sessions, x.Servers[i].Deadlines = session.Answer{State: session.Refused, Hint: hint}, nil
	}
}

func TestCausesByTables(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	last := func() *model.Handoff {
		hs := c.J.State().Handoffs
		return hs[len(hs)-1]
	}
	// Heard from a moment ago: it can not have expired.
	c.pass(time.Second)
	c.leaves(names[0])
	if h := last(); h.Cause != model.CauseLeft || !strings.Contains(h.Evidence, "could not expire") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
	before := c.J.State()
	if !slices.Contains(before.SessionsToAsk(), 1) {
		t.Error("nobody asks what became of the leader's session")
	}
	c.pass(time.Second)
	x := c.healthy()
	x.Servers[1].Clients = append(x.Servers[1].Clients, session.Client{Session: 1, Addr: "10.0.0.1:4000", Timeout: 10 * time.Second})
	c.put(x)
	if h := last(); h.Cause != model.CauseDeleted || !strings.Contains(h.Evidence, "is alive without") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
	if before.Handoffs[0].Cause != model.CauseLeft {
		t.Error("an old state changed")
	}

	c.leaves(names[1])
	c.pass(time.Second)
	c.answer(nil) // the session is over
	if h := last(); h.Cause != model.CauseLeft || !strings.Contains(h.Evidence, "was over by") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}

	// No server was asked.
	s := modeltest.NewScript(t, model.Config{})
	a := s.Join(1)
	s.Join(2)
	s.Read()
	s.Tree.Delete(a)
	s.Read()
	if h := s.J.State().Handoffs[0]; h.Cause != model.CauseUnknown || !strings.Contains(h.Evidence, "--admin-sessions") {
		t.Errorf("%s: %s", h.Cause, h.Evidence)
	}
}

// A bound that did not hold is given up: the client came back, or the servers
// were wrong.
func TestRiskOver(t *testing.T) {
	c, _ := three(t, model.Config{}, "n_")
	c.pass(time.Second)
	x := c.healthy()
	without(x, 2)
	c.put(x)
	st := c.J.State()
	r := st.Risk(st.Queue.At(1))
	if r == nil || r.Leader || r.Next != nil {
		t.Fatalf("risk %+v", r)
	}
	c.pass(r.By.Sub(c.Tree.Now))
	if len(c.J.State().Risks) != 1 {
		t.Error("given up before it is over")
	}
	c.pass(3 * time.Second)
	if n := len(c.J.State().Risks); n != 0 {
		t.Errorf("%d at risk of what is past", n)
	}
	if due, ok := c.J.Deadline(); ok {
		t.Errorf("it wants to be called at %v", due)
	}
	if st.Risk(nil) != nil || len(st.Risks) != 1 {
		t.Error("an old state changed")
	}
}

// A risk that came true is over with what happened, and not as if its client were
// back.
func TestRiskEnds(t *testing.T) {
	for name, want := range map[string]doctor.RiskChanged{
		"expired": {Gone: true, Cause: model.CauseExpired},
		"waiting": {Gone: true, Cause: model.CauseUnknown},
		"killed":  {Gone: true, Cause: model.CauseExpired}, // the last in the queue, by electop
		"back":    {},
	} {
		c, names := three(t, model.Config{}, "n_")
		of := uint64(1)
		switch name {
		case "waiting":
			of = 2
		case "killed":
			of = uint64(len(names))
			m := model.Member{ID: "cedar", Session: of, Znode: names[of-1], Belief: model.Waiting}
			c.put(&model.Cast{At: c.Tree.Now, Member: m})
			m.Fault, m.FaultAt, m.ExpiresFrom = model.Killed, c.Tree.Now, c.Tree.Now.Add(4*time.Second)
			c.put(&model.Cast{At: c.Tree.Now, Member: m, Gone: true})
		}
		c.pass(time.Second)
		c.asked(func(x *session.Table) { without(x, of) })
		c.pass(5 * time.Second)
		if name == "back" {
			c.answer(nil)
		} else {
			c.leaves(names[of-1])
		}
		var last *doctor.RiskChanged
		for _, e := range c.risks {
			if e.Risk.Candidate.Name == names[of-1] {
				last = &e
			}
		}
		if last == nil || last.Raised || last.Gone != want.Gone || last.Cause != want.Cause {
			t.Errorf("%s: %+v, want gone %v, cause %q", name, last, want.Gone, want.Cause)
		}
	}
}

// What gets worse is one event.
func TestEscalation(t *testing.T) {
	c, names := three(t, model.Config{}, "n_")
	c.pass(time.Second)
	stop := c.freezes()
	for range 34 {
		c.pass(300 * time.Millisecond)
		c.answer(stop)
	}
	var zombie []string
	for _, l := range c.log {
		if strings.Contains(l, "zombie-leader "+names[0]) {
			zombie = append(zombie, l)
		}
	}
	if c.found["zombie-leader "+names[0]] != doctor.Critical || len(zombie) != 2 {
		t.Errorf("want one that was raised and got worse: %q", zombie)
	}
}

// TestSilentCandidatesAreCounted: one that was not connected in one answer only may be
// reconnecting, so it does not count yet, and the number is a least one.
func TestSilentCandidatesAreCounted(t *testing.T) {
	c := newClinic(t, model.Config{})
	for i := range 4 {
		c.joins("n_", uint64(i+1))
	}
	c.asked(nil)
	gone := []uint64{2}
	silent := func(want string) {
		c.Helper()
		c.pass(3 * time.Second)
		c.answer(func(t *session.Table) {
			for _, id := range gone {
				without(t, id)
			}
		})
		c.pass(time.Second)
		var got []string
		for _, f := range c.J.State().Findings {
			got = append(got, f.Title)
		}
		if strings.Join(got, "; ") != want {
			c.Errorf("without %d: findings %q, want %q", gone, got, want)
		}
	}
	silent("")
	gone = append(gone, 3)
	silent("at least 1 waiting candidate is silent")
	silent("2 waiting candidates are silent")
}
